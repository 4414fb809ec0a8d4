"""Data sets, the training loop, and what it tells while it runs (LANGUAGE §6)."""
