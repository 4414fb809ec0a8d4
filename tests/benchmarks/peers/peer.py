"""A peer: one way to train a network, as an expert of its library would write it for this network and no other."""

import os
import time
from collections.abc import Callable
from dataclasses import dataclass
from typing import Literal as OneOf
from typing import Protocol, TypeAlias

import numpy as np

from tests.benchmarks.problems import Arrays, Floats, Problem

Precision: TypeAlias = OneOf["float64", "float32"]

LINE = 64
"""Bytes of a line of the cache, and of the widest vector."""


class Trainer(Protocol):
    """A network in training."""

    def run(self, steps: int) -> None:
        """So many steps, all done when it returns."""
        ...

    def weights(self) -> tuple[Floats, ...]:
        """The weights as they are now, as NumPy arrays."""
        ...


class Unavailable(Exception):
    """This peer is not installed, or has no way to do what is asked."""


Build: TypeAlias = Callable[[Problem, Arrays, Precision], Trainer]


@dataclass(frozen=True, slots=True)
class Peer:
    """``build`` makes a trainer from float64 arrays, which are left as they are, or raises ``Unavailable``.

    Those ``on_demand`` take minutes to make, and take part only if they are asked for.
    """

    name: str
    build: Build
    on_demand: bool = False


def aligned(array: Floats, precision: Precision) -> Floats:
    """Return a copy that begins at a cache line, as arrays of PyTorch and JAX do."""
    room = np.empty(array.size * np.dtype(precision).itemsize + LINE, np.uint8)
    start = -room.ctypes.data % LINE
    copy = room[start : start + array.size * np.dtype(precision).itemsize].view(precision).reshape(array.shape)
    copy[...] = array
    return copy


def clock() -> float:
    """Seconds of the processor with one thread, so that others on the same core do not count; of the clock with more."""
    return time.process_time() if os.environ.get("OMP_NUM_THREADS") == "1" else time.perf_counter()


def seconds(trainer: Trainer, steps: int) -> float:
    """What so many steps take: what the trainer says itself, if it knows better than the clock."""
    own = getattr(trainer, "seconds", None)
    if own is not None:
        return own(steps)
    began = clock()
    trainer.run(steps)
    return clock() - began
