"""Straight-line array programs ``t₁ = f₁(…); …; tₙ = fₙ(…)`` that read from the heap and write to it.

Registers are numbered from 0 and assigned once. In a finished program they come in this order: the inputs, the constants, the
heap contents that are read, and one per equation. The function that an equation applies is a value, so a program is plain data.
"""

from dataclasses import dataclass, field
from math import prod
from typing import TypeAlias

from rh_kernel.arrays.draws import Drawn
from rh_kernel.loops.ir import Extent
from rh_kernel.loops.trees import Tree, leaves
from rh_kernel.primitives.schemes import extent
from rh_kernel.primitives.table import cost as primitive_cost
from rh_kernel.source.records import frozen
from rh_kernel.source.span import Span
from rh_kernel.syntax.core import Array, Primitive
from rh_kernel.syntax.signature import Location

Register: TypeAlias = int
Registers: TypeAlias = "Tree[Register]"


@frozen
class Alias:
    """``x ↦ x``: a second name, removed by optimisation"""

    shape: Extent


@frozen
class MeanOverBatch:
    """``x ↦ (x⁽¹⁾ + … + x⁽ᵇ⁾) / b``, from b samples to one array

    ``in_branch`` says that samples may not get to it, and ``span`` where a program asks for it.
    """

    shape: Extent
    in_branch: bool = False
    span: Span | None = field(compare=False, default=None)


@frozen
class OuterMean:
    """``y, x ↦ Σᵢ y⁽ⁱ⁾ x⁽ⁱ⁾ᵀ / b``, from b samples of two vectors to one matrix, by one matrix product"""

    shape: Extent


@frozen
class ProductMean:
    """``y, x ↦ Σᵢ y⁽ⁱ⁾ x⁽ⁱ⁾ / b``, from b samples of two matrices to one, by one matrix product"""

    shape: Extent
    inner: int


@frozen
class Smooth:
    """``x ↦ ()`` where ``function`` is smooth at x, undefined elsewhere; never removed, although its result is unused

    ``shown`` is the name in errors of what needs the function to be smooth, if that is not the function itself.
    """

    function: Primitive
    span: Span | None = field(compare=False, default=None)
    shown: str = ""


@dataclass(frozen=True, slots=True, eq=False)
class Loop:
    """``c, ms, v ↦ …``: so many rounds of a straight-line body, whose results the operators ``Part`` return

    The arguments are, in the order of the body's inputs: the values that are carried from round to round, at first; arrays of
    which each round is given a row; and values that all rounds share. The body returns the carried values for the next round,
    and further values, of which the rows of all rounds are stacked. The rounds go through the rows from the first to the last,
    or if ``backward`` from the last to the first. Two loops are equal only if they are the same object.
    """

    rounds: int
    body: "Program"
    backward: bool

    @property
    def arity(self) -> tuple[int, int]:
        """The numbers of carried values and of arrays that are given by rows."""
        carried, rows, _ = self.body.inputs
        return len(leaves(carried)), len(leaves(rows))


def loop_ranges(carried: int, rows: int, count: int) -> tuple[tuple[int, int], ...]:
    """The places of carried values, of arrays given by rows, and of shared values among so many arguments of a loop."""
    return (0, carried), (carried, carried + rows), (carried + rows, count)


@frozen
class Part:
    """Result number ``number`` of a loop: first the carried values after the last round, and then the stacked rows

    ``batched`` says whether it has a leading axis of samples.
    """

    number: int
    shape: Extent
    batched: bool = False


Operator: TypeAlias = Primitive | Alias | MeanOverBatch | OuterMean | ProductMean | Smooth | Loop | Part


def extent_of(f: Operator) -> Extent:
    """Return the shape of the operator's result, for one sample."""
    match f:
        case Primitive():
            return extent(f.codomain)
        case Alias(shape) | MeanOverBatch(shape) | OuterMean(shape) | ProductMean(shape) | Part(_, shape):
            return shape
        case Smooth() | Loop():
            return (0,)


def joins_batch(f: Operator) -> bool:
    """Whether the operator reduces a batch of samples to one array."""
    match f:
        case MeanOverBatch() | OuterMean() | ProductMean():
            return True
        case Primitive() | Alias() | Smooth() | Loop() | Part():
            return False


def can_fail(f: Operator) -> bool:
    """Whether the operator is a check, or a loop with one in its body: it is kept even if its result is not used."""
    return isinstance(f, Smooth) or (isinstance(f, Loop) and f.body.can_fail)


@frozen
class Equation:
    """``result = operator(arguments)``; ``span`` is the command that it comes from, if that is known."""

    result: Register
    operator: Operator
    arguments: tuple[Register, ...]
    span: Span | None = field(compare=False, repr=False, default=None)


@frozen
class Program:
    """A straight-line program.

    ``inputs`` and ``result`` are nested tuples of registers that mirror nested product types; ``names`` are the names of the
    inputs; the last of them are ``draws``. ``shapes`` has the shape of each register for one sample, ``batched`` whether it
    has a leading axis of samples. A program that draws writes the number of its draws to ``DRAWS``.
    """

    names: tuple[str, ...]
    inputs: tuple[Registers, ...]
    constants: tuple[tuple[Register, Array], ...]
    reads: tuple[tuple[Register, Location], ...]
    equations: tuple[Equation, ...]
    result: Registers
    writes: tuple[tuple[Location, Register], ...]
    shapes: tuple[Extent, ...]
    batched: tuple[bool, ...]
    draws: tuple[Drawn, ...] = ()

    @property
    def named_inputs(self) -> tuple[tuple[Register, str], ...]:
        """The registers of the inputs from left to right, each with a name: ``x``, or for a pair ``x.1`` and ``x.2``."""
        found: list[tuple[Register, str]] = []
        for label, tree in zip(self.names, self.inputs, strict=True):
            registers = [*leaves(tree)]
            found += [(r, label if len(registers) == 1 else f"{label}.{i}") for i, r in enumerate(registers, start=1)]
        return tuple(found)

    def extent(self, r: Register, samples: int) -> Extent:
        """Return the shape of a register, with a leading axis of samples if it is batched."""
        return (samples, *self.shapes[r]) if self.batched[r] else self.shapes[r]

    def cost_of(self, samples: int) -> int:
        """Return the floating-point operations of one run with that many samples in the batch."""
        once, each = self.costs
        return once + samples * each

    @property
    def costs(self) -> tuple[int, int]:
        """The floating-point operations of a run: those independent of the number of samples, and those per sample."""
        # By identity: most equations that apply an operator share the same object, and comparing operators is slow.
        known: dict[tuple[int, bool], tuple[int, int]] = {}
        once = each = 0
        for equation in self.equations:
            kind = id(equation.operator), self.batched[equation.result]
            cost = known.get(kind)
            if cost is None:
                fixed = self.equation_cost(equation, 0)
                cost = known[kind] = fixed, self.equation_cost(equation, 1) - fixed
            once += cost[0]
            each += cost[1]
        return once, each

    def equation_cost(self, equation: Equation, samples: int = 1) -> int:
        """Return the floating-point operations of an equation."""
        match equation.operator:
            case Primitive() as f:
                return primitive_cost(f) * (samples if self.batched[equation.result] else 1)
            case Alias() | Smooth() | Part():
                return 0
            case Loop(rounds, body):
                return rounds * body.cost_of(samples)
            case MeanOverBatch(shape):
                return prod(shape) * samples
            case OuterMean(shape):
                return 2 * prod(shape) * samples
            case ProductMean(shape, inner):
                return 2 * prod(shape) * inner * samples

    @property
    def checks(self) -> int:
        """The number of equations that only check that a function is defined there, or in a strict program smooth."""
        return sum(isinstance(equation.operator, Smooth) for equation in self.equations)

    @property
    def can_fail(self) -> bool:
        """Whether there is such a check, possibly in the body of a loop."""
        return any(can_fail(equation.operator) for equation in self.equations)

    @property
    def joins_batch(self) -> bool:
        """Whether the samples of a batch meet somewhere, possibly in a round of a loop."""
        return any(
            joins_batch(e.operator) or (isinstance(e.operator, Loop) and e.operator.body.joins_batch) for e in self.equations
        )

    @property
    def count(self) -> int:
        """The number of equations that compute something, each of a loop's body counted once."""
        return sum([f.body.count if isinstance(f, Loop) else 1 for f in self._computing])

    @property
    def executed(self) -> int:
        """The number of equations that a run evaluates, each of a loop's body in every round."""
        return sum([f.rounds * f.body.executed if isinstance(f, Loop) else 1 for f in self._computing])

    @property
    def _computing(self) -> list[Operator]:
        return [e.operator for e in self.equations if not isinstance(e.operator, Smooth | Part)]

    @property
    def is_batched(self) -> bool:
        """Whether some input has a leading axis of samples."""
        return any(self.batched[r] for r in leaves(self.inputs))

    @property
    def sizes(self) -> tuple[int, int]:
        """The reals in constants and results of equations: those independent of the number of samples, and those per sample."""
        once, each = sum(prod(self.shapes[r]) for r, _ in self.constants), 0
        for equation in self.equations:
            reals = prod(self.shapes[equation.result])
            if isinstance(equation.operator, Loop):
                within = equation.operator.body.sizes
                once, each = once + within[0], each + within[1]
            if self.batched[equation.result]:
                each += reals
            else:
                once += reals
        return once, each
