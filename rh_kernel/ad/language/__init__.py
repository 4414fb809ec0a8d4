"""The common language of the laboratory, the cells that begin with ``%%lambda``: a λ-calculus with arrays, no effects."""
