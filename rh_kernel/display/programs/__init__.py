"""Rendering of the results of ``%compile``: programs, compiler passes and profiles."""
