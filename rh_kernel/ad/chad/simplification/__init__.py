"""Simplification of derivatives (CHAD App. B)."""
