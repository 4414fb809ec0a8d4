"""String diagrams (RH §6.1, §7.4) drawn: for Graphviz, as SVG, as TikZ, as text, as plain data."""
