"""Compilation of EFF programs to the nodes and closures that the machine executes."""
