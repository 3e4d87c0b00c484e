"""Lucky Loser at the table: what `play` needs of it."""
