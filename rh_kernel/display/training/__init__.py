"""Rendering of training runs: progress, curves of the measures, and changes of the weights."""
