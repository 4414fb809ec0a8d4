"""Syntax highlighting of programs, for Pygments, the export and the editor."""
