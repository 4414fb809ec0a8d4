"""Traces (RH Fig. 8): what is marked and what is left out in a step, as text and as HTML."""
