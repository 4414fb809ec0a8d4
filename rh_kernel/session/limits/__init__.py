"""Limits of cells: steps, sizes, seconds."""
