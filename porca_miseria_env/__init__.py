"""Porca Miseria: a card game of eyes and hands, as a reinforcement-learning environment.

    from porca_miseria_env import porca_miseria_v0
    env = porca_miseria_v0.parallel_env(num_players=3)

Importing this package registers `pettingzoo.make("aec" or "parallel", "pechvogel/porca-miseria-v0")` and
`gymnasium.make("pechvogel/PorcaMiseria-v0")`. The compiled engine is loaded only when it is used.
"""
