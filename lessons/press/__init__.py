"""Sets the texts of the lessons: as notebooks for a reader and for a teacher, as a run that proves them, and as a book.

``python -m lessons.press`` tells what it can do. The texts, ``lessons/NN-name.md``, are the source, and everything
here is made from them.
"""
