"""A recorded run of an arrow on a heap (RH Ex. 5.13, Def. 7.13): the value on every wire, and each heap access.

The interpretation of a reverse handler has a forward and a backward pass (RH Def. 7.11). ``occurrences`` pairs each wire of the
forward pass with the cotangents computed for it: the wire with the result of ``Q^f_Op`` and the one that enters ``Q^b_Op``, and
likewise around a pure map and its ``R'``.
"""

import math
from collections.abc import Callable, Generator, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import TypeAlias, cast

from rh_kernel.denotational.arrows import Arrow, Choose, Iterate, Step
from rh_kernel.denotational.conditions import holds, require_interior
from rh_kernel.denotational.evaluate import run
from rh_kernel.denotational.iterations import numbers as rounds_in_order
from rh_kernel.denotational.iterations import round_inputs, round_outputs
from rh_kernel.denotational.nesting import Inside, Numbering, numbered
from rh_kernel.denotational.provenance import Handling, Mark, Side
from rh_kernel.denotational.wiring import Box, Diagram
from rh_kernel.primitives.contents import content
from rh_kernel.primitives.schemes import extent
from rh_kernel.source.diagnostic import KernelBug
from rh_kernel.syntax.conditions import operand_count
from rh_kernel.syntax.core import Array
from rh_kernel.syntax.signature import Location
from rh_kernel.syntax.types import Type


@dataclass(frozen=True, slots=True)
class Use:
    """``Get`` or ``Put`` by the box at ``level``: the content of the location before and after.

    ``run`` is the index of the run of the box; inside other boxes, ``level`` is that of the outermost one.
    """

    level: int
    kind: str
    location: Location
    before: Array | None
    after: Array
    run: int = -1


@dataclass(frozen=True, slots=True)
class Run:
    """One run of a box: its number (``nesting``), what it wrote on which wires, and in which round of each box around it.

    Rounds count from 1. A round begins with a run that writes its rows and its state, and a loop ends with one that writes the
    results. A choice begins with the number of the branch that it takes, counted from 0.
    """

    box: int
    writes: tuple[tuple[int, Array], ...]
    rounds: tuple[int, ...] = ()
    branch: int | None = None


@dataclass(frozen=True, slots=True)
class Recording:
    """The value of every wire of an arrow, the final heap, the heap accesses in order, and all runs, also inside boxes."""

    values: tuple[Array, ...]
    heap: Mapping[Location, Array]
    uses: tuple[Use, ...]
    runs: tuple[Run, ...] = ()


@dataclass(frozen=True, slots=True)
class Occurrence:
    """One wire of the forward pass of a handler; ``cotangents`` are the wires that hold its cotangents.

    Usually there is one. There is none if no cotangent reaches it, and there are several if an ordinary handler around it ran
    the rest more than once.
    """

    mark: Mark
    wire: int
    cotangents: tuple[int, ...]


def record(
    a: Arrow, inputs: Sequence[Array], heap: Mapping[Location, Array], *, strict: bool = False
) -> Generator[None, None, Recording]:
    """Run ``a`` on the arrays of its domain, yielding after each box; the generator returns the recording.

    Raises ``Stuck`` as ``evaluate.run`` does.
    """
    recorder = _Recorder(dict(heap), strict=strict)
    values = dict(enumerate(inputs))
    yield from recorder.run(a, numbered(a).root, values)
    every = tuple([values[w] for w in range(len(a.types))])
    return Recording(every, recorder.heap, tuple(recorder.uses), tuple(recorder.runs))


class _Recorder:
    """Runs arrows, and keeps what they write by the numbers of wires and boxes."""

    def __init__(self, heap: dict[Location, Array], *, strict: bool) -> None:
        self.heap = heap
        self.uses: list[Use] = []
        self.runs: list[Run] = []
        self._strict = strict
        self._rounds: tuple[int, ...] = ()

    def run(self, a: Arrow, numbers: Numbering, values: dict[int, Array], outermost: int | None = None) -> Iterator[None]:
        """Run an arrow, whose structure is that of the numbered one; add what it writes to ``values``."""
        types = a.types
        for level, (box, made) in enumerate(a.wired()):
            top = level if outermost is None else outermost
            inside, number = numbers.inside.get(level), numbers.boxes[level]
            reads = [values[numbers.wires[w]] for w in box.inputs]
            outputs = [numbers.wires[w] for w in made]
            match box.content:
                case Iterate() as loop if inside is not None:
                    yield from self._loop(loop, number, inside, reads, outputs, values, top)
                case Choose() as choice if inside is not None:
                    yield from self._choice(choice, number, inside, reads, outputs, values, top)
                case _:
                    outcome = run(_single_box(box, types), reads, self.heap, strict=self._strict)
                    for kind, location in outcome.accesses:
                        before, after = content(self.heap, location), content(outcome.heap, location)
                        if after is None:
                            raise KernelBug(f"{location.name} has no content")
                        self.uses.append(Use(top, kind, location, before, after, len(self.runs)))
                    self.heap = dict(outcome.heap)
                    self._write(number, outputs, outcome.values, values)
            yield

    def _write(
        self, box: int, wires: Sequence[int], arrays: Sequence[Array], values: dict[int, Array], branch: int | None = None
    ) -> None:
        writes = tuple(zip(wires, arrays, strict=True))
        values.update(writes)
        self.runs.append(Run(box, writes, self._rounds, branch))

    def _loop(
        self,
        loop: Iterate,
        number: int,
        inside: Inside,
        reads: Sequence[Array],
        outputs: Sequence[int],
        values: dict[int, Array],
        level: int,
    ) -> Iterator[None]:
        (body,) = inside.parts
        n, m = loop.captured, loop.state
        state, emitted, around = tuple(reads[n : n + m]), list[tuple[Array, ...]](), self._rounds
        domain = body.wires[: len(loop.body.domain)]
        for k in rounds_in_order(loop):
            a, given = loop.arrow(k), round_inputs(loop, reads, state, k)
            self._rounds = (*around, k - loop.first + 1)
            self._write(inside.begin if domain[n + m :] else number, domain[n:], given[n:], values)
            yield from self.run(a, body, values, level)
            results = [values[body.wires[w]] for w in a.codomain]
            state = tuple(results[:m])
            emitted.append(tuple(results[m:]))
        self._rounds = around
        made = (*state, *round_outputs(loop, emitted))
        self._write(inside.end if loop.stacks else number, outputs, made, values)

    def _choice(
        self,
        choice: Choose,
        number: int,
        inside: Inside,
        reads: Sequence[Array],
        outputs: Sequence[int],
        values: dict[int, Array],
        level: int,
    ) -> Iterator[None]:
        operands = reads[: operand_count(choice.condition)]
        if self._strict and choice.is_derived:
            require_interior(choice.condition, operands, choice.command.span)
        branch = 0 if holds(choice.condition, operands) else 1
        a, part = (choice.then, choice.otherwise)[branch], inside.parts[branch]
        self._write(number, (), (), values, branch)
        yield from self.run(a, part, values, level)
        self._write(inside.end, outputs, [values[part.wires[w]] for w in a.codomain], values)


def reals(a: Arrow) -> int:
    """Return the total number of reals that all wires of an arrow hold during a run, in each round."""
    return _total(a, lambda part: sum([math.prod(extent(A)) for A in part.types]))


def runs(a: Arrow) -> int:
    """Return how many boxes run, at most; those inside a box for rounds run in each round."""
    return _total(a, lambda part: len(part.boxes))


def _total(a: Arrow, own: Callable[[Arrow], int]) -> int:
    """Add up a number of each arrow that runs: of one round as often as there are rounds, of two branches the larger one."""
    total = own(a)
    for box in a.boxes:
        match box.content:
            case Iterate(body) as loop:
                total += len(rounds_in_order(loop)) * _total(body, own)
            case Choose(_, then, otherwise):
                total += max(_total(then, own), _total(otherwise, own))
            case _:
                pass
    return total


def occurrences(a: Arrow) -> tuple[Occurrence, ...]:
    """Return the wires of the forward passes of reverse handlers in order, each with its cotangents."""
    pulled: dict[tuple[_Key, int], list[int]] = {}
    marks = marks_of(a)
    for mark, cotangent, wire in _partners(marks, Side.COTANGENT):
        pulled.setdefault((_key(mark), wire), []).append(cotangent)
    return tuple(
        [Occurrence(mark, wire, tuple(pulled.get((_key(mark), wire), ()))) for wire, mark in marks if mark.side is Side.VALUE]
    )


def belonging(a: Arrow) -> Mapping[int, int]:
    """Map each wire of a backward pass that is a cotangent, or a summand of one, to the wire that it is a cotangent of.

    A copied cotangent belongs to several wires, as that of ``x + y`` does to x and to y; here it is mapped to the last one.
    """
    found: dict[int, int] = {}
    marks = marks_of(a)
    for side in (Side.SHARE, Side.COTANGENT):
        whole: dict[int, int] = {}
        for _, cotangent, wire in _partners(marks, side):
            whole[cotangent] = max(wire, whole.get(cotangent, wire))
        found.update(whole)
    return found


_Key: TypeAlias = tuple[Handling, int, int]

_Marks: TypeAlias = Sequence[tuple[int, Mark]]


def _key(mark: Mark) -> _Key:
    return mark.handling, mark.level, mark.port


def marks_of(a: Arrow) -> _Marks:
    """Return the marks of the wires of an arrow and of those inside its boxes, except those of the wires that these capture."""
    found: list[tuple[int, Mark]] = []
    for part in numbered(a).root.everywhere():
        marks = cast(Arrow, part.arrow).marks
        found += [(part.wires[w], mark) for w, mark in marks if w >= part.captured or mark.level >= 0]
    return found


def _partners(marks: _Marks, side: Side) -> Iterator[tuple[Mark, int, int]]:
    """Yield each wire marked with this side, together with the wire of the forward pass that it belongs to.

    If the rest was run more than once, several wires correspond to it: the last one before it is chosen.
    """
    forward: dict[_Key, list[int]] = {}
    for wire, mark in marks:
        if mark.side is Side.VALUE:
            forward.setdefault(_key(mark), []).append(wire)
    for wire, mark in marks:
        if mark.side is side and (candidates := forward.get(_key(mark))):
            yield mark, wire, max([w for w in candidates if w <= wire], default=candidates[0])


def _single_box(box: Box[Step], types: Sequence[Type]) -> Arrow:
    """Return the arrow that consists of this box; ``types`` are those of the wires around it."""
    n = len(box.inputs)
    single = Box(box.content, tuple(range(n)), box.outputs)
    return Diagram(tuple([types[w] for w in box.inputs]), (single,), tuple(range(n, n + len(box.outputs))))
