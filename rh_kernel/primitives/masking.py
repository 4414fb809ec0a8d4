"""The symbol ``mask``, a product with 0 or 1 that is 0 even where the other factor is infinite or nan.

Conditionals are compiled to it (LANGUAGE §9).
"""

from collections.abc import Sequence
from functools import partial
from math import prod
from types import ModuleType

import numpy as np

from rh_kernel.loops.builder import call
from rh_kernel.loops.context import LoweringContext
from rh_kernel.loops.layouts import Layout
from rh_kernel.loops.scalars import Action, ScalarOp, Workspace
from rh_kernel.primitives.formulas import Typed, pair, zero
from rh_kernel.primitives.linear import SCALE
from rh_kernel.primitives.schemes import extent, rank
from rh_kernel.primitives.symbol import Family, FunctionSymbol, Kernel, NonSmooth
from rh_kernel.syntax.core import Array, Primitive
from rh_kernel.syntax.types import SCALAR


def _masked(workspace: Workspace, out: Array, operands: Sequence[Array]) -> list[Action]:
    c, x = operands
    kept, none = workspace.flags(out.shape), workspace.number(0.0)
    return [partial(np.greater, c, none, kept), partial(np.copyto, out, none), partial(np.copyto, out, x, where=kept)]


MASK = ScalarOp(
    name="mask",
    arity=2,
    function=lambda xp: lambda c, x: xp.where(c > 0, x, xp.zeros_like(x)),
    numpy=_masked,
    c="({0} > {zero} ? {1} : {zero})",
    in_place=False,
    text="[{0} > 0] {1}",
)
"""x where c > 0, else 0."""


def _kernel(f: Primitive, xp: ModuleType) -> Kernel:
    further = (1,) * (rank(f.codomain) - 1)

    def kernel(c: Array, x: Array) -> Array:
        return xp.where(c.reshape(c.shape + further) > 0, x, xp.zeros((), x.dtype))

    return kernel


def _lowering(at: LoweringContext) -> Layout:
    c = at.numbers[0]
    return at.entries(call(MASK, 0, 1), at.filled() if c is None else c, at.operand(1))


def _derivative(f: Primitive, w: Typed, v: Typed) -> Typed:
    c, _ = v.parts
    return pair(zero(SCALAR), mask(c, w))


def _is_zero(c: Array, x: Array) -> Array:
    return c == 0


mask: FunctionSymbol = FunctionSymbol(
    name="mask",
    doc="an array x of any shape where a number c is positive, else zeros, whatever x is",
    formula="[c > 0] · x",
    example="mask(1, [1, 2])",
    schemes=(SCALE,),
    derivative=_derivative,
    kernel=_kernel,
    lowering=_lowering,
    cost=lambda f: prod(extent(f.codomain)),
    costs=("|s|",),
    nonsmooth=NonSmooth(where="c = 0", example="mask(0, [1, 2])", at=lambda f, xp: _is_zero),
    linear_in=(1,),
)

MASKING = Family("A mask", (mask,))
