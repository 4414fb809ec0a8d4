"""Shift and Tab."""
