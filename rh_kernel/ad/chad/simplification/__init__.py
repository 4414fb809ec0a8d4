"""Derivatives made readable, at no cost (CHAD App. B)."""
