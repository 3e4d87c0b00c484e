"""Agents that play Lucky Loser."""

AGENTS = {
    "random": "pechvogel.agents.random:RandomAgent",
    "heuristic": "pechvogel.agents.lucky_loser.heuristic:HeuristicAgent",
    "ppo": "pechvogel.agents.lucky_loser.ppo:PpoAgent",
    "champion": "pechvogel.agents.lucky_loser.champion:ChampionAgent",
}
JUDGES = None  # the game is not solved
