"""Directives (LANGUAGE §6): which there are, and what each of them finds out or does."""
