"""Parser from text to surface syntax (LANGUAGE §1, §6): tokens, items, and one function for each syntactic category."""
