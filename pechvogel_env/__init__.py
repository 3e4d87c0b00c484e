"""Pechvogel: a dice game of bad luck and nasty opponents, as a reinforcement-learning environment.

    from pechvogel_env import pechvogel_v0
    env = pechvogel_v0.env(num_players=3)

Importing this package registers `pettingzoo.make("aec", "pechvogel/pechvogel-v0")` and
`gymnasium.make("pechvogel/Pechvogel-v0")`. The compiled engine is loaded only when it is used.
"""

import gymnasium
import pettingzoo

from pechvogel import __version__ as __version__

AEC_ID = "pechvogel/pechvogel-v0"
SOLO_ID = "pechvogel/Pechvogel-v0"

# Reloading the module must not warn about a second registration.
if AEC_ID not in pettingzoo.aec_registry:
    pettingzoo.register("aec", AEC_ID, "pechvogel_env.pechvogel_v0:env")
if SOLO_ID not in gymnasium.registry:
    gymnasium.register(SOLO_ID, "pechvogel_env.solo:SoloEnv")
