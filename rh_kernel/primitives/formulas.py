"""Formulas ``M : A`` over Σ_fun, in which the derivatives of the table are written.

A term that knows its type finds by itself the instance of each symbol that is applied to it. The operators are the symbols they
look like, entry by entry, save ``+``, which is the ``M + N`` of the language (RH Def. 3.4), and ``@``, which is ``matmul``.
"""

from collections.abc import Callable
from dataclasses import dataclass
from typing import TypeAlias

from rh_kernel.primitives.schemes import Scheme, instantiate
from rh_kernel.source.diagnostic import KernelBug
from rh_kernel.syntax.binding import shift
from rh_kernel.syntax.core import Bound, Call, Let, Plus, Scope, Term, Zero
from rh_kernel.syntax.dimensions import Dim, DimVar
from rh_kernel.syntax.types import SCALAR, Product, Real, Shape, ShapeVar, Type, TypeMeta, product, real
from rh_kernel.syntax.values import component, constant, tuple_of

_s, _t = ShapeVar("s"), ShapeVar("t")
_k, _m, _n = DimVar("k"), DimVar("m"), DimVar("n")

ENTRYWISE = Scheme((_s,), (), Real(_s), Real(_s))
OF_ONE_SHAPE = Scheme((_s,), (), Product((Real(_s), Real(_s))), Real(_s))
SCALE = Scheme((_s,), (), Product((SCALAR, Real(_s))), Real(_s))
FILL = Scheme((_s,), (_s,), SCALAR, Real(_s))
TO_SCALAR = Scheme((_s,), (), Real(_s), SCALAR)
TWO_TO_SCALAR = Scheme((_s,), (), Product((Real(_s), Real(_s))), SCALAR)
MATRIX_VECTOR = Scheme((_m, _n), (), Product((real("m", "n"), real("n"))), real("m"))
MATRIX_MATRIX = Scheme((_m, _k, _n), (), Product((real("m", "k"), real("k", "n"))), real("m", "n"))
TRANSPOSE = Scheme((_m, _n), (), real("m", "n"), real("n", "m"))
OUTER = Scheme((_m, _n), (), Product((real("m"), real("n"))), real("m", "n"))
RESHAPE = Scheme((_s, _t), (_s,), Real(_t), Real(_s), same_size=(_s, _t))
BROADCAST_ROWS = Scheme((_m, _n), (_m,), real("n"), real("m", "n"))
SUM_ROWS = Scheme((_m, _n), (), real("m", "n"), real("n"))
VECTOR = Scheme((_n,), (), real("n"), real("n"))
VECTOR_TO_SCALAR = Scheme((_n,), (), real("n"), SCALAR)


@dataclass(frozen=True, slots=True)
class Typed:
    """``M : A``"""

    term: Term
    type: Type

    @property
    def shape(self) -> Shape:
        """The shape of a formula of base type."""
        match self.type:
            case Real(shape):
                return shape
            case Product() | TypeMeta():
                raise KernelBug(f"{self.type} is no base type")

    @property
    def dims(self) -> tuple[Dim, ...]:
        """The dimensions of a formula of base type whose axes are known."""
        if isinstance(self.shape, tuple):
            return self.shape
        raise KernelBug(f"the axes of {self.type} are not known")

    @property
    def parts(self) -> tuple["Typed", ...]:
        """``M.1, …, M.n`` of a product."""
        match self.type:
            case Product(many):
                return tuple(Typed(component(self.term, i, len(many)), A) for i, A in enumerate(many))
            case Real() | TypeMeta():
                return (self,)

    def __add__(self, other: "Typed") -> "Typed":
        return Typed(Plus(self.term, other.term), self.type)

    def __neg__(self) -> "Typed":
        return entrywise("neg")(self)

    def __sub__(self, other: "Typed") -> "Typed":
        return apply("sub", OF_ONE_SHAPE, (self.shape,), self, other)

    def __mul__(self, other: "Typed") -> "Typed":
        return apply("mul", OF_ONE_SHAPE, (self.shape,), self, other)

    def __truediv__(self, other: "Typed") -> "Typed":
        return apply("div", OF_ONE_SHAPE, (self.shape,), self, other)

    def __matmul__(self, other: "Typed") -> "Typed":
        match self.dims, other.dims:
            case (m, n), (_,):
                return apply("matmul", MATRIX_VECTOR, (m, n), self, other)
            case (m, k), (_, n):
                return apply("matmul", MATRIX_MATRIX, (m, k, n), self, other)
            case _:
                raise KernelBug(f"no matmul of {self.type} and {other.type}")


Formula: TypeAlias = Callable[[Typed], Typed]


def apply(name: str, scheme: Scheme, at: tuple[Shape | Dim, ...], *arguments: Typed) -> Typed:
    """``f(M₁, …, Mₙ)`` for the instance of ``f`` at ``at``."""
    f = instantiate(name, scheme, at)
    return Typed(Call(f, tuple_of(tuple(M.term for M in arguments))), f.codomain)


def entrywise(name: str) -> Formula:
    """The entrywise symbol of that name."""
    return lambda M: apply(name, ENTRYWISE, (M.shape,), M)


exp, log, sqrt, square, recip, sign, sin, cos, tanh, sigmoid, step = (
    entrywise(name) for name in ("exp", "log", "sqrt", "square", "recip", "sign", "sin", "cos", "tanh", "sigmoid", "step")
)


def number(c: float) -> Typed:
    """The constant ``c : Real(1)``."""
    return Typed(constant(c), SCALAR)


def zero(A: Type) -> Typed:
    """``0 : A``"""
    return Typed(Zero(A), A)


def pair(M: Typed, N: Typed) -> Typed:
    """``⟨M, N⟩``"""
    return Typed(tuple_of((M.term, N.term)), product((M.type, N.type)))


def let(hint: str, M: Typed, body: Callable[[Typed, Typed, Typed], Typed], w: Typed, v: Typed) -> Typed:
    """``let y ← M in body(y, w, v)``: the body uses no other formulas from outside than ``w`` and ``v``."""
    N = body(Typed(Bound(0, hint), M.type), Typed(shift(w.term, 1), w.type), Typed(shift(v.term, 1), v.type))
    return Typed(Let(M.term, Scope((hint,), N.term)), N.type)


def scale(a: Typed, M: Typed) -> Typed:
    """``a · M`` for a scalar ``a``"""
    return apply("scale", SCALE, (M.shape,), a, M)


def fill(shape: Shape, a: Typed) -> Typed:
    """The array of that shape all of whose entries are the scalar ``a``."""
    return apply("fill", FILL, (shape,), a)


def total(M: Typed) -> Typed:
    """``sum(M)``"""
    return apply("sum", TO_SCALAR, (M.shape,), M)


def dot(M: Typed, N: Typed) -> Typed:
    """``dot(M, N)``"""
    return apply("dot", TWO_TO_SCALAR, (M.shape,), M, N)


def transpose(M: Typed) -> Typed:
    """``Mᵀ``"""
    return apply("transpose", TRANSPOSE, M.dims, M)


def outer(M: Typed, N: Typed) -> Typed:
    """``M Nᵀ`` for two vectors"""
    return apply("outer", OUTER, (*M.dims, *N.dims), M, N)


def reshape(shape: Shape, M: Typed) -> Typed:
    """``M`` read in row-major order into that shape."""
    return apply("reshape", RESHAPE, (shape, M.shape), M)


def broadcast_rows(m: Dim, M: Typed) -> Typed:
    """The matrix whose ``m`` rows are all the vector ``M``."""
    return apply("broadcast_rows", BROADCAST_ROWS, (m, *M.dims), M)


def sum_rows(M: Typed) -> Typed:
    """The sum of the rows of a matrix."""
    return apply("sum_rows", SUM_ROWS, M.dims, M)


def softmax(M: Typed) -> Typed:
    """``softmax(M)`` of a vector"""
    return apply("softmax", VECTOR, M.dims, M)
