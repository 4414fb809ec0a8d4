"""Symbolic execution: run a command once, on registers in place of arrays, and record the equations it computes."""
