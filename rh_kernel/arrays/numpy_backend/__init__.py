"""The NumPy back end, which is always available."""
