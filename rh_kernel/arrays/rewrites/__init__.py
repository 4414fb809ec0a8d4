"""Programs as equations: what holds of them whatever they are run on, and how they are read."""
