"""Partial evaluation, and the rules of the optimiser (Fig. 12)."""
