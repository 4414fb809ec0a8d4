"""The loop IR: a plan is a program for a fixed number of samples, as loops over strided views of buffers.

A program (``arrays.program``) determines *what* is computed, a plan *where*: each array is a view of a buffer. So transposes,
slices, windows and broadcasts need no steps, and all buffers are allocated before the first run. Five kinds of loops suffice
for Σ_fun: entrywise (``Map``), along axes (``Reduce``), sums of products (``Contract``), indexed by a table (``Gather``), and
indexed by an array that is computed (``GatherAt``, ``ScatterAdd``). Symbols without a loop are called through their kernels
(``Call``).

The steps run in order. An output of a ``Map`` may be one of the views that it reads; otherwise, a step reads nothing that it
writes, except to ``accumulate``. Offsets, strides and sizes are counted in entries, never in bytes.
"""

from collections.abc import Iterable, Iterator
from enum import Enum, auto
from math import copysign, prod
from typing import Literal as OneOf
from typing import TypeAlias

import numpy as np
import numpy.typing as npt

from rh_kernel.loops.scalars import ScalarOp
from rh_kernel.loops.trees import Tree, leaves
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
    """Input number ``position`` of a run, row-major with the samples first; read-only. ``name`` may be empty."""

    position: int
    size: int
    name: str = ""


@frozen
class Content:
    """The content of a location in the heap; a run leaves the new content here"""

    location: Location
    size: int


@frozen
class Kept:
    """A buffer that persists between runs, a constant or the margins of a padded array; ``array`` is its initial content"""

    array: Array

    @property
    def size(self) -> int:
        """The number of entries."""
        return self.array.size


@frozen
class Scratch:
    """``size`` entries, from entry ``start`` on, of the array that all scratch buffers share"""

    start: int
    size: int


@frozen
class Row:
    """The row of an array that a round of a loop works on, part of another buffer"""

    size: int


Buffer: TypeAlias = Input | Content | Kept | Scratch | Row


@frozen
class View:
    """The array whose entry at (i₁, …, iₙ) is entry ``offset + i₁ s₁ + … + iₙ sₙ`` of buffer number ``buffer``"""

    buffer: int
    offset: int
    shape: Extent
    strides: tuple[int, ...]


# -------------------------------------------------------------------------------------------- steps


@frozen
class Number:
    """A literal; 0.0 and −0.0 are different"""

    value: float

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, Number):
            return NotImplemented
        return self.value == other.value and copysign(1.0, self.value) == copysign(1.0, other.value)

    def __hash__(self) -> int:
        return hash(self.value)


@frozen
class Instruction:
    """``f(v₁, …, vₙ)`` for values computed earlier, by their numbers"""

    function: ScalarOp
    arguments: tuple[int, ...]


@frozen
class Store:
    """``view ← value``, or ``view += value``, for value number ``value``; no two entries of the view share a location"""

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
    """The operation of a ``Reduce``"""

    SUM = auto()
    MAX = auto()  # nan if any entry is nan
    ARGMAX = auto()  # the row-major index of the first largest entry, or of the first nan


@frozen
class Reduce:
    """``output[i] = scale · fold over j of argument[i, j]``: the argument has further axes j after those of the output"""

    fold: Fold
    output: View
    argument: View
    scale: float = 1.0


@frozen
class Contract:
    """``output += scale · left · right`` at each index into ``extents``; unless ``accumulate``, the output is first set to 0.0

    All views have the shape ``extents``. The output has stride 0 along the summed axes, a factor along the axes that it does
    not depend on; so a matrix product is ``extents = (m, n, k)`` with output (·, ·, 0), left (·, 0, ·), right (0, ·, ·). Axes
    of extent 1 are omitted. If entries of the output coincide for several indices, their sum is stored.
    """

    extents: Extent
    output: View
    left: View
    right: View
    scale: float = 1.0
    accumulate: bool = False


@frozen
class Gather:
    """``output[i, j] = Σₗ argument[i, table[j, l]]`` along the last axis; entries −1 of the table are skipped

    The sum starts from 0.0, except that a table with one column copies entries.
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
class GatherAt:
    """``output[i] = argument[i, index[i]]``: the argument has the rows as a further, last axis

    The index has the shape of the output. An entry of it that is no number of a row counts as the nearest one, nan as 0.
    """

    output: View
    argument: View
    index: View


@frozen
class ScatterAdd:
    """``output[i, index[i]] += argument[i]`` for each i, in row-major order, in an output that is first set to 0.0

    The output has the rows as a further, last axis, and stride 0 along the axes of the argument that are summed. An entry of
    the index that is no number of a row counts as the nearest one, nan as 0.
    """

    output: View
    argument: View
    index: View


@frozen
class IndexCheck:
    """Raises ``Stuck``, located at ``span``, unless the entries of the index are whole numbers from 0 to ``rows`` − 1

    It does so at this step, or, in machine code, after the run.
    """

    index: View
    rows: int
    span: Span | None


@frozen
class Call:
    """``output = function(arguments)`` by the function's NumPy or CuPy kernel; batched arrays have the samples first"""

    function: Primitive
    output: View
    arguments: tuple[View, ...]


@frozen
class Check:
    """Raises ``Stuck`` unless ``function``, which is called at ``span``, is smooth at the arguments (RH Def. E.4)

    ``shown`` is the name in errors, if it is not that of the function.
    """

    function: Primitive
    arguments: tuple[View, ...]
    span: Span | None
    shown: str = ""


@frozen
class Rows:
    """In the first round, the row in buffer number ``buffer`` is at ``first``; in each further one, ``stride`` entries on."""

    buffer: int
    first: View
    stride: int


@frozen
class Loop:
    """``rounds`` times ``steps``; in each round, the buffers of ``rows`` are other parts of other buffers"""

    rounds: int
    rows: tuple[Rows, ...]
    steps: "tuple[Step, ...]"


Step: TypeAlias = Map | Reduce | Contract | Gather | GatherAt | ScatterAdd | IndexCheck | Call | Check | Loop
Views: TypeAlias = "Tree[View]"


def simple_steps(steps: Iterable[Step]) -> Iterator[Step]:
    """Yield the steps, and in place of each loop the steps of a round."""
    for step in steps:
        if isinstance(step, Loop):
            yield from simple_steps(step.steps)
        else:
            yield step


@frozen
class Plan:
    """One run of a program for ``samples`` samples (``None`` if no input is batched), in one precision.

    ``inputs`` are the shapes of the inputs; ``scratch`` is the size of the array that the scratch buffers share. After a run,
    ``result`` has the program's result, as a tree of views, and the locations in ``writes`` have their new contents.
    """

    precision: Precision
    samples: int | None
    inputs: tuple[Extent, ...]
    buffers: tuple[Buffer, ...]
    scratch: int
    steps: tuple[Step, ...]
    result: Views
    writes: tuple[Location, ...]

    @property
    def size(self) -> int:
        """The number of reals that a run holds besides its inputs and the heap, including its result."""
        kept = sum(buffer.size for buffer in self.buffers if isinstance(buffer, Kept))
        return self.scratch + kept + sum(prod(view.shape) for view in leaves(self.result))

    @property
    def touched(self) -> int:
        """The number of reals that a run accesses: what it holds, its inputs, and the contents that it reads or writes."""
        return self.size + sum(buffer.size for buffer in self.buffers if isinstance(buffer, Input | Content))
