"""Unification of dimensions, shapes and types (LANGUAGE §2)."""
