"""Agents that play Pechvogel."""
