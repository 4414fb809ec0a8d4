"""Programs under construction, simplified as they grow.

Aliases are eliminated, constants folded, common subexpressions shared, and equations simplified, each of which only meets final
registers; what is not needed is left out at the end.
"""

from collections.abc import Callable, Collection, Iterable, Sequence
from dataclasses import replace
from math import copysign, prod
from typing import TypeAlias

import numpy as np

from rh_kernel.arrays.program import (
    Alias,
    Equation,
    Extent,
    Loop,
    MeanOverBatch,
    Operator,
    OuterMean,
    Part,
    ProductMean,
    Program,
    Register,
    Registers,
    Smooth,
    can_fail,
    extent_of,
    joins_batch,
    loop_ranges,
)
from rh_kernel.arrays.rewrites.algebra import Apply, Holds, Is, partners, simpler
from rh_kernel.loops.trees import leaves, map_tree
from rh_kernel.primitives.table import SYMBOLS, kernel
from rh_kernel.source.diagnostic import KernelBug
from rh_kernel.source.records import frozen
from rh_kernel.source.span import Span
from rh_kernel.syntax.core import Array, Primitive
from rh_kernel.syntax.signature import Location

FOLDED = 4096


@frozen
class _Symbol:
    """Facts about an operator, looked up once; equal operators share the first one met."""

    operator: Operator
    number: int
    extent: Extent
    commutes: bool
    joins_batch: bool
    is_batched: bool
    name: str
    partners: frozenset[str] | None


class Draft:
    """A program under construction, without duplicate equations, each in its simplest known form; may contain dead code.

    ``mean`` takes the means over the batch that a copied program asks for. New equations come from the command ``span``.
    """

    def __init__(self, mean: "TakeMean | None" = None) -> None:
        self.take_mean = mean
        self.shapes: list[Extent] = []
        self.batched: list[bool] = []
        self._constants: dict[Register, Array] = {}
        self._uniform: dict[Register, float | None] = {}
        self._reads: dict[Location, Register] = {}
        # For each register, the operator and arguments of its equation, if any, and the operator's name.
        self._applied: list[Operator | None] = []
        self._arguments: list[tuple[Register, ...]] = []
        self._names: list[str] = []
        self._spans: list[Span | None] = []
        self.span: Span | None = None
        self._known: dict[tuple[object, ...], Register] = {}
        self._operators: dict[Operator, _Symbol] = {}

    def uniform(self, r: Register) -> float | None:
        """Return the number that all entries of a constant equal, or ``None``."""
        return self._uniform.get(r)

    def definition(self, r: Register) -> Equation | None:
        """Return the equation that defines the register, if any."""
        f = self._applied[r]
        return None if f is None else Equation(r, f, self._arguments[r], self._spans[r])

    def fresh(self, shape: Extent, *, batched: bool) -> Register:
        """Allocate a new register."""
        self.shapes.append(shape)
        self.batched.append(batched)
        self._applied.append(None)
        self._arguments.append(())
        self._names.append("")
        self._spans.append(None)
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
            case OuterMean() | ProductMean() | Smooth() | Loop() | Part():
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
            alone = joins_batch(f) or isinstance(f, Loop | Part)
            batched = isinstance(f, Part) and f.batched
            symbol = _Symbol(f, len(self._operators), extent_of(f), commutes, alone, batched, name, partners(f))
            self._operators[f] = symbol
        return symbol

    def _shared(self, symbol: _Symbol, arguments: tuple[Register, ...]) -> Register:
        key = (symbol.number, *(sorted(arguments) if symbol.commutes else arguments))
        r = self._known.get(key)
        if r is None:
            batched = symbol.is_batched
            if not symbol.joins_batch:
                for a in arguments:
                    batched = batched or self.batched[a]
            r = self._known[key] = len(self.shapes)
            self.shapes.append(symbol.extent)
            self.batched.append(batched)
            self._applied.append(symbol.operator)
            self._arguments.append(arguments)
            self._names.append(symbol.name)
            self._spans.append(self.span)
        return r

    def copy(self, program: Program, inputs: Sequence[bool], loop: "CopyLoop | None" = None) -> list[Register]:
        """Copy the program, and return the new register of each of its registers; marked inputs get an axis of samples.

        ``loop`` copies its loops; without it, they are taken over as they are.
        """
        new = self.copy_given(program, inputs)
        self.copy_equations(program, new, loop or _same_loop)
        return new

    def copy_equations(self, program: Program, new: list[Register], loop: "CopyLoop") -> None:
        """Copy the equations of a program, given the new registers of all others."""
        # By identity: most equations that apply an operator share the same object.
        symbols: dict[int, _Symbol] = {}
        results: dict[Register, Sequence[Register]] = {}
        for equation in program.equations:
            f = equation.operator
            self.span = equation.span
            arguments = tuple([new[r] for r in equation.arguments])
            if isinstance(f, Loop):
                copy = loop(self, equation, f, arguments)
                made = new[equation.result] = self._shared(self._symbol(copy.loop), copy.arguments)
                results[made] = copy.results(made)
                continue
            if isinstance(f, Part):
                new[equation.result] = results[arguments[0]][f.number]
                continue
            if isinstance(f, MeanOverBatch) and self.take_mean is not None:
                new[equation.result] = self.take_mean(arguments[0], self, f)
                continue
            symbol = symbols.get(id(f))
            if symbol is None:
                symbol = symbols[id(f)] = self._symbol(f)
            new[equation.result] = self._simplest(symbol, arguments)

    def parts(self, loop: Register) -> tuple[Register, ...]:
        """Return the results of a loop; each is batched if it is in the loop's body."""
        f = self._applied[loop]
        if not isinstance(f, Loop):
            raise KernelBug("only a loop has several results")
        n, body, (carried, _) = f.rounds, f.body, f.arity
        found: list[Register] = []
        for i, r in enumerate(leaves(body.result)):
            shape = body.shapes[r] if i < carried else (n, *body.shapes[r])
            batched = body.batched[r] or (i < carried and body.batched[leaves(body.inputs)[i]])
            found.append(self._shared(self._symbol(Part(i, shape, batched)), (loop,)))
        return tuple(found)

    def held(self, r: Register) -> Array | None:
        """Return the constant in a register, if it has one."""
        return self._constants.get(r)

    def is_needed(self, r: Register, results: Iterable[Register]) -> bool:
        """Whether the results depend on the register."""
        todo, met = [*results], set[Register]()
        while todo:
            found = todo.pop()
            if found == r:
                return True
            if found not in met:
                met.add(found)
                todo += self._arguments[found]
        return False

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

    def finish(self, program: Program, new: Sequence[Register], writes: Iterable[tuple[Location, Register]]) -> Program:
        """Return the live part, renumbered: all checks, and what the results of ``program`` and ``writes`` need."""
        inputs = tuple([map_tree(tree, new.__getitem__) for tree in program.inputs])
        made = self.finished(program.names, inputs, map_tree(program.result, new.__getitem__), writes)
        return replace(made, draws=program.draws)

    def finished(
        self,
        names: tuple[str, ...],
        inputs: tuple[Registers, ...],
        result: Registers,
        writes: Iterable[tuple[Location, Register]] = (),
    ) -> Program:
        """Return the live part, renumbered: all checks, and what the result and ``writes`` need."""
        changed = [(location, r) for location, r in writes if self._reads.get(location) != r]
        checks = [r for r, f in enumerate(self._applied) if f is not None and can_fail(f)]
        # No equation is added from here on, and for a long program this table is large.
        self._known.clear()
        needed = self._live((*leaves(result), *(r for _, r in changed), *checks))
        constants = [r for r in self._constants if needed[r]]
        reads = [(r, location) for location, r in self._reads.items() if needed[r]]
        defined = [r for r, f in enumerate(self._applied) if f is not None and needed[r]]
        order = [*leaves(inputs), *constants, *(r for r, _ in reads), *defined]
        number = [0] * len(self.shapes)
        for i, r in enumerate(order):
            number[r] = i
        equations = [
            Equation(number[r], f, tuple([number[a] for a in self._arguments[r]]), self._spans[r])
            for r, f in enumerate(self._applied)
            if f is not None and needed[r]
        ]
        return Program(
            names,
            tuple([map_tree(tree, number.__getitem__) for tree in inputs]),
            tuple([(number[r], self._constants[r]) for r in constants]),
            tuple([(number[r], location) for r, location in reads]),
            tuple(equations),
            map_tree(result, number.__getitem__),
            tuple([(location, number[r]) for location, r in changed]),
            tuple([self.shapes[r] for r in order]),
            tuple([self.batched[r] for r in order]),
        )

    def _live(self, results: Iterable[Register]) -> bytearray:
        """Mark what the results need; loops are reduced to the results that are needed of them."""
        needed = bytearray(len(self.shapes))
        for r in results:
            needed[r] = True
        parts: dict[Register, list[Register]] = {}
        for r in reversed(range(len(needed))):
            if not needed[r]:
                continue
            f = self._applied[r]
            if isinstance(f, Part):
                parts.setdefault(self._arguments[r][0], []).append(r)
            elif isinstance(f, Loop):
                self._reduce(r, f, parts.get(r, []))
            for a in self._arguments[r]:
                needed[a] = True
        return needed

    def _reduce(self, loop: Register, f: Loop, parts: Sequence[Register]) -> None:
        """Reduce a loop to these of its results."""
        found = [part for part in [self._applied[r] for r in parts] if isinstance(part, Part)]
        reduced = reduced_loop(f, {part.number for part in found})
        if reduced is None:
            return
        self._applied[loop], places, numbers = reduced
        self._arguments[loop] = tuple([self._arguments[loop][i] for i in places])
        for r, part in zip(parts, found, strict=True):
            self._applied[r] = Part(numbers[part.number], part.shape, part.batched)


TakeMean: TypeAlias = Callable[[Register, Draft, MeanOverBatch], Register]
"""Returns the mean over the samples of a register of a draft, where the equation of a copied program asks for it."""


@frozen
class CopiedLoop:
    """A loop in a draft, its arguments, and its results, in the order of the original's, given its register"""

    loop: Loop
    arguments: tuple[Register, ...]
    results: Callable[[Register], Sequence[Register]]


CopyLoop: TypeAlias = Callable[[Draft, Equation, Loop, tuple[Register, ...]], CopiedLoop]
"""Copies a loop, whose equation is given, for new arguments in a draft."""


def _same_loop(draft: Draft, _: Equation, f: Loop, arguments: tuple[Register, ...]) -> CopiedLoop:
    return CopiedLoop(f, arguments, draft.parts)


def reduced_loop(f: Loop, wanted: Collection[int]) -> tuple[Loop, list[int], dict[int, int]] | None:
    """Return the loop with the wanted results alone, the places of the arguments that are left, and the new results' numbers.

    ``None`` if nothing can be left out.
    """
    carried, rows = f.arity
    results, inputs = leaves(f.body.result), leaves(f.body.inputs)
    kept = set(wanted)
    while True:
        live = _needed(f.body, [results[i] for i in kept])
        more = {i for i in range(carried) if live[inputs[i]]} - kept
        if not more:
            break
        kept |= more
    places = [i for i, r in enumerate(inputs) if (i in kept if i < carried else live[r])]
    if len(places) == len(inputs) and len(kept) == len(results):
        return None
    draft = Draft()
    new = draft.copy(f.body, [False] * len(f.body.inputs))
    groups = [[new[inputs[i]] for i in places if start <= i < stop] for start, stop in loop_ranges(carried, rows, len(inputs))]
    order = sorted(kept)
    body = draft.finished(f.body.names, tuple(map(tuple, groups)), tuple([new[results[i]] for i in order]))
    return Loop(f.rounds, body, f.backward), places, {i: at for at, i in enumerate(order)}


def _needed(body: Program, results: Iterable[Register]) -> bytearray:
    """Mark the registers of a body that the results and the checks need."""
    needed = bytearray(len(body.shapes))
    for r in results:
        needed[r] = True
    for equation in reversed(body.equations):
        if needed[equation.result] or can_fail(equation.operator):
            for a in equation.arguments:
                needed[a] = True
    return needed


def _uniform(array: Array) -> float | None:
    if array.size == 0:
        return 0.0
    first: float = array.item(0)
    spread = not any(array.strides)
    return first if spread or bool(((array == first) & (np.signbit(array) == (copysign(1.0, first) < 0))).all()) else None
