"""What every reader of a file format does: it tells names, shapes and dtypes first, and then reads arrays in blocks.

Whoever runs a read gets the turn after each block, to look at interrupts and limits; so a block takes some 20 ms at most.
"""

from collections.abc import Generator, Iterable, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from itertools import islice
from math import prod
from typing import Protocol, TypeAlias, TypeVar

import numpy as np
import numpy.typing as npt

from rh_kernel.source.diagnostic import Failure
from rh_kernel.source.span import Span
from rh_kernel.syntax.core import Array
from rh_kernel.syntax.runtime_errors import too_large

Value = TypeVar("Value")

Blocks: TypeAlias = Generator[None, None, Value]
"""A read that pauses after each block."""

BLOCK = 1 << 20
"""Bytes that are read between two pauses."""

MOST_AXES = 32
"""An array of more axes is taken for a damaged one; NumPy allows 64, and a batch adds its own."""

MOST_BYTES = 1 << 62
"""More than any machine can address."""

_LONGEST = 100
_SHOWN = 8


class Damaged(Exception):
    """The file is not what its name says; the words tell what is wrong, as a part of a sentence."""


@dataclass(frozen=True, slots=True)
class Header:
    """What a file says of an array: its shape, and the dtype in which it is stored; ``called`` if NumPy does not have it."""

    shape: tuple[int, ...]
    dtype: np.dtype[np.generic]
    called: str = ""

    @property
    def reals(self) -> int:
        """How many entries the array has."""
        return prod(self.shape)

    @property
    def is_real(self) -> bool:
        """Whether the entries are real numbers: floating-point numbers, integers or truth values."""
        return self.dtype.kind in "fiub"

    @property
    def entries(self) -> str:
        """What the entries are, in the words of the format."""
        return self.called or shown(str(self.dtype))

    def checked(self, name: str) -> "Header":
        """The header itself. Raises ``Damaged`` if no array can have such a shape."""
        if len(self.shape) > MOST_AXES:
            raise Damaged(f"{name} has {len(self.shape)} axes")
        if min(self.shape, default=0) < 0 or prod(n for n in self.shape if n) * self.dtype.itemsize > MOST_BYTES:
            raise Damaged(f"{name} has the invalid shape {shown(str(self.shape))}")
        return self


@dataclass(frozen=True, slots=True)
class ByteLimit:
    """How many reals there may be, a bound set ``by`` something; ``what`` is to be read, and is named at ``span``."""

    reals: int = 1 << 60
    by: str = "on this machine"
    what: str = "what is in the file"
    span: Span | None = None

    def check(self, reals: int, *, at_least: bool = False) -> None:
        """Raises ``Stuck`` (RH241) if so many reals, or ``at_least`` so many, are too many."""
        if reals > self.reals:
            hint = "take fewer samples or smaller arrays, or allow more with `%limit bytes`"
            raise too_large(reals, self.reals, self.what, self.span, self.by, hint, at_least=at_least)


UNBOUNDED = ByteLimit()
"""ByteLimit for whatever the machine can hold."""


class Reader(Protocol):
    """A file that is open, with its arrays by name."""

    @property
    def names(self) -> Sequence[str]:
        """The names of the arrays, in the order of the file."""
        ...

    def header(self, name: str) -> Header:
        """Shape and dtype of an array, which is not read for it. Raises ``Damaged``."""
        ...

    def read(self, names: Sequence[str]) -> Blocks[dict[str, Array]]:
        """These arrays in float64, each contiguous and writeable. They hold real numbers, as their headers say.

        Raises ``Damaged``, and ``Rejected`` where the place in the file can be told.
        """
        ...

    def close(self) -> None:
        """Let go of the file."""
        ...


def at_once(blocks: Generator[object, None, Value]) -> Value:
    """What a read returns, if nobody wants the turn in between."""
    while True:
        try:
            next(blocks)
        except StopIteration as end:
            return end.value


@contextmanager
def damage_told() -> Generator[None, None, None]:
    """Inside, whatever a library says about a broken file becomes ``Damaged``: it may stumble over one in any way."""
    try:
        yield
    except (Failure, Damaged, MemoryError):
        raise
    except Exception as failure:
        raise Damaged(said(failure)) from failure


def said(failure: Exception) -> str:
    """What a library or the system says about a failure, on one line."""
    match failure:
        case OSError(strerror=str(words)) if words:
            return shown(words)
        # Some errors of Python's parser have the place in its text behind the words.
        case Exception(args=(str(words), *_)) if words.strip():
            return shown(words)
        case _:
            return shown(str(failure)) or type(failure).__name__


def shown(text: str) -> str:
    """The text on one line, cut to what fits there."""
    line = " ".join(text.split())
    return line if len(line) <= _LONGEST else line[: _LONGEST - 1] + "…"


def listed(names: Iterable[str]) -> str:
    """The first of the names, as a message shows them."""
    first = [shown(name) for name in islice(names, _SHOWN + 1)]
    return ", ".join(first[:_SHOWN]) + (", …" if len(first) > _SHOWN else "")


def put(values: npt.NDArray[np.generic], array: Array, start: int, *, fortran: bool = False) -> None:
    """Write values into ``array`` as float64 from the entry ``start`` on, in the order in which they are stored."""
    with np.errstate(all="ignore"):
        if fortran:
            array.T.flat[start : start + values.size] = values
        else:
            array.reshape(-1)[start : start + values.size] = values
