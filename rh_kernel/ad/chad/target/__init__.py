"""The target language (CHAD §4): types, terms, traversal and printing."""
