"""Readers of files of named arrays, one module for each format; they report shapes first, and read in blocks."""
