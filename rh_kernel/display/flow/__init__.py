"""Rendering of recorded training runs: the diagram of a net, tinted by the sizes of values, cotangents and changes."""
