"""Rendering of string diagrams (RH §6.1, §7.4) as SVG, TikZ, DOT, text and JSON."""
