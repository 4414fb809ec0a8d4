"""Kernels that are forked from a process in which everything has been imported already. Linux, and only if one asks for it."""
