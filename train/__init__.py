"""Training, tournaments and the solver."""
