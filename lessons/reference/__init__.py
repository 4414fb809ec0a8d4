"""The reference: the pages of ``lessons/appendix``, the parts of which that follow from the code are written by it.

``python -m lessons.reference`` writes them, and with ``--check`` only tells which are not as the code has them.
"""
