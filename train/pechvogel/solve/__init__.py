"""The exact solution of the two-player game, and what it tells."""
