"""Notebooks as pages that need nothing but themselves: ``jupyter nbconvert --to rh_html lesson.ipynb``."""
