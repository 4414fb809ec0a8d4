"""The types and effects of EFF (Sigal 2024, Figs. 7.13, 7.14), and what is said where there are none."""
