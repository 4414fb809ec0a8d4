"""Inspection (Shift-Tab)."""
