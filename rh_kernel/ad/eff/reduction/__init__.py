"""The reduction of EFF by small steps (Sigal 2024, Figs. 7.4, 7.11, 7.20), and its traces."""
