"""``Γ ; ◇ ⊢ P : A`` for b samples of Γ at once: the mean of the b heap changes, or the sum of the b results (LANGUAGE §6).

All machines of a training run share one memory. ``pieces p`` computes each batch as p pieces, which start from the same
contents. A batch that would need too much memory runs in chunks, which do, too; the mean over the batch is the mean over the
chunks, weighted by their sizes.
"""

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from typing import Protocol, TypeAlias

import numpy as np

from rh_kernel.arrays.backend import Backend, Memory
from rh_kernel.arrays.batch import batched
from rh_kernel.arrays.blas_threads import one_blas_thread
from rh_kernel.arrays.compile import translate
from rh_kernel.arrays.execution import Machine, contents
from rh_kernel.arrays.options import DEFAULT, CompileOptions
from rh_kernel.arrays.program import Program
from rh_kernel.loops.ir import Integers, Precision
from rh_kernel.loops.trees import leaves
from rh_kernel.source.diagnostic import Rejected
from rh_kernel.syntax.builtin import DRAWS
from rh_kernel.syntax.core import Array, Command
from rh_kernel.syntax.runtime_errors import too_large
from rh_kernel.syntax.signature import Location
from rh_kernel.syntax.types import Type
from rh_kernel.training.draws import WithDraws
from rh_kernel.training.errors import NoSuchArray
from rh_kernel.training.feeds import Feed, feed
from rh_kernel.training.samples import DataSet

LARGEST = 1 << 24
"""Reals that the plan of a batch may hold; a larger batch runs in chunks."""

ComputePieces: TypeAlias = Callable[[Mapping[Location, Array], Sequence[Integers]], Iterable[Mapping[Location, Array]]]
"""``contents, indices of the samples of each piece ↦ the new contents of each, times its number of samples``, in that order"""


class RemotePieces(Protocol):
    """Pieces that are computed elsewhere."""

    def __call__(self, old: Mapping[Location, Array], pieces: Sequence[Integers], /) -> Iterable[Mapping[Location, Array]]:
        """Compute them, as a ``ComputePieces``."""
        ...

    def remarks(self) -> Sequence[str]:
        """Return what happened since the last call and the user should know, a sentence each."""
        ...

    def close(self) -> None:
        """End the work on these pieces."""
        ...


class Pool(Protocol):
    """Workers that compute pieces."""

    def pieces(
        self,
        program: Program,
        names: Sequence[str],
        data: DataSet,
        heap: Mapping[Location, Array],
        precision: Precision,
        backend: Backend,
        estimate: float,
    ) -> RemotePieces:
        """Return the pieces of a batched program on these samples, of which each takes about ``estimate`` seconds."""
        ...


MEASURE_REALS = 1 << 18
"""Reals that the plan of a measure should hold, about; determines how many samples are measured at once."""


UNLIMITED = 1 << 40
"""Reals that are allowed in memory if there is no limit."""


class Batches:
    """A batched program on its data, working on ``memory``; ``runs`` is how often it will run, if that is known.

    Of data that is in files it holds a part, far below ``limit`` reals. Its samples come from ``source`` if that is given; the
    draws of the program are those for the ``seed``. If it ``splits``, a large batch runs in chunks: not if its samples meet.
    """

    def __init__(
        self,
        program: Program,
        names: Sequence[str],
        data: DataSet,
        memory: Memory,
        precision: Precision,
        backend: Backend,
        runs: int | None = None,
        limit: int = UNLIMITED,
        source: Feed | None = None,
        seed: int = 0,
        *,
        splits: bool = True,
    ) -> None:
        self.size = data.size
        self.machine = Machine(program, memory, precision, backend, runs)
        self.feed = source or _with_draws(feed(data, names, precision, limit), program, seed, precision)
        # Reals held independently of the number of samples, and per sample.
        self._once, each = self.machine.sizes
        self._each = max(1, each)
        self._most = self.samples(LARGEST) if splits else UNLIMITED
        self._pieces: Batches | None = None
        self._names = names
        self._data = data

    def begin(self, epoch: int) -> None:
        """Say which epoch begins, counted from 0: draws depend on it."""
        if isinstance(self.feed, WithDraws):
            self.feed.epoch = epoch

    def samples(self, reals: int) -> int:
        """Return how many samples, at least one, a plan of about so many reals can hold."""
        return max(1, max(reals - self._once, 0) // self._each)

    def require(self, samples: int, reals: int, by: str) -> None:
        """Raise ``Stuck`` if a run on so many samples holds more than ``reals`` numbers, a bound set ``by`` something."""
        together = min(samples, self.size, self._most)
        most = self.machine.size(together, reals) + self.feed.reals(together)
        if most > reals:
            raise too_large(most, reals, "a batch", None, by)

    def change(self, rows: Integers) -> None:
        """For each row of sample indices, run all its samples from the current contents and apply the mean of their changes."""
        b = rows.shape[1]
        most = self._most
        if b <= most:
            runner = self.machine.runner(b)
            for arrays, there in self.feed.serve(rows):
                runner.steps(arrays, there)
            return
        for row in rows:
            self._change_in_pieces(row, most)

    def expect(self, rows: Integers, samples: int) -> None:
        """Say that batches of so many samples come next, with these sample indices in that order, so that they can be read."""
        self.feed.expect(rows, min(samples, self._most))

    def _change_in_pieces(self, row: Integers, most: int) -> None:
        pieces = [row[start : start + most] for start in range(0, len(row), most)]
        self.machine.memory.store(mean(self.weighted(self.machine.memory.fetch(), pieces), len(row)))

    def weighted(self, old: Mapping[Location, Array], pieces: Sequence[Integers]) -> Iterator[Mapping[Location, Array]]:
        """Run each piece from ``old``, in a memory of its own, and yield its new contents times its number of samples."""
        machine = self.machine
        if self._pieces is None:
            memory = machine.backend.memory(old, machine.precision)
            self._pieces = Batches(
                machine.program, self._names, self._data, memory, machine.precision, machine.backend, source=self.feed
            )
        for piece in pieces:
            self._pieces.machine.memory.store(old)
            self._pieces.change(piece[None])
            with np.errstate(all="ignore"):
                yield {location: len(piece) * array for location, array in self._pieces.machine.stacked().items()}

    def measured_at_once(self, limit: int) -> int:
        """Return how many samples of a measure to run at once if ``limit`` reals are allowed."""
        return min(self.samples(min(MEASURE_REALS, limit // 4)), self.feed.most(limit // 4))

    def total(self, start: int, stop: int, together: int) -> float:
        """Return the sum of the results, of type ``Real(1)``, over the samples ``start`` to ``stop``, ``together`` at once."""
        return self.total_of(np.arange(start, stop), together)

    def total_of(self, samples: Integers, together: int) -> float:
        """Return the sum of the results over the samples with these numbers, ``together`` at once."""
        results = self.results(samples, together)
        # One sum, so that how many run at once does not change the order of the additions.
        with np.errstate(invalid="ignore"):
            return float(np.sum(results, dtype=np.float64))

    def results(self, samples: Integers, together: int) -> Array:
        """Return the results, one array for each of the samples with these numbers, computed ``together`` at once."""
        results: list[Array] = []
        for begin in range(0, len(samples), together):
            piece = samples[begin : begin + together]
            runner = self.machine.runner(len(piece))
            for arrays, rows in self.feed.serve(piece[None]):
                runner.steps(arrays, rows)
            results += leaves(runner.result())
        return results[0] if len(results) == 1 else np.concatenate(results)


class BatchesInPieces:
    """Batches of which each is computed in ``count`` pieces (``np.array_split``) in this process or by ``remote``."""

    def __init__(self, whole: Batches, count: int, remote: RemotePieces | None = None) -> None:
        self.machine = whole.machine
        self._whole = whole
        self._count = count
        self._remote = remote
        self._compute: ComputePieces = remote or self._here
        self.feed = whole.feed

    def require(self, samples: int, reals: int, by: str) -> None:
        """Raise as ``Batches.require`` does, for the largest piece of a batch of so many samples."""
        self._whole.require(-(-samples // self._count), reals, by)

    def expect(self, rows: Integers, samples: int) -> None:
        """As ``Batches.expect``."""
        self._whole.expect(rows, -(-samples // self._count))

    def change(self, rows: Integers) -> None:
        """As ``Batches.change``; the results of the pieces are added in their order, and the memory changes at the end."""
        for row in rows:
            pieces = [piece for piece in np.array_split(row, self._count) if len(piece)]
            self.machine.memory.store(mean(self._compute(self.machine.memory.fetch(), pieces), len(row)))

    def _here(self, old: Mapping[Location, Array], pieces: Sequence[Integers]) -> Iterator[Mapping[Location, Array]]:
        # As many threads as a worker has, so that the digits are the same.
        with one_blas_thread():
            yield from self._whole.weighted(old, pieces)

    def begin(self, epoch: int) -> None:
        """As ``Batches.begin``."""
        self._whole.begin(epoch)

    def remarks(self) -> Sequence[str]:
        """Return what happened elsewhere since the last call."""
        return () if self._remote is None else self._remote.remarks()

    def close(self) -> None:
        """End the work elsewhere."""
        if self._remote is not None:
            self._remote.close()


def mean(weighted: Iterable[Mapping[Location, Array]], samples: int) -> dict[Location, Array]:
    """Add the new contents of pieces, each times its number of samples, in their order, and divide by that of all samples.

    Dividing at the end leaves values that are equal in all pieces exactly as they are.
    """
    new: dict[Location, Array] = {}
    with np.errstate(all="ignore"):
        for piece in weighted:
            for location, array in piece.items():
                new[location] = new[location] + array if location in new else array
        return {location: total / samples for location, total in new.items()}


def for_one(P: Command, sample: Sequence[tuple[str, Type]], data: DataSet, options: CompileOptions = DEFAULT) -> Program:
    """Translate P for one sample, keeping only its heap changes; its loose indices are the names of the sample.

    Raises ``Rejected`` if the data has no such samples, ``Stuck`` if P cannot be compiled.
    """
    program = _translated(P, sample, data, options)
    return replace(program, result=(), writes=tuple([(at, r) for at, r in program.writes if at != DRAWS]))


def for_results(P: Command, names: Sequence[str], data: DataSet, options: CompileOptions = DEFAULT) -> Program:
    """Translate P for a batch at the types of the data, keeping only its result. Raises as ``for_one`` does."""
    program = _translated(P, [(name, None) for name in names], data, options)
    return batched(replace(program, writes=()), together=False)


def shared(programs: Sequence[Program], heap: Mapping[Location, Array], precision: Precision, backend: Backend) -> Memory:
    """Return a memory shared by the programs, initialised with what they read from the heap."""
    return backend.memory(contents(programs, heap), precision)


def _with_draws(samples: Feed, program: Program, seed: int, precision: Precision) -> Feed:
    return WithDraws(samples, program.draws, seed, precision) if program.draws else samples


def _translated(P: Command, sample: Sequence[tuple[str, Type | None]], data: DataSet, options: CompileOptions) -> Program:
    names = tuple([name for name, _ in sample])
    return translate(P, tuple([_type(data, name, A) for name, A in sample]), names, options)


def _type(data: DataSet, name: str, A: Type | None) -> Type:
    B = data.types.get(name)
    if B is None or A not in (None, B):
        found = "there is no such array" if B is None else f"`{name}` of type {B}"
        expected = "" if A is None else str(A)
        hint = f'the arrays of "{data.name}" are {", ".join([f"`{known}` : {C}" for known, C in data.types.items()])}.'
        raise Rejected(NoSuchArray(name=data.name, array=name, found=found, expected=expected, hint=hint))
    return B
