"""What is learned about Pechvogel alone: its exact solution, and studies of its agents."""
