"""Rewriting of programs: algebraic simplification, linearity, decompositions; and listings of programs."""
