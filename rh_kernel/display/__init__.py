"""Rendering of results as text, HTML and JSON."""
