"""Rendering of results in ``%%eff`` cells."""
