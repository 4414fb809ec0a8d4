"""Typing derivations of core trees (RH Fig. 2, 3), their side conditions and their measures (RH Fig. 4, 5)."""
