"""Notebooks with parameters: what is given from outside, as declarations of the language (LANGUAGE §3)."""
