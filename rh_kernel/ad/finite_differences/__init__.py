"""Finite differences: no derivative at all, and the judge of all the others."""
