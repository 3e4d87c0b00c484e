"""Agents that play Pechvogel."""

AGENTS = {
    "random": "pechvogel.agents.random:RandomAgent",
    "heuristic": "pechvogel.agents.pechvogel.heuristic:HeuristicAgent",
    "planner": "pechvogel.agents.pechvogel.planner:PlannerAgent",
    "ppo": "pechvogel.agents.pechvogel.ppo:PpoAgent",
    "champion": "pechvogel.agents.pechvogel.champion:ChampionAgent",
    "optimal": "pechvogel.agents.pechvogel.optimal:OptimalAgent",
}
JUDGES = "pechvogel.agents.pechvogel.judges"  # who price decisions where the game is solved
