"""Published systems of automatic differentiation for one common λ-calculus, and EFF.

Each system is a package that imports the common language, ``ad/language``, and no other system; ``ad/registry.py`` lists them.
"""
