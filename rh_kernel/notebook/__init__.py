"""RH in IPython: ``%%rh`` in a Python notebook, and functions whose results the notebook displays (LANGUAGE §6)."""
