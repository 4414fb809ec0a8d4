"""Rendering of races: their curves in one picture, their paths on the loss, and the clauses in which they differ."""
