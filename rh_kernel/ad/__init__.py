"""Published systems of automatic differentiation for one common λ-calculus (``ad/language``), and their comparison.

Each system is a package that imports the common language and no other system; ``ad/registry.py`` lists them.
"""
