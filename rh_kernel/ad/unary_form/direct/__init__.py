"""Reverse mode straight from Source, with the pullbacks of all operations."""
