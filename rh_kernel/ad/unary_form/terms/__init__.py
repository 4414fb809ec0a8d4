"""Source and Target: types, terms, what is well typed, values, and how terms are written."""
