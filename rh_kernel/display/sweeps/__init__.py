"""Rendering of sweeps: a table of the runs, and plots of their measures."""
