"""Export of notebooks as self-contained pages: ``jupyter nbconvert --to rh_html lesson.ipynb``."""
