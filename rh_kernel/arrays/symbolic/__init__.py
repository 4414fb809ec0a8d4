"""Symbolic execution: a command is run once on slots in place of arrays, and leaves the equations that it would compute."""
