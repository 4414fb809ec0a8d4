"""The symbol ``select``, to which conditionals are compiled (LANGUAGE §9): nothing leaks out of the array that is not taken.

It is the sum of two arrays, one of which is −0.0, the neutral element of the addition of floating-point numbers. So the other
one keeps its signs of zeros, and an infinity or nan in the array that is not taken does not matter.
"""

from collections.abc import Sequence
from functools import partial
from math import prod
from types import ModuleType

import numpy as np

from rh_kernel.loops import scalars
from rh_kernel.loops.builder import call
from rh_kernel.loops.context import LoweringContext
from rh_kernel.loops.layouts import Layout
from rh_kernel.loops.scalars import Action, ScalarOp, Workspace
from rh_kernel.primitives import array_expressions as ae
from rh_kernel.primitives.formulas import Typed, zero
from rh_kernel.primitives.schemes import Scheme, extent, rank
from rh_kernel.primitives.symbol import Family, FunctionSymbol, Kernel, NonSmooth
from rh_kernel.syntax.core import Array, Primitive
from rh_kernel.syntax.types import SCALAR, Product, Real, ShapeVar, product
from rh_kernel.syntax.values import tuple_of

_s = ShapeVar("s")

SELECT = Scheme((_s,), (), Product((SCALAR, Real(_s), Real(_s))), Real(_s))


def _kept(workspace: Workspace, out: Array, operands: Sequence[Array]) -> list[Action]:
    c, x = operands
    return _taken(workspace, out, c, workspace.number(-0.0), x)


def _dropped(workspace: Workspace, out: Array, operands: Sequence[Array]) -> list[Action]:
    c, x = operands
    return _taken(workspace, out, c, x, workspace.number(-0.0))


def _taken(workspace: Workspace, out: Array, c: Array, x: Array, y: Array) -> list[Action]:
    """``out ← x``, and y where c > 0"""
    positive = workspace.flags(out.shape)
    compared = partial(np.greater, c, workspace.number(0.0), positive)
    return [compared, partial(np.copyto, out, x), partial(np.copyto, out, y, where=positive)]


KEEP = ScalarOp(
    name="keep",
    arity=2,
    function=lambda xp: lambda c, x: xp.where(c > 0, x, -xp.zeros_like(x)),
    numpy=_kept,
    c="({0} > {zero} ? {1} : -{zero})",
    in_place=False,
    text="[{0} > 0] {1}",
)
"""x where c > 0, else −0.0."""

DROP = ScalarOp(
    name="drop",
    arity=2,
    function=lambda xp: lambda c, x: xp.where(c > 0, -xp.zeros_like(x), x),
    numpy=_dropped,
    c="({0} > {zero} ? -{zero} : {1})",
    in_place=False,
    text="[not {0} > 0] {1}",
)
"""−0.0 where c > 0, else x."""


def _kernel(f: Primitive, xp: ModuleType) -> Kernel:
    further = (1,) * (rank(f.codomain) - 1)

    def kernel(c: Array, x: Array, y: Array) -> Array:
        return xp.where(c.reshape(c.shape + further) > 0, x, y)

    return kernel


def _lowering(at: LoweringContext) -> Layout:
    c = at.numbers[0]
    taken = call(scalars.ADD, call(KEEP, 0, 1), call(DROP, 0, 2))
    return at.entries(taken, at.filled() if c is None else c, at.operand(1), at.operand(2))


def _derivative(f: Primitive, w: Typed, v: Typed) -> Typed:
    c, x, _ = v.parts
    nothing = zero(x.type)
    parts = zero(SCALAR), select(c, w, nothing), select(c, nothing, w)
    return Typed(tuple_of(tuple([M.term for M in parts])), product([M.type for M in parts]))


def _is_zero(c: Array, x: Array, y: Array) -> Array:
    return c == 0


select: FunctionSymbol = FunctionSymbol(
    name="select",
    doc="of two arrays x and y of one shape x where a number c is positive, else y",
    formula="x if c > 0 else y",
    example="select(1, [1, 2], [3, 4])",
    schemes=(SELECT,),
    derivative=_derivative,
    kernel=_kernel,
    lowering=_lowering,
    translation=lambda f, c, x, y: ae.where(ae.reshape(c, (1,) * x.rank), x, y),
    cost=lambda f: prod(extent(f.codomain)),
    costs=("|s|",),
    nonsmooth=NonSmooth(where="c = 0", example="select(0, [1, 2], [3, 4])", at=lambda f, xp: _is_zero),
)

SELECTION = Family("A choice", (select,))
