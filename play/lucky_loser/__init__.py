"""Lucky Loser at a table of people and agents."""
