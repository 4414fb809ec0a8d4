"""The session from Python, and what a notebook is shown of it: one interface for scripts, notebooks and the kernel."""
