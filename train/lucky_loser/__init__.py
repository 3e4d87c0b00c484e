"""Learning that is Lucky Loser's own."""
