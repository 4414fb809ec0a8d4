"""Rendering of results in ``%%lambda`` cells: values, comparisons of AD systems, traces, and growth of counts."""
