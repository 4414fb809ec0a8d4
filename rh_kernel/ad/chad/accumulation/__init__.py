"""Reverse derivatives that add to accumulators (Efficient CHAD)."""
