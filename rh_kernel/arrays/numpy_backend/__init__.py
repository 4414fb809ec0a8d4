"""Plans on NumPy: always there."""
