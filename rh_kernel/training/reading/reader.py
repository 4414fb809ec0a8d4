"""The protocol of readers of file formats: they report names, shapes and dtypes first, and then read arrays in blocks.

The caller gets control after each block, to handle interrupts and limits, so a block must take at most about 20 ms.
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

Blocks: TypeAlias = Generator[str | None, None, Value]
"""A read that yields after each block, with a text of how far it is if that is known."""

BLOCK = 1 << 20
"""The bytes of a block."""

MOST_AXES = 32
"""The most axes of an array; NumPy allows 64, of which batching needs some."""

MOST_BYTES = 1 << 62
"""The most bytes of an array, more than any machine can address."""

_LONGEST = 100
_SHOWN = 8


class Damaged(Exception):
    """The file is not of the format that its suffix says; the message is a part of a sentence."""


@dataclass(frozen=True, slots=True)
class Header:
    """The shape and dtype of an array in a file; ``called`` is the format's name of a dtype that NumPy lacks."""

    shape: tuple[int, ...]
    dtype: np.dtype[np.generic]
    called: str = ""

    @property
    def reals(self) -> int:
        """The number of entries."""
        return prod(self.shape)

    @property
    def is_real(self) -> bool:
        """Whether the entries are floating-point numbers, integers or Booleans."""
        return self.dtype.kind in "fiub"

    @property
    def entries(self) -> str:
        """The name of the dtype, for messages."""
        return self.called or shortened(str(self.dtype))

    def checked(self, name: str) -> "Header":
        """Return the header. Raises ``Damaged`` if no array can have its shape."""
        if len(self.shape) > MOST_AXES:
            raise Damaged(f"{name} has {len(self.shape)} axes")
        if min(self.shape, default=0) < 0 or prod(n for n in self.shape if n) * self.dtype.itemsize > MOST_BYTES:
            raise Damaged(f"{name} has the invalid shape {shortened(str(self.shape))}")
        return self


@dataclass(frozen=True, slots=True)
class ByteLimit:
    """The most reals that ``what`` may contain, a limit set ``by`` something; ``span`` is where the program names it.

    ``hint`` says what to do when there are more. So many reals of it are ``held`` already.
    """

    reals: int = 1 << 60
    by: str = "on this machine"
    what: str = "what is in the file"
    span: Span | None = None
    hint: str = "take fewer samples or smaller arrays, or allow more with `%limit bytes`"
    held: int = 0

    def allows(self, reals: int) -> bool:
        """Whether so many reals are within the limit."""
        return self.held + reals <= self.reals

    def check(self, reals: int, *, at_least: bool = False) -> None:
        """Raise ``Stuck`` (RH241) if so many reals, or ``at_least`` so many, exceed the limit."""
        if not self.allows(reals):
            raise too_large(self.held + reals, self.reals, self.what, self.span, self.by, self.hint, at_least=at_least)


UNBOUNDED = ByteLimit()
"""No limit."""


class Reader(Protocol):
    """An open file of named arrays."""

    @property
    def names(self) -> Sequence[str]:
        """The names of the arrays, in the order of the file."""
        ...

    def header(self, name: str) -> Header:
        """Return the shape and dtype of an array without reading it. Raises ``Damaged``."""
        ...

    def read(self, names: Sequence[str]) -> Blocks[dict[str, Array]]:
        """Return these arrays, which contain real numbers, in float64, each contiguous and writeable.

        Raises ``Damaged``, or ``Rejected`` if the error has a place in the file.
        """
        ...

    def close(self) -> None:
        """Close the file."""
        ...


@contextmanager
def as_damaged(array: str = "") -> Generator[None, None, None]:
    """Turn exceptions of a library within the block into ``Damaged``: a broken file may cause any of them.

    The message begins with the name of the array that is read, if there is one.
    """
    try:
        yield
    except (Failure, Damaged, MemoryError):
        raise
    except Exception as failure:
        where = f"`{shortened(array)}`: " if array else ""
        raise Damaged(where + error_text(failure)) from failure


def error_text(failure: Exception) -> str:
    """Return the message of an exception of a library or the system, on one line."""
    match failure:
        case OSError(strerror=str(text)) if text:
            return shortened(text)
        case UnicodeError():
            return shortened(str(failure))
        # Some errors of Python's parser have their position as a second argument.
        case Exception(args=(str(text), *_)) if text.strip():
            return shortened(text)
        case _:
            return shortened(str(failure)) or type(failure).__name__


def shortened(text: str) -> str:
    """Return the text on one line, truncated to what fits there."""
    line = " ".join(text.split())
    return line if len(line) <= _LONGEST else line[: _LONGEST - 1] + "…"


def first_names(names: Iterable[str]) -> str:
    """Return the first of the names, for messages."""
    first = [shortened(name) for name in islice(names, _SHOWN + 1)]
    return ", ".join(first[:_SHOWN]) + (", …" if len(first) > _SHOWN else "")


def store(values: npt.NDArray[np.generic], array: Array, start: int, *, fortran: bool = False) -> None:
    """Write values into ``array`` as float64 from the entry ``start`` on, in C order or in ``fortran`` order."""
    with np.errstate(all="ignore"):
        if fortran:
            array.T.flat[start : start + values.size] = values
        else:
            array.reshape(-1)[start : start + values.size] = values
