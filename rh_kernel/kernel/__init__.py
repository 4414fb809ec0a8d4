"""Jupyter messages, and nothing else: what a cell means is the session's business, what it looks like the display's."""
