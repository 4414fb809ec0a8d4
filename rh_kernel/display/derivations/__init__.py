"""Rendering of typing derivations (RH Fig. 2, 3) as text, HTML and LaTeX."""
