"""The target language (CHAD §4): types, terms, what is well typed, and how it is written."""
