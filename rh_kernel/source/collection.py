"""Python's search for cycles of objects, put off while many are made that have none."""

import gc
from collections.abc import Generator
from contextlib import contextmanager


@contextmanager
def put_off() -> Generator[None, None, None]:
    """Trees have no cycles, and a search goes through all that have been made so far, again and again as they get more.

    What is searched for meanwhile in another thread is found when this is over.
    """
    if not gc.isenabled():
        yield
        return
    gc.disable()
    try:
        yield
    finally:
        gc.enable()
