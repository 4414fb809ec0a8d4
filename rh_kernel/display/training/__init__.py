"""Training runs: how far, how fast, the curves, and what became of the weights."""
