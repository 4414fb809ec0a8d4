"""Python's search for cycles of objects, put off while many are made that have none."""

import gc
from collections.abc import Generator
from contextlib import contextmanager

MANY = 100_000
"""So many new objects are not searched at once: that takes about 20 ms, in which no interrupt is heard."""


@contextmanager
def put_off() -> Generator[None, None, None]:
    """Trees have no cycles, and a search goes through all that have been made so far, again and again as they get more.

    What is searched for meanwhile in another thread is found when this is over. If there are then ``MANY`` new objects, they
    count as old: the next small search would go through all of them, and they are alive where an exception holds on to them.
    """
    if not gc.isenabled():
        yield
        return
    gc.disable()
    try:
        yield
    finally:
        if gc.get_count()[0] > MANY:
            # Frozen and thawed objects are in the oldest generation; neither looks at a single one of them.
            gc.freeze()
            gc.unfreeze()
        gc.enable()
