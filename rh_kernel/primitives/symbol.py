"""The record of a function symbol: all that the language, the evaluators and the back ends know of it (LANGUAGE §4)."""

from collections.abc import Callable
from math import prod
from types import ModuleType
from typing import TypeAlias

from rh_kernel.loops.builder import Formula
from rh_kernel.loops.context import Lowering, LoweringContext
from rh_kernel.loops.layouts import Layout
from rh_kernel.loops.scalars import Binary, Unary
from rh_kernel.primitives.formulas import ENTRYWISE, OF_ONE_SHAPE, Typed, apply
from rh_kernel.primitives.schemes import Scheme, extent, match
from rh_kernel.source.diagnostic import KernelBug
from rh_kernel.source.records import frozen, frozen_kw_only
from rh_kernel.syntax.core import Array, Primitive
from rh_kernel.syntax.dimensions import Dim
from rh_kernel.syntax.types import Shape

Kernel: TypeAlias = Callable[..., Array]
"""``x₁, …, xₙ ↦ f(x₁, …, xₙ)`` on arrays, one for each argument.

Each argument may have further axes in front of those of its type (a batch); those of several arguments broadcast, and the
result has them in front. A kernel never writes to its arguments, keeps their dtype, and may return a view of one of them.
Undefined points give ``nan`` or ``±inf``; whether the array module warns of them is for the caller to set.
"""

KernelOf: TypeAlias = Callable[[Primitive, ModuleType], Kernel]
"""The kernel of a concrete instance over an array module, NumPy or CuPy."""

Points: TypeAlias = Callable[[Array], tuple[Array]] | Callable[[Array, Array], tuple[Array, Array]]
"""Arguments of a symbol ↦ other arguments."""

Pullback: TypeAlias = Callable[[Primitive, Typed, Typed], Typed]
"""``f, w, v ↦ rd[f](w, v)``: cotangent first, point second, as in RH Fig. 6; several arguments are one point."""

Slope: TypeAlias = Callable[[Typed, Typed], Typed]
"""``w, v ↦ rd[f](w, v)``, where the indices of f do not matter."""


@frozen_kw_only
class NonSmooth:
    """Where f is undefined or not smooth (RH Ex. 6.9): as text, e.g. ``x = 0``; a program there; an array of truth values."""

    where: str
    example: str
    at: KernelOf


@frozen_kw_only
class FunctionSymbol:
    """``f : A → B``, one record for each name.

    What the language needs:

    - ``doc`` is a line for the reader, ``formula`` the value at x (or at the arguments that ``doc`` names), ``example`` an
      application whose value the reference shows.
    - ``schemes`` are its types. With several, the types of the arguments decide.
    - ``derivative`` is ``rd[f](w, v)`` as a term.
    - ``kernel`` computes a concrete instance on NumPy and CuPy arrays.
    - ``cost`` is the number of floating point operations of a concrete instance, ``costs`` the same as text for each scheme
      (or one for all), where ``|s|`` is the number of entries of the shape s.
    - ``nonsmooth`` is where f is not smooth; without it f is smooth everywhere.

    What the compiler may use:

    - ``lowering`` writes f as loops. Without one, or where it returns ``None``, a compiled program calls the kernel.
    - ``decomposition`` is f in terms of simpler symbols, which a compiled program evaluates in its place.
    - ``jointly_linear``: f is linear in all its arguments at once. ``linear_in``: f is linear in each of these arguments,
      counted from 0, with the others fixed.
    - ``sums_from_zero``: each entry is a sum that begins with 0.0, so none is −0.0. ``is_product``: each entry is one product,
      so the sign of a zero is that of its factors. ``commutes``: f(x, y) = f(y, x). ``is_identity_at_equal_types``: an
      instance of type A → A is the identity.

    What other parts may use:

    - ``python_names`` are what NumPy, PyTorch and others call f, for hints; ``python_usage`` shows how it is written here,
      where the arguments differ.
    - ``eff`` is f on Python floats. With it, EFF has a built-in function of that name.
    - ``test_sizes`` are the values of the variables at which tests try f, if not all small ones; ``test_point`` moves random
      arguments away from where f is not smooth.
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
    lowering: Lowering | None = None
    decomposition: Callable[[Typed], Typed] | None = None
    jointly_linear: bool = False
    linear_in: tuple[int, ...] = ()
    sums_from_zero: bool = False
    is_product: bool = False
    commutes: bool = False
    is_identity_at_equal_types: bool = False
    python_names: tuple[str, ...] = ()
    python_usage: str = ""
    eff: Callable[[float], float] | None = None
    test_sizes: tuple[tuple[int, ...], ...] = ()
    test_point: Points | None = None

    @property
    def signatures(self) -> tuple[str, ...]:
        """The type schemes as they are written, e.g. ``reshape[s…] : Real(t…) → Real(s…)``."""
        return tuple(f"{self.name}{scheme}" for scheme in self.schemes)

    def __call__(self, *arguments: Typed) -> Typed:
        """``f(M₁, …, Mₙ)``, for derivatives and decompositions. Raises ``KernelBug`` if no scheme fits the arguments."""
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
    """Function symbols that belong together, under the title that they have in the reference."""

    title: str
    symbols: tuple[FunctionSymbol, ...]


def entries(f: Primitive) -> int:
    """The number of entries of all arguments of a concrete instance. Raises ``ValueError`` if a shape is not known."""
    return prod(extent(f.domain))


def no_cost(f: Primitive) -> int:
    """What only moves entries costs nothing."""
    return 0


def entrywise(
    name: str,
    *,
    doc: str,
    formula: str,
    example: str,
    derivative: Slope,
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
    """``f : Real(s…) → Real(s…)``, or of two arguments of one shape, entry by entry.

    ``value`` is a formula of scalar operations, from which the kernel and the lowering follow. A symbol without one has a
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
    """Where an entrywise symbol is not smooth: ``at`` is the condition on an entry of each argument."""
    return NonSmooth(where=where, example=example, at=lambda f, xp: at)


def lowered(value: Formula) -> Lowering:
    """The lowering of a formula of the arguments, entry by entry."""

    def lower(at: LoweringContext) -> Layout:
        return at.entries(value)

    return lower


def formula_kernel(value: Formula, xp: ModuleType) -> Kernel:
    """The kernel of a formula of scalar operations."""
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
