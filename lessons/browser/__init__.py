"""Builds the browser edition: JupyterLite with the lessons; its Python runs in the page and asks no other machine for anything.

``python -m lessons.browser OUT`` tells what it does. The pieces: ``distribution`` gets Pyodide, checked against the sums in
``pyodide.json``; ``wheels`` adds this package and what it needs to it; ``site`` puts JupyterLite and the notebooks around them.
"""
