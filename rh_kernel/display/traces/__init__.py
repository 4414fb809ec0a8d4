"""Traces (RH Fig. 8): marks, cropping of large states, and rendering as text, HTML and records."""
