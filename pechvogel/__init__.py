"""Games of bad luck as reinforcement-learning environments, with agents that play them.

Importing this changes nothing in your process and costs next to nothing: what works is in the packages below it
(`tabletop`, `agents`, `train`, `play`, and `cli` on top of them) and in the environments (`pechvogel_env`).
"""

__version__ = "0.3.0"
