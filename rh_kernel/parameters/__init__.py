"""Parameters of notebooks, written as declarations of the language (LANGUAGE §3)."""
