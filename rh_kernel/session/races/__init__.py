"""Races, ``%race train P with H1, H2 for …``: several handlers train from the same heap, and the heap stays as it was."""
