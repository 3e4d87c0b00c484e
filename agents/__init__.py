"""Everything that chooses actions."""
