"""Scalar operations: functions of one or two numbers, each with its code for NumPy, C and CUDA.

The back ends get all their code from the ``ScalarOp``, so adding an operation means adding one value, here or beside the symbol
that needs it.
"""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import partial
from types import ModuleType
from typing import Any, Protocol, TypeAlias

import numpy as np
import numpy.typing as npt

from rh_kernel.syntax.core import Array

Action: TypeAlias = "Callable[[], object] | partial[Any]"
"""A call without arguments, such as ``partial(np.exp, x, out)``."""


Unary: TypeAlias = Callable[[Array], Array]
Binary: TypeAlias = Callable[[Array, Array], Array]


class Workspace(Protocol):
    """Constants and temporaries for NumPy code."""

    def number(self, value: float) -> Array:
        """Return a constant as a zero-dimensional array in the plan's precision."""
        ...

    def flags(self, shape: tuple[int, ...]) -> npt.NDArray[np.bool_]:
        """Return a temporary array of Booleans."""
        ...


NumPyCode: TypeAlias = Callable[[Workspace, Array, Sequence[Array]], Sequence[Action]]
"""``workspace, out, operands ↦`` the calls that write the result to ``out``"""


@dataclass(frozen=True, slots=True, eq=False, kw_only=True)
class ScalarOp:
    """A function of one or two numbers. Two operations are equal only if they are the same object.

    ``function`` computes it on arrays of an array module, NumPy or CuPy. ``c`` is an expression in C and CUDA of the operands
    ``{0}`` and ``{1}``, which are names. It may use ``{f}``, the suffix of ``math.h`` functions for the precision (empty, or
    ``f``), and the literals ``{one}`` and ``{zero}``. The other fields are optional:

    - ``numpy`` gives the NumPy calls that write the result in place, for a ``function`` that is not a ufunc. The output may be
      one of the operands unless ``in_place`` is false.
    - ``native`` is an expression over ``prelude.h``, where ``ends`` are the bounds defined there. Without it, the C back end
      generates a function from ``c``.
    - ``text`` is the notation in listings of plans, if not ``name(x, y)``.
    """

    name: str
    function: Callable[[ModuleType], Unary | Binary]
    c: str
    numpy: NumPyCode | None = None
    native: str = ""
    text: str = ""
    arity: int = 1
    in_place: bool = True

    def calls(self, workspace: Workspace, out: Array, operands: Sequence[Array]) -> Sequence[Action]:
        """Return the NumPy calls that write ``f(operands)`` to ``out``."""
        if self.numpy is not None:
            return self.numpy(workspace, out, operands)
        function: np.ufunc | Callable[..., Array] = self.function(np)
        if not isinstance(function, np.ufunc):
            return [partial(_copied, function, operands, out)]
        return [partial(function, *operands, out=out) if function in _KEYWORD_OUT else partial(function, *operands, out)]


_KEYWORD_OUT = (np.maximum, np.minimum)
"""The ufuncs whose output is passed by keyword."""


def _copied(function: Callable[..., Array], operands: Sequence[Array], out: Array) -> None:
    np.copyto(out, function(*operands))


def _negative(workspace: Workspace, out: Array, operands: Sequence[Array]) -> list[Action]:
    """``out ← −x``; on some processors ``np.negative`` is wrong if neither array is contiguous."""
    (x,) = operands
    dense = x.flags.c_contiguous and out.flags.c_contiguous
    return [partial(np.negative, x, out) if dense else partial(np.multiply, x, workspace.number(-1.0), out)]


def _sigmoid(workspace: Workspace, out: Array, operands: Sequence[Array]) -> list[Action]:
    one = workspace.number(1.0)
    powers = [*_negative(workspace, out, operands), partial(np.exp, out, out)]
    return [*powers, partial(np.add, out, one, out), partial(np.true_divide, one, out, out)]


def _softplus(workspace: Workspace, out: Array, operands: Sequence[Array]) -> list[Action]:
    return [partial(np.logaddexp, operands[0], workspace.number(0.0), out)]


def _step(workspace: Workspace, out: Array, operands: Sequence[Array]) -> list[Action]:
    """``x > 0``, or for two operands ``x > y``: the NumPy back end's form of a step of a difference."""
    x, *rest = operands
    return [partial(np.greater, x, rest[0] if rest else workspace.number(0.0), out)]


def _equal(workspace: Workspace, out: Array, operands: Sequence[Array]) -> list[Action]:
    x, y = operands
    same, none = workspace.flags(out.shape), workspace.flags(out.shape)
    compared = [partial(np.equal, x, y, same), partial(np.not_equal, x, x, none)]
    return [*compared, partial(np.logical_or, same, none, out)]


def _finite(workspace: Workspace, out: Array, operands: Sequence[Array]) -> list[Action]:
    (x,), finite = operands, workspace.flags(out.shape)
    copied = [partial(np.isfinite, x, finite), partial(np.copyto, out, workspace.number(0.0))]
    return [*copied, partial(np.copyto, out, x, where=finite)]


NEG = ScalarOp(name="neg", function=lambda xp: xp.negative, numpy=_negative, c="-{0}", native="-({0})")
EXP = ScalarOp(name="exp", function=lambda xp: xp.exp, c="exp{f}({0})", native="exponential({0}, ends)")
LOG = ScalarOp(name="log", function=lambda xp: xp.log, c="log{f}({0})")
SQRT = ScalarOp(name="sqrt", function=lambda xp: xp.sqrt, c="sqrt{f}({0})", native="SQRT({0})")
SIN = ScalarOp(name="sin", function=lambda xp: xp.sin, c="sin{f}({0})")
COS = ScalarOp(name="cos", function=lambda xp: xp.cos, c="cos{f}({0})")
TANH = ScalarOp(name="tanh", function=lambda xp: xp.tanh, c="tanh{f}({0})", native="hyperbolic_tangent({0}, ends)")
ABS = ScalarOp(name="abs", function=lambda xp: xp.abs, c="fabs{f}({0})", native="ABS({0})")
SIGN = ScalarOp(
    name="sign",
    function=lambda xp: xp.sign,
    c="({0} > {zero} ? {one} : {0} < {zero} ? -{one} : {0} == {zero} ? {zero} : {0})",
    native="signum({0})",
)
RINT = ScalarOp(name="rint", function=lambda xp: xp.rint, c="rint{f}({0})", native="RINT({0})", text="round({0})")
"""The nearest integer; of two, the even one."""
SIGMOID = ScalarOp(
    name="sigmoid",
    function=lambda xp: lambda x: 1 / (1 + xp.exp(-x)),
    numpy=_sigmoid,
    c="{one} / ({one} + exp{f}(-{0}))",
    native="sigmoid({0}, ends)",
    text="σ({0})",
)
SOFTPLUS = ScalarOp(
    name="softplus",
    function=lambda xp: lambda x: xp.logaddexp(x, 0),
    numpy=_softplus,
    c="({0} > {zero} ? {0} : {zero}) + log1p{f}(exp{f}(-fabs{f}({0})))",
    native="softplus({0}, ends)",
)
STEP = ScalarOp(
    name="step",
    function=lambda xp: lambda x: (x > 0).astype(x.dtype),
    numpy=_step,
    c="({0} > {zero} ? {one} : {zero})",
    native="positive({0})",
    text="[{0} > 0]",
)
"""1 where x > 0, else 0."""
FINITE = ScalarOp(
    name="finite",
    function=lambda xp: lambda x: xp.where(xp.isfinite(x), x, xp.zeros_like(x)),
    numpy=_finite,
    c="({0} - {0} == {zero} ? {0} : {zero})",
    native="finite_or_zero({0})",
    in_place=False,
)
"""x, or 0 where it is not finite."""
ADD = ScalarOp(name="add", arity=2, function=lambda xp: xp.add, c="{0} + {1}", native="{0} + {1}")
SUB = ScalarOp(name="sub", arity=2, function=lambda xp: xp.subtract, c="{0} - {1}", native="{0} - {1}")
MUL = ScalarOp(name="mul", arity=2, function=lambda xp: xp.multiply, c="{0} * {1}", native="{0} * {1}")
DIV = ScalarOp(name="div", arity=2, function=lambda xp: xp.true_divide, c="{0} / {1}", native="{0} / {1}")
MAX = ScalarOp(
    name="max",
    arity=2,
    function=lambda xp: xp.maximum,
    c="({0} > {1} || {0} != {0} ? {0} : {1})",
    native="largest({0}, {1})",
)
"""nan where one of the two is."""
MIN = ScalarOp(
    name="min",
    arity=2,
    function=lambda xp: xp.minimum,
    c="({0} < {1} || {0} != {0} ? {0} : {1})",
    native="smallest({0}, {1})",
)
"""nan where one of the two is."""
EQUAL = ScalarOp(
    name="equal",
    arity=2,
    function=lambda xp: lambda x, y: ((x == y) | (x != x)).astype(x.dtype),
    numpy=_equal,
    c="({0} == {1} || {0} != {0} ? {one} : {zero})",
    native="equal({0}, {1})",
    text="[{0} = {1}]",
)
"""1 where x = y, or x is nan; else 0."""

SCALAR_OPS = (
    *(NEG, EXP, LOG, SQRT, SIN, COS, TANH, ABS, SIGN, RINT, SIGMOID, SOFTPLUS, STEP, FINITE),
    *(ADD, SUB, MUL, DIV, MAX, MIN, EQUAL),
)
"""The operations of this module."""
