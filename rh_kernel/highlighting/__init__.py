"""Syntax highlighting: one classification of tokens, for Pygments and the export; tests compare the editor's with it."""
