"""People and agents at one table."""
