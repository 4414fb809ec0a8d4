"""Data sets, the training loop, and the events it emits (LANGUAGE §6)."""
