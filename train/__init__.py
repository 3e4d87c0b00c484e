"""Learning, for every game that offers what a learner needs."""
