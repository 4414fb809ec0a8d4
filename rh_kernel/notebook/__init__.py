"""The language from Python: ``%%rh`` in an ordinary notebook, and functions whose results a notebook displays (LANGUAGE §6)."""
