"""Rendering of recorded passes with their values and cotangents."""
