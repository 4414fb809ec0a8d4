"""The compiled reading: a command becomes a straight-line array program, once, and runs on arrays as often as one likes."""
