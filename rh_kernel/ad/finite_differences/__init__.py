"""Gradients by finite differences, which use no derivative rule, as a reference for the other systems."""
