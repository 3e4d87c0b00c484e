"""Lucky Loser: a dice race for squares, chips and bonus cards, as a reinforcement-learning environment.

    from lucky_loser_env import lucky_loser_v0
    env = lucky_loser_v0.env(num_players=3)

Importing this package registers `pettingzoo.make("aec", "pechvogel/lucky-loser-v0")` and
`gymnasium.make("pechvogel/LuckyLoser-v0")`. The compiled engine is loaded only when it is used.
"""

import gymnasium
import pettingzoo

from pechvogel import __version__ as __version__

AEC_ID = "pechvogel/lucky-loser-v0"
SOLO_ID = "pechvogel/LuckyLoser-v0"

# Reloading the module must not warn about a second registration.
if AEC_ID not in pettingzoo.aec_registry:
    pettingzoo.register("aec", AEC_ID, "lucky_loser_env.lucky_loser_v0:env")
if SOLO_ID not in gymnasium.registry:
    gymnasium.register(SOLO_ID, "lucky_loser_env.solo:SoloEnv")
