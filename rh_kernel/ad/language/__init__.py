"""The language of ``%%lambda`` cells, which all systems of automatic differentiation share: a λ-calculus with arrays."""
