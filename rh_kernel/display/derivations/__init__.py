"""Derivations (RH Fig. 2, 3): which part is shown, in which words, as text, HTML and LaTeX."""
