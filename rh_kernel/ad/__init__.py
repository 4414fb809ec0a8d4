"""The laboratory: published systems of automatic differentiation, on one common language (``ad/language``).

Each system is a package that knows the common language and no other system; ``ad/systems.py`` lists them.
"""
