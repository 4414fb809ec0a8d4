"""Automatic differentiation by effect handlers (Sigal 2024, ch. 4 and 5), as programs of EFF."""
