"""Explanations of type errors: what was meant, where the types come from, how to fix it."""
