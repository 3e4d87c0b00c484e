"""Porca Miseria: a card game of eyes and hands, as a reinforcement-learning environment.

    from porca_miseria_env import porca_miseria_v0
    env = porca_miseria_v0.parallel_env(num_players=3)

Importing this package registers `pettingzoo.make("aec" or "parallel", "pechvogel/porca-miseria-v0")` and
`gymnasium.make("pechvogel/PorcaMiseria-v0")`. The compiled engine is loaded only when it is used.
"""

import gymnasium
import pettingzoo

from pechvogel import __version__ as __version__

AEC_ID = PARALLEL_ID = "pechvogel/porca-miseria-v0"
SOLO_ID = "pechvogel/PorcaMiseria-v0"

# Reloading the module must not warn about a second registration.
if AEC_ID not in pettingzoo.aec_registry:
    pettingzoo.register("aec", AEC_ID, "porca_miseria_env.porca_miseria_v0:env")
if PARALLEL_ID not in pettingzoo.parallel_registry:
    pettingzoo.register("parallel", PARALLEL_ID, "porca_miseria_env.porca_miseria_v0:parallel_env")
if SOLO_ID not in gymnasium.registry:
    gymnasium.register(SOLO_ID, "porca_miseria_env.solo:SoloEnv")
