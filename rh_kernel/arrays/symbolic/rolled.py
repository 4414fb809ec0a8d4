"""Loops under construction, and their translation to equations: what a loop needs of another loop's rounds is kept in rows.

While a round is executed symbolically, its equations may mention registers of the enclosing loops, and, in the backward pass,
registers of the loop that it goes back through. The former become arguments of the loop. The latter are kept: that loop
returns them, stacked, and this loop is given the row of the same round.
"""

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from typing import TypeAlias

from rh_kernel.arrays.program import Alias, Equation, Extent, Loop, Operator, Part, Program, Register
from rh_kernel.arrays.stacks import Stack
from rh_kernel.arrays.symbolic.values import Slot, Symbolic
from rh_kernel.source.diagnostic import KernelBug
from rh_kernel.syntax.signature import Location


class NotRolledError(Exception):
    """The rounds cannot be compiled as a loop; compile the program again, unrolled."""


@dataclass(frozen=True, slots=True)
class Carried:
    """A value that goes from round to round: before the loop, in a round, for the next round, and after the loop."""

    start: Slot
    inner: Slot
    following: Slot
    end: Slot


@dataclass(frozen=True, slots=True)
class RowIn:
    """An array with a row for each round, and its row in a round."""

    whole: Slot
    row: Slot


@dataclass(frozen=True, slots=True)
class RowOut:
    """A value of each round, and the array in which they are stacked."""

    row: Slot
    whole: Slot


@dataclass(slots=True, eq=False)
class Rolled:
    """A loop whose round's number is called ``index``; ``parent`` is the loop around it."""

    rounds: int
    backward: bool
    index: str
    parent: "Rolled | None"
    carried: list[Carried] = field(default_factory=list[Carried])
    rows: list[RowIn] = field(default_factory=list[RowIn])
    stacked: list[RowOut] = field(default_factory=list[RowOut])
    lines: "list[Line]" = field(default_factory=list["Line"])

    @property
    def own(self) -> Iterator[Slot]:
        """The values that a round begins with."""
        yield from [c.inner for c in self.carried]
        yield from [r.row for r in self.rows]

    @property
    def depth(self) -> int:
        """The number of loops around it."""
        return 0 if self.parent is None else 1 + self.parent.depth

    def is_inside(self, other: "Rolled | None") -> bool:
        """Whether this loop is the other one, or in its rounds; everything is inside ``None``."""
        at: Rolled | None = self
        while at is not None and at is not other:
            at = at.parent
        return at is other


@dataclass(slots=True)
class Active:
    """A loop whose round is being executed, and the heap before it.

    ``rows`` are the contents of a family's location in a round, ``stacks`` the stacks that these are rows of, and ``inner``
    the stacks of which loops further in are given rows.
    """

    loop: Rolled
    heap: Mapping[Location, Symbolic]
    rows: dict[Location, Slot] = field(default_factory=dict[Location, Slot])
    stacks: set[Stack] = field(default_factory=set[Stack])
    inner: set[Stack] = field(default_factory=set[Stack])


Line: TypeAlias = Equation | Rolled
"""An equation, or a loop"""


def equations(lines: Iterable[Line], shapes: list[Extent]) -> list[Equation]:
    """Translate the lines of a program to equations; new registers are added to ``shapes``.

    Raises ``NotRolledError`` if a value of a loop's rounds is needed where there is no row for it.
    """
    return _Translation(shapes).run(lines)


class _Translation:
    """``home`` maps each register that is assigned in the rounds of a loop to the innermost such loop.

    ``same`` maps registers to others with the same value: aliases, and what another loop has computed from the same values.
    """

    def __init__(self, shapes: list[Extent]) -> None:
        self.shapes = shapes
        self.home: dict[Register, Rolled] = {}
        self.loops: list[Rolled] = []
        self.same: dict[Register, Register] = {}
        self.computed: dict[tuple[Operator, tuple[Register, ...]], Register] = {}
        self.arguments: dict[int, list[Register]] = {}
        self.renamed: dict[int, dict[Register, Register]] = {}
        self.rows: dict[tuple[int, Register], Register] = {}

    def run(self, lines: Iterable[Line]) -> list[Equation]:
        lines = [*lines]
        self._visit(lines, None)
        # Loops come before the loops around them, so that a row that an inner loop is given is known to the outer one.
        for loop in self.loops:
            self._find_arguments(loop)
        return self._translated(lines)

    def _visit(self, lines: Iterable[Line], around: Rolled | None) -> None:
        for line in lines:
            if isinstance(line, Rolled):
                for slot in line.own:
                    self.home[slot.register] = line
                self._visit(line.lines, line)
                self.loops.append(line)
                results = [c.end.register for c in line.carried] + [r.whole.register for r in line.stacked]
            else:
                results = [line.result]
                if around is not None:
                    self._compare(line, around)
            if around is not None:
                for r in results:
                    self.home[r] = around

    def _compare(self, line: Equation, around: Rolled) -> None:
        """Find out whether the result is known: in these rounds, or in those of another loop, of which it can be a row."""
        arguments = tuple([self._known(a) for a in line.arguments])
        if isinstance(line.operator, Alias):
            self.same[line.result] = arguments[0]
            return
        found = self.computed.setdefault((line.operator, arguments), line.result)
        home = self.home.get(found, around)
        # A value that all rounds share is not worth an array of rows.
        differs = home is around or any(self.home.get(a) is home for a in arguments)
        if found != line.result and differs and home.depth == around.depth and home.rounds == around.rounds:
            self.same[line.result] = found

    def _known(self, r: Register) -> Register:
        return self.same.get(r, r)

    def _find_arguments(self, loop: Rolled) -> None:
        """Find the registers from outside of the loop that its rounds mention, and make rows of those of other loops."""
        mentioned = dict.fromkeys([*self._mentioned(loop), *[c.following.register for c in loop.carried]])
        mentioned.update(dict.fromkeys([r.row.register for r in loop.stacked]))
        renamed = self.renamed[id(loop)] = dict[Register, Register]()
        arguments: dict[Register, None] = {}
        for r in mentioned:
            known = self._known(r)
            home = self.home.get(known)
            if home is not loop:
                if home is None or home.depth < loop.depth:
                    # If it is of another loop's rounds, a loop around this one is given its row.
                    arguments[known] = None
                else:
                    known = self._row(known, home, loop)
            if known != r:
                renamed[r] = known
        self.arguments[id(loop)] = [*arguments]

    def _mentioned(self, loop: Rolled) -> Iterator[Register]:
        for line in loop.lines:
            if isinstance(line, Rolled):
                yield from [c.start.register for c in line.carried]
                yield from [r.whole.register for r in line.rows]
                yield from self.arguments[id(line)]
            elif line.result not in self.same:
                yield from line.arguments

    def _row(self, r: Register, home: Rolled, loop: Rolled) -> Register:
        """Let ``home`` stack the register, whose row in ``loop`` is returned."""
        if home.rounds != loop.rounds or home.depth != loop.depth:
            raise NotRolledError
        whole = self._stacked(r, home)
        found = next((row.row.register for row in loop.rows if row.whole.register == whole), None)
        if found is not None:
            return found
        row = Slot(self._fresh(self.shapes[r]), self.shapes[r])
        self.home[row.register] = loop
        loop.rows.append(RowIn(Slot(whole, self.shapes[whole]), row))
        return row.register

    def _stacked(self, r: Register, home: Rolled) -> Register:
        """The array whose rows are the values of a register of the rounds of ``home``."""
        found = self.rows.get((id(home), r))
        if found is None:
            given = [row.whole.register for row in home.rows if row.row.register == r]
            found = next((s.whole.register for s in home.stacked if self._known(s.row.register) == r), None)
            found = given[0] if given else found
        if found is None:
            found = self._fresh((home.rounds, *self.shapes[r]))
            home.stacked.append(RowOut(Slot(r, self.shapes[r]), Slot(found, self.shapes[found])))
            if home.parent is not None:
                self.home[found] = home.parent
        self.rows[id(home), r] = found
        return found

    def _fresh(self, shape: Extent) -> Register:
        self.shapes.append(shape)
        return len(self.shapes) - 1

    def _translated(self, lines: Iterable[Line]) -> list[Equation]:
        found: list[Equation] = []
        for line in lines:
            if isinstance(line, Rolled):
                found += self._loop(line)
            elif line.result not in self.same:
                found.append(line)
        return found

    def _loop(self, loop: Rolled) -> list[Equation]:
        renamed = self.renamed[id(loop)]
        body = [
            Equation(e.result, e.operator, tuple([renamed.get(a, a) for a in e.arguments]), e.span)
            for e in self._translated(loop.lines)
        ]
        results = [c.following.register for c in loop.carried] + [r.row.register for r in loop.stacked]
        inputs = (
            tuple([c.inner.register for c in loop.carried]),
            tuple([r.row.register for r in loop.rows]),
            tuple(self.arguments[id(loop)]),
        )
        given = [c.start.register for c in loop.carried] + [r.whole.register for r in loop.rows] + [*inputs[2]]
        program = self._renumbered(inputs, body, [renamed.get(r, r) for r in results])
        token = self._fresh((0,))
        parts = [c.end.register for c in loop.carried] + [r.whole.register for r in loop.stacked]
        return [
            Equation(token, Loop(loop.rounds, program, loop.backward), tuple(given)),
            *[Equation(r, Part(i, self.shapes[r]), (token,)) for i, r in enumerate(parts)],
        ]

    def _renumbered(
        self, inputs: tuple[tuple[Register, ...], ...], body: Iterable[Equation], results: Iterable[Register]
    ) -> Program:
        """The body as a program with registers of its own."""
        number: dict[Register, Register] = {}
        shapes: list[Extent] = []

        def new(r: Register) -> Register:
            if r not in number:
                number[r] = len(shapes)
                shapes.append(self.shapes[r])
            return number[r]

        taken = tuple([tuple([new(r) for r in part]) for part in inputs])
        made: list[Equation] = []
        for e in body:
            for a in e.arguments:
                if a not in number:
                    raise KernelBug("a round of a loop mentions a register that it is not given")
            arguments = tuple([number[a] for a in e.arguments])
            made.append(Equation(new(e.result), e.operator, arguments, e.span))
        found = tuple([number[r] for r in results])
        names = ("carried", "rows", "given")
        return Program(names, taken, (), (), tuple(made), found, (), tuple(shapes), (False,) * len(shapes))
