"""The record of a function symbol, from which the language, the evaluators and the back ends are derived (LANGUAGE §4)."""

from collections.abc import Callable
from math import prod
from types import ModuleType
from typing import TypeAlias

from rh_kernel.loops.builder import Formula
from rh_kernel.loops.context import Lowering, LoweringContext
from rh_kernel.loops.layouts import Layout
from rh_kernel.loops.scalars import Binary, Unary
from rh_kernel.primitives.array_expressions import translated
from rh_kernel.primitives.array_operators import Translation
from rh_kernel.primitives.formulas import ENTRYWISE, OF_ONE_SHAPE, Typed, apply
from rh_kernel.primitives.schemes import Scheme, extent, match
from rh_kernel.source.diagnostic import KernelBug
from rh_kernel.source.records import frozen, frozen_kw_only
from rh_kernel.syntax.core import Array, Primitive
from rh_kernel.syntax.dimensions import Dim
from rh_kernel.syntax.types import Shape

Kernel: TypeAlias = Callable[..., Array]
"""``x₁, …, xₙ ↦ f(x₁, …, xₙ)`` on arrays, one for each argument.

Each argument may have leading batch axes, which broadcast, and the result has them, too. A kernel never writes to its
arguments, keeps their dtype, and may return a view of one of them. Undefined points give ``nan`` or ``±inf``; the caller
decides whether the array module warns about them.
"""

KernelOf: TypeAlias = Callable[[Primitive, ModuleType], Kernel]
"""The kernel of a concrete instance over an array module, NumPy or CuPy."""

Points: TypeAlias = Callable[[Array], tuple[Array]] | Callable[[Array, Array], tuple[Array, Array]]
"""Maps arguments of a symbol to other arguments."""

Pullback: TypeAlias = Callable[[Primitive, Typed, Typed], Typed]
"""``f, w, v ↦ rd[f](w, v)``: cotangent first, point second, as in RH Fig. 6; several arguments are one point."""

VjpRule: TypeAlias = Callable[[Typed, Typed], Typed]
"""``w, v ↦ rd[f](w, v)`` for a symbol f without indices."""


@frozen_kw_only
class NonSmooth:
    """The points where f is undefined or not smooth (RH Ex. 6.9).

    ``where`` is the condition as text, e.g. ``x = 0``, ``example`` a program that evaluates f there, and ``at`` computes the
    condition as an array of Booleans.
    """

    where: str
    example: str
    at: KernelOf


@frozen_kw_only
class RowNumbers:
    """An argument of row numbers: f is undefined, in every program, unless its entries are whole numbers from 0 to n − 1.

    ``argument`` is its position, from 0, and ``count`` the number n of rows of a member. ``where`` says in words where f is
    undefined, and ``example`` is a program that evaluates f there.
    """

    argument: int
    count: Callable[[Primitive], Dim]
    where: str
    example: str


@frozen_kw_only
class FunctionSymbol:
    """A function symbol ``f : A → B``, one record for each name.

    For the language:

    - ``doc`` is a line of documentation, ``formula`` the value at x (or at the arguments named in ``doc``), ``example`` an
      application that the reference evaluates.
    - ``schemes`` are its types. Several are resolved by the types of the arguments.
    - ``derivative`` is ``rd[f](w, v)`` as a term.
    - ``kernel`` computes a concrete instance on NumPy and CuPy arrays.
    - ``cost`` is the number of floating point operations of a concrete instance, ``costs`` the same as text for each scheme
      (or one for all), where ``|s|`` is the number of entries of the shape s.
    - ``nonsmooth`` is where f is not smooth; ``None`` if it is smooth everywhere.
    - ``row_numbers`` says which argument consists of numbers of rows; ``None`` if none does.

    For the compiler:

    - ``lowering`` expresses f as loops. Without one, or where it returns ``None``, a compiled program calls the kernel.
    - ``decomposition`` expresses f by simpler symbols, which a compiled program evaluates instead.
    - ``jointly_linear``: f is linear in all its arguments at once. ``linear_in``: f is linear in each of these arguments,
      counted from 0, with the others fixed.
    - ``sums_from_zero``: each entry is a sum that starts from 0.0, so none is −0.0. ``is_product``: each entry is one product,
      so the sign of a zero is that of its factors. ``commutes``: f(x, y) = f(y, x). ``is_identity_at_equal_types``: an
      instance of type A → A is the identity.

    For other array languages:

    - ``translation`` expresses a concrete instance by array expressions. Without one, the ``decomposition`` is translated.

    For hints, EFF and tests:

    - ``python_names`` are the names of f in NumPy, PyTorch and others; ``python_usage`` is the form here, if the arguments
      differ.
    - ``eff`` is f on Python floats; if given, EFF has a built-in function of that name.
    - ``test_sizes`` are the values of the variables at which f is tested, by default all small ones; ``test_point`` moves
      random arguments away from points where f is not smooth.
    """

    name: str
    doc: str
    formula: str
    example: str
    schemes: tuple[Scheme, ...]
    derivative: Pullback
    kernel: KernelOf
    cost: Callable[[Primitive], int]
    costs: tuple[str, ...]
    nonsmooth: NonSmooth | None = None
    row_numbers: RowNumbers | None = None
    lowering: Lowering | None = None
    decomposition: Callable[[Typed], Typed] | None = None
    jointly_linear: bool = False
    linear_in: tuple[int, ...] = ()
    sums_from_zero: bool = False
    is_product: bool = False
    commutes: bool = False
    is_identity_at_equal_types: bool = False
    translation: Translation | None = None
    python_names: tuple[str, ...] = ()
    python_usage: str = ""
    eff: Callable[[float], float] | None = None
    test_sizes: tuple[tuple[int, ...], ...] = ()
    test_point: Points | None = None

    @property
    def signatures(self) -> tuple[str, ...]:
        """The type schemes as text, e.g. ``reshape[s…] : Real(t…) → Real(s…)``."""
        return tuple(f"{self.name}{scheme}" for scheme in self.schemes)

    def __call__(self, *arguments: Typed) -> Typed:
        """``f(M₁, …, Mₙ)``, for derivatives and decompositions. Raises ``KernelBug`` if no scheme matches the arguments."""
        return self._applied((), arguments)

    def __getitem__(self, explicit: Shape | Dim) -> Callable[..., Typed]:
        """``f[explicit]``, to be applied to arguments, e.g. ``windows1d[k](x)``."""
        return lambda *arguments: self._applied(explicit if isinstance(explicit, tuple) else (explicit,), arguments)

    def _applied(self, explicit: tuple[Shape | Dim, ...], arguments: tuple[Typed, ...]) -> Typed:
        types = tuple([M.type for M in arguments])
        for scheme in self.schemes:
            at = match(scheme, explicit, types)
            if at is not None:
                return apply(self.name, scheme, at, *arguments)
        raise KernelBug(f"no {self.name} takes {', '.join(map(str, types))}")


@frozen
class Family:
    """A group of related function symbols, and its title in the reference."""

    title: str
    symbols: tuple[FunctionSymbol, ...]


def entries(f: Primitive) -> int:
    """Return the number of entries of the argument of a concrete instance. Raises ``ValueError`` if its shape is not known."""
    return prod(extent(f.domain))


def no_cost(f: Primitive) -> int:
    """The cost of symbols that only move entries: 0."""
    return 0


def entrywise(
    name: str,
    *,
    doc: str,
    formula: str,
    example: str,
    derivative: VjpRule,
    value: "Formula | None" = None,
    kernel: Callable[[ModuleType], Unary | Binary] | None = None,
    arguments: int = 1,
    nonsmooth: NonSmooth | None = None,
    decomposition: Callable[[Typed], Typed] | None = None,
    jointly_linear: bool = False,
    linear_in: tuple[int, ...] = (),
    is_product: bool = False,
    commutes: bool = False,
    python_names: tuple[str, ...] = (),
    eff: Callable[[float], float] | None = None,
    test_point: Points | None = None,
) -> FunctionSymbol:
    """Define an entrywise symbol ``f : Real(s…) → Real(s…)``, or one with two arguments of the same shape.

    The kernel and the lowering are derived from ``value``, a formula of scalar operations. A symbol without one has a
    ``kernel`` and a ``decomposition``.
    """

    def computed(f: Primitive, xp: ModuleType) -> Kernel:
        if kernel is not None:
            return kernel(xp)
        if value is None:
            raise KernelBug(f"{name}: no value and no kernel")
        return formula_kernel(value, xp)

    return FunctionSymbol(
        name=name,
        doc=doc,
        formula=formula,
        example=example,
        schemes=(ENTRYWISE if arguments == 1 else OF_ONE_SHAPE,),
        derivative=lambda f, w, v: derivative(w, v),
        kernel=computed,
        cost=lambda f: prod(extent(f.codomain)),
        costs=("|s|",),
        nonsmooth=nonsmooth,
        lowering=None if value is None else lowered(value),
        translation=None if value is None else translated(value),
        decomposition=decomposition,
        jointly_linear=jointly_linear,
        linear_in=linear_in,
        is_product=is_product,
        commutes=commutes,
        python_names=python_names,
        eff=eff,
        test_point=test_point,
    )


def nonsmooth_where(where: str, example: str, at: Unary | Binary) -> NonSmooth:
    """Describe where an entrywise symbol is not smooth; ``at`` is the condition on an entry of each argument."""
    return NonSmooth(where=where, example=example, at=lambda f, xp: at)


def lowered(value: Formula) -> Lowering:
    """Return the lowering of an entrywise formula of the arguments."""

    def lower(at: LoweringContext) -> Layout:
        return at.entries(value)

    return lower


def formula_kernel(value: Formula, xp: ModuleType) -> Kernel:
    """Return the kernel of a formula of scalar operations."""
    match value:
        case int():
            return lambda *arguments: arguments[value]
        case float():
            return lambda *arguments: xp.full_like(arguments[0], value)
        case (op, parts):
            function: Kernel = op.function(xp)
            if parts == tuple(range(op.arity)):
                return function
            operands = [part if isinstance(part, float) else formula_kernel(part, xp) for part in parts]
            return lambda *arguments: function(*[x if isinstance(x, float) else x(*arguments) for x in operands])
