"""Suspend Python's cyclic garbage collector while many objects without cycles are created."""

import gc
from collections.abc import Generator
from contextlib import contextmanager

MANY = 100_000
"""More new objects than this are not scanned at once: that takes about 20 ms, during which no interrupt is handled."""


@contextmanager
def gc_paused() -> Generator[None, None, None]:
    """Disable the cyclic garbage collector within the block: trees have no cycles, yet it would scan all of them repeatedly.

    Cycles created meanwhile by other threads are collected after the block. If there are then more than ``MANY`` new objects,
    they are moved to the oldest generation: otherwise the next young collection would scan all that are alive, as when an
    exception holds on to them.
    """
    if not gc.isenabled():
        yield
        return
    gc.disable()
    try:
        yield
    finally:
        if gc.get_count()[0] > MANY:
            # `freeze` and `unfreeze` move objects to the oldest generation without visiting them.
            gc.freeze()
            gc.unfreeze()
        gc.enable()
