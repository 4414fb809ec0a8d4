"""Plans: a program for a known number of samples, as loops over strided views of buffers.

Where a program (``arrays.program``) says *what* is computed, a plan says *where*: each array is a view of a buffer, so that
transposes, slices, windows and what is repeated are no steps at all, and the buffers are found once, before the first run. Four
loops are enough for Σ_fun: entry by entry (``Map``), along axes (``Reduce``), sums of products (``Contract``), and by a table
(``Gather``). What has no loop is called as it is (``Call``).

The steps run in order. An output of a ``Map`` may be the very view that it reads; otherwise no step reads what it writes, but
for what ``accumulate`` says. Numbers of entries, never of bytes, count offsets, strides and sizes.
"""

from collections.abc import Iterator
from enum import Enum, auto
from math import copysign, prod
from typing import Literal as OneOf
from typing import TypeAlias

import numpy as np
import numpy.typing as npt

from rh_kernel.loops.scalars import ScalarOp
from rh_kernel.source.records import frozen
from rh_kernel.source.span import Span
from rh_kernel.syntax.core import Array, Primitive
from rh_kernel.syntax.signature import Location

Extent: TypeAlias = tuple[int, ...]
"""The shape of an array."""
Precision: TypeAlias = OneOf["float64", "float32"]
Integers: TypeAlias = npt.NDArray[np.intp]

# ------------------------------------------------------------------------------------------ buffers


@frozen
class Input:
    """The array number ``position`` that a run is given, in row-major order, samples first; only read. It may have a name."""

    position: int
    size: int
    name: str = ""


@frozen
class Content:
    """What the heap holds at a location. At the end of a run it is what the program wrote there."""

    location: Location
    size: int


@frozen
class Kept:
    """A constant or a margin: it starts as ``array`` (one axis), and what a run writes there is there in the next run too"""

    array: Array

    @property
    def size(self) -> int:
        """The number of entries."""
        return self.array.size


@frozen
class Scratch:
    """``size`` entries of the one array that all scratch buffers share, from entry ``start`` on"""

    start: int
    size: int


Buffer: TypeAlias = Input | Content | Kept | Scratch


@frozen
class View:
    """The array whose entry at (i₁, …, iₙ) is entry ``offset + i₁ s₁ + … + iₙ sₙ`` of the buffer with that number"""

    buffer: int
    offset: int
    shape: Extent
    strides: tuple[int, ...]


# -------------------------------------------------------------------------------------------- steps


@frozen
class Number:
    """A literal. 0.0 and −0.0 are two."""

    value: float

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, Number):
            return NotImplemented
        return self.value == other.value and copysign(1.0, self.value) == copysign(1.0, other.value)

    def __hash__(self) -> int:
        return hash(self.value)


@frozen
class Instruction:
    """``f(v₁, …, vₙ)`` for values computed before"""

    function: ScalarOp
    arguments: tuple[int, ...]


@frozen
class Store:
    """``view ← value``, or ``view += value``; ``value`` is the number of an entry's value. No two entries lie at one place."""

    view: View
    value: int
    accumulate: bool = False


@frozen
class Map:
    """For each index into ``shape``: read the arguments, compute the body, store.

    All views have that shape. The values are numbered: those of the arguments first, then those of the body in order.
    """

    shape: Extent
    arguments: tuple[View, ...]
    body: tuple[Number | Instruction, ...]
    stores: tuple[Store, ...]


class Fold(Enum):
    """What a ``Reduce`` makes of many numbers"""

    SUM = auto()
    MAX = auto()  # nan if one is
    ARGMAX = auto()  # the place of the first largest one, in row-major order; of the first nan if there is one


@frozen
class Reduce:
    """``output[i] = scale · fold over j of argument[i, j]``: the argument has further axes j after those of the output"""

    fold: Fold
    output: View
    argument: View
    scale: float = 1.0


@frozen
class Contract:
    """``output += scale · left · right`` at each index into ``extents``; if not ``accumulate``, the output is 0.0 before.

    All views have the shape ``extents``. The output's stride is 0 along the axes that are summed over, a factor's along those
    that it does not depend on. So a product of matrices is ``extents = (m, n, k)`` with output (·, ·, 0), left (·, 0, ·), right
    (0, ·, ·). Axes of extent 1 are left out. Entries of the output may coincide for several indices: then their sum is there.
    """

    extents: Extent
    output: View
    left: View
    right: View
    scale: float = 1.0
    accumulate: bool = False


@frozen
class Gather:
    """``output[i, j] = Σₗ argument[i, table[j, l]]`` along the last axis; where the table has −1 there is nothing to add

    The sum begins with 0.0, but a table with one column says what is copied.
    """

    output: View
    argument: View
    table: Integers

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, Gather):
            return NotImplemented
        return (self.output, self.argument) == (other.output, other.argument) and np.array_equal(self.table, other.table)

    def __hash__(self) -> int:
        return hash((self.output, self.argument, self.table.shape))


@frozen
class Call:
    """``output = function(arguments)`` by the function's own kernel, samples in front where there are any"""

    function: Primitive
    output: View
    arguments: tuple[View, ...]


@frozen
class Check:
    """Stuck unless ``function`` is smooth at the arguments (RH Def. E.4); it stands at ``span``"""

    function: Primitive
    arguments: tuple[View, ...]
    span: Span | None


Step: TypeAlias = Map | Reduce | Contract | Gather | Call | Check
Leaf: TypeAlias = "View | tuple[Leaf, ...]"


@frozen
class Plan:
    """What one run does, for ``samples`` samples (``None``: no input is batched), in one precision.

    ``scratch`` is the size of the array that the scratch buffers share. After a run ``result`` holds the program's result, as a
    tree of views, and the content of each location in ``writes`` is new. ``inputs`` are the shapes of what a run is given.
    """

    precision: Precision
    samples: int | None
    inputs: tuple[Extent, ...]
    buffers: tuple[Buffer, ...]
    scratch: int
    steps: tuple[Step, ...]
    result: Leaf
    writes: tuple[Location, ...]

    @property
    def size(self) -> int:
        """How many reals a run holds beside its inputs and the heap, its result among them."""
        kept = sum(buffer.size for buffer in self.buffers if isinstance(buffer, Kept))
        return self.scratch + kept + sum(prod(view.shape) for view in views(self.result))

    @property
    def touched(self) -> int:
        """How many reals a run works on: what it holds, its inputs, and the contents that it reads or writes."""
        return self.size + sum(buffer.size for buffer in self.buffers if isinstance(buffer, Input | Content))


def views(leaf: Leaf) -> Iterator[View]:
    """The views of a result from left to right."""
    if isinstance(leaf, tuple):
        for part in leaf:
            yield from views(part)
    else:
        yield leaf
