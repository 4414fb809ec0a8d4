"""The program under construction: equations are appended, and recorded on the tapes of the regions they are active in."""

from collections.abc import Callable, Sequence
from functools import lru_cache

import numpy as np

from rh_kernel.arrays.errors import ProgramTooLong
from rh_kernel.arrays.options import DEFAULT, CompileOptions
from rh_kernel.arrays.program import Alias, Equation, Extent, MeanOverBatch, Operator, Register, Registers, Smooth
from rh_kernel.arrays.symbolic.rolled import Active, Line, Rolled
from rh_kernel.arrays.symbolic.selection import guarded, guarded_rows
from rh_kernel.arrays.symbolic.tape import Aliased, Applied, Called, Evaluator, Gated, Region, record
from rh_kernel.arrays.symbolic.values import Slot, Symbolic, SymbolicZero, is_empty, shape_of, type_of, unpack
from rh_kernel.primitives.derivative import derivative
from rh_kernel.primitives.formulas import OF_ONE_SHAPE
from rh_kernel.primitives.schemes import instantiate
from rh_kernel.primitives.smoothness import has_nonsmooth_points, row_check
from rh_kernel.primitives.table import require
from rh_kernel.source.diagnostic import KernelBug, Stuck
from rh_kernel.source.span import Span
from rh_kernel.syntax.core import Array, Defined, Function, Primitive, Scope, Term
from rh_kernel.syntax.dimensions import dim
from rh_kernel.syntax.signature import Location
from rh_kernel.syntax.types import Product, Real, Type, TypeMeta, leaves


class Builder:
    """Registers, equations and the active regions: the only mutable state of a compilation.

    ``strict`` says whether to emit checks of smoothness, ``checks_rows`` whether to emit those of row numbers, and ``place`` is
    where the function is called whose body is being evaluated. ``command`` is the command that is being run. ``guard`` is 1
    where the branch being compiled is taken, else 0: there no check fails. ``met`` are the terms evaluated so far, by identity;
    ``evaluators`` are the compiled forms of those met again, ``None`` for terms that cannot be compiled. ``active`` are the
    loops of which a round is being executed, the innermost last, and ``home`` maps the registers of finished rounds to the
    innermost loop.
    """

    def __init__(self, options: CompileOptions = DEFAULT) -> None:
        self.options = options
        self.strict = options.strict
        self.checks_rows = True
        self.place: Span | None = None
        self.command: Span | None = None
        self.guard: Slot | None = None
        self.shapes: list[Extent] = []
        self.constants: list[tuple[Register, Array]] = []
        self.reads: list[tuple[Register, Location]] = []
        self.equations: list[Line] = []
        self.region: Region | None = None
        self.met: dict[int, Term] = {}
        self.evaluators: dict[int, Evaluator | None] = {}
        self.active: list[Active] = []
        self.home: dict[Register, Rolled] = {}
        self._next_bit = 1
        self._loops = 0
        self._sums: dict[Extent, Primitive] = {}
        self._known: dict[Primitive, tuple[Primitive, Extent]] = {}

    def fresh_bit(self) -> int:
        """Allocate a bit for a new region."""
        bit = self._next_bit
        self._next_bit <<= 1
        return bit

    def fresh_index(self, index: str) -> str:
        """Return a name for the number of a round of a loop that no program contains."""
        self._loops += 1
        return f"{index} of loop {self._loops}"

    def constant(self, array: Array) -> Symbolic:
        """Return the slot of a constant."""
        if array.size == 0:
            return SymbolicZero(Real(tuple(dim(n) for n in array.shape)))
        slot = self._slot(array.shape)
        self.constants.append((slot.register, array))
        return slot

    def input(self, A: Type) -> tuple[Registers, Symbolic]:
        """Add an input of type A. Returns its registers and its value."""
        match A:
            case Product(factors):
                parts = [self.input(B) for B in factors]
                return tuple(tree for tree, _ in parts), tuple(V for _, V in parts)
            case Real() | TypeMeta():
                slot = self._slot(shape_of(A))
                return slot.register, (SymbolicZero(A) if 0 in slot.shape else slot)

    def read(self, location: Location) -> Slot:
        """Return the initial content of a location."""
        slot = self._slot(shape_of(Real(location.shape)))
        self.reads.append((slot.register, location))
        return slot

    def materialise(self, V: Symbolic) -> Registers:
        """Return the registers of V, with zeros as constants."""
        match V:
            case SymbolicZero(Product()):
                return tuple([self.materialise(W) for W in _components(V)])
            case Slot() | SymbolicZero():
                return self._slot_of(V).register
            case tuple():
                return tuple([self.materialise(W) for W in V])

    def known(self, f: Primitive) -> tuple[Primitive, Extent]:
        """Return the first symbol met that equals f, and the shape of f's result.

        Raises ``Stuck`` if a type of f has no arrays.
        """
        found = self._known.get(f)
        if found is None:
            found = self._known[f] = f, _checked_extent(f)
        return found

    def apply(self, f: Primitive, arguments: tuple[Symbolic, ...]) -> Symbolic:
        """Apply f: return a new slot, recorded on the tapes of the regions it depends on; 0 if it has no entries.

        Raises ``Stuck`` if a type of f has no arrays.
        """
        f, shape = self.known(f)
        return self.applied(f, arguments, shape)

    def applied(self, f: Primitive, arguments: tuple[Symbolic, ...], shape: Extent) -> Symbolic:
        """Like ``apply``, for a symbol and a shape from ``known``."""
        if 0 in shape:
            return SymbolicZero(f.codomain)
        registers: list[Register] = []
        active = 0
        for V in arguments:
            if not isinstance(V, Slot):
                return self.applied(f, tuple([self._slot_of(W) for W in arguments]), shape)
            registers.append(V.register)
            active |= V.active
        result = self._assigned(f, tuple(registers), shape, active)
        if result.active:
            record(self.region, Applied(f, arguments, result, self.command), result.active)
        return result

    def mean_over_batch(self, V: Symbolic, span: Span | None) -> Symbolic:
        """Return the mean of V, an array, over the samples of a batch, as what the batch has in common."""
        if isinstance(V, SymbolicZero):
            return V
        slot = self._slot_of(V)
        mean = MeanOverBatch(slot.shape, self.guard is not None, span)
        return self._assigned(mean, (slot.register,), slot.shape, 0)

    def check_smooth(self, f: Primitive, arguments: Sequence[Symbolic], span: Span | None, shown: str = "") -> None:
        """Emit a check that f is defined at the arguments, and in a strict program smooth; ``span`` is where f is called.

        ``shown`` is the name in the error, if it is not that of f.
        """
        found = row_check(f) if self.checks_rows else None
        if found is not None:
            position, defined = found
            index = self._slot_of(arguments[position])
            index = index if self.guard is None else guarded_rows(self, self.guard, index)
            self._equation(Smooth(defined, self.place or span), (index.register,), (0,), ())
        if self.strict and has_nonsmooth_points(f):
            slots = [self._slot_of(V) for V in arguments]
            if self.guard is not None:
                slots = [guarded(self, self.guard, slot, i) for i, slot in enumerate(slots)]
            self._equation(Smooth(f, self.place or span, shown), tuple([s.register for s in slots]), (0,), ())

    def add(self, V: Symbolic, W: Symbolic) -> Symbolic:
        """Return ``V + W`` at any type, as in a program."""
        match V, W:
            case SymbolicZero(Product()), SymbolicZero(Product()):
                return self.add(_components(V), _components(W))
            case SymbolicZero(Product()), tuple():
                return self.add(_components(V), W)
            case tuple(), SymbolicZero(Product()):
                return self.add(V, _components(W))
            case SymbolicZero(), Slot() | SymbolicZero():
                return V if is_empty(V) else self.add(self._slot_of(V), W)
            case Slot(), SymbolicZero():
                return W if is_empty(W) else self.add(V, self._slot_of(W))
            case Slot(_, shape), Slot():
                f = self._sums.get(shape)
                if f is None:
                    f = instantiate("add", OF_ONE_SHAPE, (tuple(dim(n) for n in shape),))
                    self._sums[shape] = f
                return self.apply(f, (V, W))
            case tuple(), tuple():
                return tuple([self.add(x, y) for x, y in zip(V, W, strict=True)])
            case Slot() | tuple() | SymbolicZero(), Slot() | tuple() | SymbolicZero():
                raise KernelBug(f"no sum of {type_of(V)} and {type_of(W)}")

    def alias(self, V: Symbolic, bit: int) -> Symbolic:
        """Return V under new names that the region of ``bit`` depends on. A zero becomes a constant, to have a cotangent."""

        def aliased(source: Slot) -> Slot:
            named = self._equation(Alias(source.shape), (source.register,), source.shape, [source])
            if named.active:
                record(self.region, Aliased(source, named), named.active)
            return Slot(named.register, named.shape, named.active | bit)

        return self._map_slots(V, aliased)

    def gate(self, V: Symbolic, condition: Slot) -> Symbolic:
        """Return V for use in a branch that is taken where the condition is 1: no cotangent leaves another branch."""

        def gated(source: Slot) -> Slot:
            if self.region is None or not source.active & self.region.bits:
                return source
            named = self._equation(Alias(source.shape), (source.register,), source.shape, [source])
            record(self.region, Gated(source, named, condition), named.active)
            return named

        match V:
            case Slot():
                return gated(V)
            case SymbolicZero():
                return V
            case tuple():
                return tuple([self.gate(W, condition) for W in V])

    def seal(self, f: Defined, argument: Symbolic, V: Symbolic) -> Symbolic:
        """Record ``V``, the value of ``f(argument)`` computed outside the regions, as a single entry on their tapes."""
        active = activity(argument) & (self.region.bits if self.region else 0)
        if not active:
            return V

        def aliased(source: Slot) -> Slot:
            named = self._equation(Alias(source.shape), (source.register,), source.shape, ())
            return Slot(named.register, named.shape, active)

        result = self._map_slots(V, aliased)
        record(self.region, Called(f, argument, result, self.place, self.guard), active)
        return result

    def derivative(self, f: Function) -> Scope:
        """Return ``w, v. N`` with ``rd[f](⟨w, v⟩) = N``; for a primitive, the same tree each time."""
        return _primitive_derivative(f) if isinstance(f, Primitive) else derivative(f)

    def as_slot(self, V: Symbolic) -> Slot:
        """Return V, of a base type, as a slot; a zero becomes a constant."""
        return self._slot_of(V)

    def fresh(self, shape: Extent, active: int = 0) -> Slot:
        """Return a new slot, to be assigned by a loop."""
        return self._slot(shape, active)

    def _slot(self, shape: Extent, active: int = 0) -> Slot:
        self.shapes.append(shape)
        return Slot(len(self.shapes) - 1, shape, active)

    def _equation(self, f: Operator, registers: tuple[Register, ...], shape: Extent, arguments: Sequence[Slot]) -> Slot:
        active = 0
        for argument in arguments:
            active |= argument.active
        return self._assigned(f, registers, shape, active)

    def _assigned(self, f: Operator, registers: tuple[Register, ...], shape: Extent, active: int) -> Slot:
        """The result of a new equation; ``active`` are the bits of its arguments, masked here to the active regions."""
        equations, shapes = self.equations, self.shapes
        if len(equations) >= self.options.longest:
            raise Stuck(ProgramTooLong(limit=self.options.longest))
        register = len(shapes)
        shapes.append(shape)
        equations.append(Equation(register, f, registers, self.command))
        return Slot(register, shape, active & self.region.bits if self.region is not None else 0)

    def _slot_of(self, V: Symbolic) -> Slot:
        match V:
            case Slot():
                return V
            case SymbolicZero(A):
                slot = self._slot(shape_of(A))
                self.constants.append((slot.register, np.broadcast_to(np.zeros(1), slot.shape)))
                return slot
            case tuple():
                raise KernelBug(f"a base type was expected, not {type_of(V)}")

    def _map_slots(self, V: Symbolic, image: Callable[[Slot], Slot]) -> Symbolic:
        """Replace each slot of V, and each zero with entries, which gets a slot first, by its image."""
        match V:
            case tuple():
                return tuple([self._map_slots(W, image) for W in V])
            case SymbolicZero(Product()):
                return tuple([self._map_slots(W, image) for W in _components(V)])
            case SymbolicZero() if is_empty(V):
                return V
            case Slot() | SymbolicZero():
                return image(self._slot_of(V))


@lru_cache(maxsize=1024)
def _primitive_derivative(f: Primitive) -> Scope:
    return derivative(f)


def _checked_extent(f: Primitive) -> Extent:
    require(f)
    for A in leaves(f.domain):
        shape_of(A)
    return shape_of(f.codomain)


def activity(V: Symbolic) -> int:
    """Return the bits of the regions on which V depends."""
    match V:
        case Slot(_, _, active):
            return active
        case SymbolicZero():
            return 0
        case tuple():
            bits = 0
            for W in V:
                bits |= activity(W)
            return bits


def _components(V: SymbolicZero) -> tuple[Symbolic, ...]:
    match V.type:
        case Product(factors):
            return unpack(V, len(factors))
        case Real() | TypeMeta():
            return (V,)
