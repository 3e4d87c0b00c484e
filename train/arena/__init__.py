"""Who is better."""
