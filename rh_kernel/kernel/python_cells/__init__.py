"""Cells of Python in the process of the kernel."""
