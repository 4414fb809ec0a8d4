"""Unary form: terms without variables, the translations to and from it, and reverse mode on it."""
