"""Source for a program of the common language."""
