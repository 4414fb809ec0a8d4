"""``Γ ; ◇ ⊢ P : A`` for b samples of Γ at once: the mean of the b heap changes, or the sum of the b results (LANGUAGE §6).

A batch runs in pieces that stay in the processor's caches, whatever its size: the pieces start from the same heap, and the mean
of the batch is the mean of theirs, each weighted with its share.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace

import numpy as np
import numpy.typing as npt

from rh_kernel.arrays.batch import batched
from rh_kernel.arrays.builder import LONGEST
from rh_kernel.arrays.compile import compile_command
from rh_kernel.arrays.running import Prepared, prepare
from rh_kernel.arrays.program import Program
from rh_kernel.arrays.storage import peak
from rh_kernel.source.diagnostic import Rejected
from rh_kernel.syntax.core import Array, Command
from rh_kernel.syntax.signature import Location
from rh_kernel.syntax.stuck import too_large
from rh_kernel.syntax.types import Type
from rh_kernel.training.errors import NoSuchArray
from rh_kernel.training.samples import DataSet

Heap = Mapping[Location, Array]
Rows = slice | npt.NDArray[np.intp]

PIECE = 1 << 16
"""How many reals the equations of a piece hold all at once; more where there is more to do after the mean is taken."""


@dataclass(frozen=True, slots=True)
class Batches:
    """A command made ready for batches of its data; ``piece`` is the largest number of samples to run at once."""

    run: Prepared
    inputs: tuple[Array, ...]
    size: int
    piece: int
    writes: tuple[Location, ...]

    def changes(self, rows: Rows, heap: Heap) -> dict[Location, Array]:
        """The new contents after the samples ``rows`` all ran from ``heap``: the mean of theirs, location by location."""
        return self.run(self._samples(rows), heap)[1]

    def total(self, rows: Rows, heap: Heap) -> float:
        """The sum of the results, of type ``Real(1)``, of the samples ``rows``."""
        result, _ = self.run(self._samples(rows), heap)
        return float(np.sum(np.asarray(result)))

    def _samples(self, rows: Rows) -> list[Array]:
        if isinstance(rows, slice):
            return [array[rows] for array in self.inputs]
        return [array.take(rows, axis=0) for array in self.inputs]


def for_changes(
    P: Command,
    sample: Sequence[tuple[str, Type]],
    data: DataSet,
    reals: int = 1 << 40,
    *,
    strict: bool = False,
    longest: int = LONGEST,
) -> Batches:
    """P, of whose run only the heap changes are wanted; its loose indices are the sample's names, the last one is index 0.

    Raises ``Rejected`` if the data has no such samples, ``Stuck`` if P cannot be compiled or holds more than ``reals``.
    """
    program = _compiled(P, sample, data, strict=strict, longest=longest)
    return _batches(replace(program, result=()), [name for name, _ in sample], data, reals)


def for_results(
    P: Command, names: Sequence[str], data: DataSet, reals: int = 1 << 40, *, strict: bool = False, longest: int = LONGEST
) -> Batches:
    """P, of whose run only the result is wanted, at whatever types the data has. Raises as ``for_changes`` does."""
    program = _compiled(P, [(name, None) for name in names], data, strict=strict, longest=longest)
    return _batches(replace(program, writes=()), names, data, reals)


def weighted_sum(left: Mapping[Location, Array] | None, right: Mapping[Location, Array], share: float) -> dict[Location, Array]:
    """``left + share · right`` for each location; ``left`` may be nothing yet."""
    if left is None:
        return {location: share * array for location, array in right.items()}
    return {location: left[location] + share * array for location, array in right.items()}


def _compiled(P: Command, sample: Sequence[tuple[str, Type | None]], data: DataSet, *, strict: bool, longest: int) -> Program:
    return compile_command(P, tuple([_type(data, name, A) for name, A in sample]), strict=strict, longest=longest)


def _type(data: DataSet, name: str, A: Type | None) -> Type:
    B = data.types.get(name)
    if B is None or A not in (None, B):
        found = "no such array" if B is None else f"`{name}` of type {B}"
        expected = "" if A is None else str(A)
        raise Rejected(NoSuchArray(name=data.name, array=name, found=found, expected=expected))
    return B


def _batches(program: Program, names: Sequence[str], data: DataSet, reals: int) -> Batches:
    program = batched(program, [True] * len(names))
    once = program.size(0)
    each = max(1, program.size(1) - once)
    piece = max(1, max(PIECE, 4 * once) // each)
    if (most := peak(program, min(piece, data.size))) > reals:
        raise too_large(most, reals, "a batch", None)
    writes = tuple([location for location, _ in program.writes])
    inputs = tuple([data.arrays[name] for name in names])
    return Batches(prepare(program), inputs, data.size, piece, writes)
