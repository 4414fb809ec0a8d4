"""Scalar operations: functions of one or two numbers, each with its code for NumPy, C and CUDA.

A ``ScalarOp`` is all that a back end knows of an operation, so a new one is one value, here or beside the symbol that needs it.
"""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import partial
from typing import Any, Protocol, TypeAlias

import numpy as np
import numpy.typing as npt

from rh_kernel.syntax.core import Array

Action: TypeAlias = "Callable[[], object] | partial[Any]"
"""A call without arguments, such as ``partial(np.exp, x, out)``."""


class Workspace(Protocol):
    """What NumPy code may use besides its operands."""

    def number(self, value: float) -> Array:
        """A constant, as an array without axes in the plan's precision."""
        ...

    def flags(self, shape: tuple[int, ...]) -> npt.NDArray[np.bool_]:
        """A temporary array of truth values."""
        ...


NumPyCode: TypeAlias = Callable[[Workspace, Array, Sequence[Array]], Sequence[Action]]
"""``workspace, out, operands ↦`` the calls that write the result into ``out``"""


@dataclass(frozen=True, slots=True, eq=False, kw_only=True)
class ScalarOp:
    """A function of one or two numbers. Two operations are equal only if they are the same object.

    ``numpy`` is a ufunc, or the calls that compute the operation; ``out`` may be one of its operands unless ``in_place`` is false.

    ``c`` is an expression in C and CUDA of the operands ``{0}`` and ``{1}``, which are names. It may use ``{f}``, the suffix of a
    function of ``math.h`` for the precision (nothing, or ``f``), and the literals ``{one}`` and ``{zero}``. The C back end calls it
    by a function that is generated, unless ``native`` gives an expression over ``prelude.h`` that is faster, where ``ends`` are the
    bounds that ``prelude.h`` defines under that name.

    ``text`` is how a listing of a plan shows the operation, if not as ``name(x, y)``.
    """

    name: str
    numpy: np.ufunc | NumPyCode
    c: str
    native: str = ""
    text: str = ""
    arity: int = 1
    in_place: bool = True

    def calls(self, workspace: Workspace, out: Array, operands: Sequence[Array]) -> Sequence[Action]:
        """The calls by which NumPy writes ``f(operands)`` into ``out``."""
        if isinstance(self.numpy, np.ufunc):
            return [partial(self.numpy, *operands, out)]
        return self.numpy(workspace, out, operands)


def _keyword_out(f: np.ufunc) -> NumPyCode:
    """For ufuncs that take their output by keyword only, as the extremes do."""
    return lambda _, out, operands: [partial(f, *operands, out=out)]


def _negative(workspace: Workspace, out: Array, operands: Sequence[Array]) -> list[Action]:
    """``out ← −x``. On some processors ``np.negative`` is wrong where the entries of both arrays lie apart."""
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
    """``x > 0``, or ``x > y`` of two operands, as the NumPy back end writes a step of a difference."""
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


NEG = ScalarOp(name="neg", numpy=_negative, c="-{0}", native="-({0})")
EXP = ScalarOp(name="exp", numpy=np.exp, c="exp{f}({0})", native="exponential({0}, ends)")
LOG = ScalarOp(name="log", numpy=np.log, c="log{f}({0})")
SQRT = ScalarOp(name="sqrt", numpy=np.sqrt, c="sqrt{f}({0})", native="SQRT({0})")
SIN = ScalarOp(name="sin", numpy=np.sin, c="sin{f}({0})")
COS = ScalarOp(name="cos", numpy=np.cos, c="cos{f}({0})")
TANH = ScalarOp(name="tanh", numpy=np.tanh, c="tanh{f}({0})", native="hyperbolic_tangent({0}, ends)")
ABS = ScalarOp(name="abs", numpy=np.absolute, c="fabs{f}({0})", native="ABS({0})")
SIGN = ScalarOp(
    name="sign",
    numpy=np.sign,
    c="({0} > {zero} ? {one} : {0} < {zero} ? -{one} : {0} == {zero} ? {zero} : {0})",
    native="signum({0})",
)
RINT = ScalarOp(name="rint", numpy=np.rint, c="rint{f}({0})", native="RINT({0})", text="round({0})")
"""The nearest integer, the even one of two."""
SIGMOID = ScalarOp(
    name="sigmoid",
    numpy=_sigmoid,
    c="{one} / ({one} + exp{f}(-{0}))",
    native="sigmoid({0}, ends)",
    text="σ({0})",
)
SOFTPLUS = ScalarOp(
    name="softplus",
    numpy=_softplus,
    c="({0} > {zero} ? {0} : {zero}) + log1p{f}(exp{f}(-fabs{f}({0})))",
    native="softplus({0}, ends)",
)
STEP = ScalarOp(name="step", numpy=_step, c="({0} > {zero} ? {one} : {zero})", native="positive({0})", text="[{0} > 0]")
"""1 where x > 0, else 0."""
FINITE = ScalarOp(
    name="finite",
    numpy=_finite,
    c="({0} - {0} == {zero} ? {0} : {zero})",
    native="finite_or_zero({0})",
    in_place=False,
)
"""x, or 0 where it is not finite."""
ADD = ScalarOp(name="add", arity=2, numpy=np.add, c="{0} + {1}", native="{0} + {1}")
SUB = ScalarOp(name="sub", arity=2, numpy=np.subtract, c="{0} - {1}", native="{0} - {1}")
MUL = ScalarOp(name="mul", arity=2, numpy=np.multiply, c="{0} * {1}", native="{0} * {1}")
DIV = ScalarOp(name="div", arity=2, numpy=np.true_divide, c="{0} / {1}", native="{0} / {1}")
MAX = ScalarOp(
    name="max",
    arity=2,
    numpy=_keyword_out(np.maximum),
    c="({0} > {1} || {0} != {0} ? {0} : {1})",
    native="largest({0}, {1})",
)
"""nan where one of the two is."""
MIN = ScalarOp(
    name="min",
    arity=2,
    numpy=_keyword_out(np.minimum),
    c="({0} < {1} || {0} != {0} ? {0} : {1})",
    native="smallest({0}, {1})",
)
"""nan where one of the two is."""
EQUAL = ScalarOp(
    name="equal",
    arity=2,
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
