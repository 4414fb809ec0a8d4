"""Unary form: terms without variables, there and back, and reverse mode on it."""
