"""Finding the unknown dimensions, shapes and types of a program (LANGUAGE §2)."""
