"""Reverse mode directly on Source, and the pullbacks of all operations."""
