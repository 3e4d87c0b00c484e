"""The rest of a turn, exactly."""
