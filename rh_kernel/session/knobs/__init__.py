"""Knobs: named numbers that are changed in the page, by ``%slider`` and ``%knob``, and the items that run again then."""
