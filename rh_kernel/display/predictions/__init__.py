"""The views of ``%confusion`` and ``%sees``."""
