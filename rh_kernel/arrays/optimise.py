"""The optimiser: alias elimination, constant folding, common-subexpression elimination, simplification, dead-code elimination.

One forward pass, in which each equation only meets final registers, and one backward pass for liveness.
"""

from collections.abc import Iterable, Sequence
from math import copysign, prod

import numpy as np

from rh_kernel.arrays.program import (
    Alias,
    Equation,
    Extent,
    MeanOverBatch,
    Operator,
    OuterMean,
    ProductMean,
    Program,
    Register,
    Smooth,
    extent_of,
    joins_batch,
)
from rh_kernel.arrays.rewrites.algebra import Apply, Holds, Is, partners, simpler
from rh_kernel.loops.trees import leaves, map_tree
from rh_kernel.primitives.table import SYMBOLS, kernel
from rh_kernel.source.records import frozen
from rh_kernel.syntax.core import Array, Primitive
from rh_kernel.syntax.signature import Location

FOLDED = 4096


def optimise(program: Program) -> Program:
    """Return a program with the same results for all inputs and heaps, up to rounding, and no more equations."""
    draft = Draft()
    new = draft.copy(program, [False] * len(program.inputs))
    return draft.finish(program, new, [(location, new[r]) for location, r in program.writes])


@frozen
class _Symbol:
    """Facts about an operator, looked up once; equal operators share the first one met."""

    operator: Operator
    number: int
    extent: Extent
    commutes: bool
    joins_batch: bool
    name: str
    partners: frozenset[str] | None


class Draft:
    """A program under construction, without duplicate equations, each in its simplest known form; may contain dead code."""

    def __init__(self) -> None:
        self.shapes: list[Extent] = []
        self.batched: list[bool] = []
        self._constants: dict[Register, Array] = {}
        self._uniform: dict[Register, float | None] = {}
        self._reads: dict[Location, Register] = {}
        # For each register, the operator and arguments of its equation, if any, and the operator's name.
        self._applied: list[Operator | None] = []
        self._arguments: list[tuple[Register, ...]] = []
        self._names: list[str] = []
        self._known: dict[tuple[object, ...], Register] = {}
        self._operators: dict[Operator, _Symbol] = {}

    def uniform(self, r: Register) -> float | None:
        """Return the number that all entries of a constant equal, or ``None``."""
        return self._uniform.get(r)

    def definition(self, r: Register) -> Equation | None:
        """Return the equation that defines the register, if any."""
        f = self._applied[r]
        return None if f is None else Equation(r, f, self._arguments[r])

    def fresh(self, shape: Extent, *, batched: bool) -> Register:
        """Allocate a new register."""
        self.shapes.append(shape)
        self.batched.append(batched)
        self._applied.append(None)
        self._arguments.append(())
        self._names.append("")
        return len(self.shapes) - 1

    def constant(self, array: Array) -> Register:
        """Return the register of a constant; equal constants share one."""
        uniform = _uniform(array)
        key = (array.shape, array.tobytes() if uniform is None else (uniform, copysign(1.0, uniform)))
        r = self._known.get(key)
        if r is None:
            r = self._known[key] = self.fresh(array.shape, batched=False)
            self._constants[r] = array
            self._uniform[r] = uniform
        return r

    def read(self, location: Location, shape: Extent) -> Register:
        """Return the register of a location's initial content."""
        r = self._reads.get(location)
        if r is None:
            r = self._reads[location] = self.fresh(shape, batched=False)
        return r

    def apply(self, f: Operator, arguments: tuple[Register, ...]) -> Register:
        """Return a register that holds ``f(arguments)``, simplified."""
        return self._simplest(self._symbol(f), arguments)

    def _simplest(self, symbol: _Symbol, arguments: tuple[Register, ...]) -> Register:
        if symbol.partners is not None and self._constants.keys().isdisjoint(arguments):
            names = self._names
            if not symbol.partners or symbol.partners.isdisjoint([names[a] for a in arguments]):
                return self._shared(symbol, arguments)
        while (found := self._simpler(symbol.operator, arguments)) is not None:
            match found:
                case Is(r):
                    return r
                case Holds(array):
                    return self.constant(array)
                case Apply(f, others):
                    symbol, arguments = self._symbol(f), others
        return self._shared(symbol, arguments)

    def _simpler(self, f: Operator, arguments: tuple[Register, ...]) -> Apply | Is | Holds | None:
        match f:
            case Primitive():
                return self._folded(f, arguments) or simpler(f, arguments, self)
            case Alias():
                return Is(arguments[0])
            case MeanOverBatch():
                return None if self.batched[arguments[0]] else Is(arguments[0])
            case OuterMean() | ProductMean() | Smooth():
                return None

    def _folded(self, f: Primitive, arguments: tuple[Register, ...]) -> Holds | None:
        for r in arguments:
            if r not in self._constants:
                return None
        if max(prod(extent_of(f)), *(prod(self.shapes[r]) for r in arguments)) > FOLDED:
            return None
        with np.errstate(all="ignore"):
            return Holds(kernel(f, np)(*(self._constants[r] for r in arguments)))

    def equation(self, f: Operator, arguments: tuple[Register, ...]) -> Register:
        """Return a register that holds ``f(arguments)``, which is assumed to have no simpler form."""
        return self._shared(self._symbol(f), arguments)

    def _symbol(self, f: Operator) -> _Symbol:
        symbol = self._operators.get(f)
        if symbol is None:
            name, commutes = (f.name, SYMBOLS[f.name].commutes) if isinstance(f, Primitive) else ("", False)
            symbol = _Symbol(f, len(self._operators), extent_of(f), commutes, joins_batch(f), name, partners(f))
            self._operators[f] = symbol
        return symbol

    def _shared(self, symbol: _Symbol, arguments: tuple[Register, ...]) -> Register:
        key = (symbol.number, *(sorted(arguments) if symbol.commutes else arguments))
        r = self._known.get(key)
        if r is None:
            batched = False
            if not symbol.joins_batch:
                for a in arguments:
                    batched = batched or self.batched[a]
            r = self._known[key] = len(self.shapes)
            self.shapes.append(symbol.extent)
            self.batched.append(batched)
            self._applied.append(symbol.operator)
            self._arguments.append(arguments)
            self._names.append(symbol.name)
        return r

    def copy(self, program: Program, inputs: Sequence[bool]) -> list[Register]:
        """Copy the program, and return the new register of each of its registers; marked inputs get an axis of samples."""
        new = self.copy_given(program, inputs)
        # By identity: most equations that apply an operator share the same object.
        symbols: dict[int, _Symbol] = {}
        for equation in program.equations:
            f = equation.operator
            symbol = symbols.get(id(f))
            if symbol is None:
                symbol = symbols[id(f)] = self._symbol(f)
            new[equation.result] = self._simplest(symbol, tuple([new[r] for r in equation.arguments]))
        return new

    def copy_given(self, program: Program, inputs: Sequence[bool]) -> list[Register]:
        """Copy the inputs, constants and reads of a program; the registers of its equations map to 0."""
        new = [0] * len(program.shapes)
        for tree, marked in zip(program.inputs, inputs, strict=True):
            for r in leaves(tree):
                new[r] = self.fresh(program.shapes[r], batched=marked or program.batched[r])
        for r, array in program.constants:
            new[r] = self.constant(array)
        for r, location in program.reads:
            new[r] = self.read(location, program.shapes[r])
        return new

    def finish(
        self,
        program: Program,
        new: Sequence[Register],
        writes: Iterable[tuple[Location, Register]],
    ) -> Program:
        """Return the live part, renumbered: all checks, and what the results of ``program`` and ``writes`` need."""
        inputs = tuple([map_tree(tree, new.__getitem__) for tree in program.inputs])
        result = map_tree(program.result, new.__getitem__)
        changed = [(location, r) for location, r in writes if self._reads.get(location) != r]
        checks = [r for r, f in enumerate(self._applied) if isinstance(f, Smooth)]
        # No equation is added from here on, and for a long program this table is large.
        self._known.clear()
        needed = bytearray(len(self.shapes))
        for r in (*leaves(result), *(r for _, r in changed), *checks):
            needed[r] = True
        for r in reversed(range(len(needed))):
            if needed[r]:
                for a in self._arguments[r]:
                    needed[a] = True
        constants = [r for r in self._constants if needed[r]]
        reads = [(r, location) for location, r in self._reads.items() if needed[r]]
        defined = [r for r, f in enumerate(self._applied) if f is not None and needed[r]]
        order = [*leaves(inputs), *constants, *(r for r, _ in reads), *defined]
        number = [0] * len(self.shapes)
        for i, r in enumerate(order):
            number[r] = i
        equations = [
            Equation(number[r], f, tuple([number[a] for a in self._arguments[r]]))
            for r, f in enumerate(self._applied)
            if f is not None and needed[r]
        ]
        return Program(
            program.names,
            tuple([map_tree(tree, number.__getitem__) for tree in inputs]),
            tuple([(number[r], self._constants[r]) for r in constants]),
            tuple([(number[r], location) for r, location in reads]),
            tuple(equations),
            map_tree(result, number.__getitem__),
            tuple([(location, number[r]) for location, r in changed]),
            tuple([self.shapes[r] for r in order]),
            tuple([self.batched[r] for r in order]),
        )


def _uniform(array: Array) -> float | None:
    if array.size == 0:
        return 0.0
    first: float = array.item(0)
    spread = not any(array.strides)
    return first if spread or bool(((array == first) & (np.signbit(array) == (copysign(1.0, first) < 0))).all()) else None
