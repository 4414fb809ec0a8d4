"""Typed terms ``M : A`` over Σ_fun: an embedded language for the derivatives in the table.

Function symbols (``primitives.symbol``) can be applied to them; the types of the arguments determine the instance. The
operators are the corresponding entrywise symbols, except for ``+``, which is the ``M + N`` of the calculus (RH Def. 3.4), and
``@``, which is ``matmul``.
"""

from collections.abc import Callable

from rh_kernel.primitives.schemes import Scheme, instantiate
from rh_kernel.source.diagnostic import KernelBug
from rh_kernel.source.records import frozen
from rh_kernel.syntax.binding import shift
from rh_kernel.syntax.core import Bound, Call, Let, Plus, Scope, Term, Zero
from rh_kernel.syntax.dimensions import Dim, DimVar
from rh_kernel.syntax.types import SCALAR, Product, Real, Shape, ShapeVar, Type, TypeMeta, product, real
from rh_kernel.syntax.values import component, constant, tuple_of

_s = ShapeVar("s")
_k, _m, _n = DimVar("k"), DimVar("m"), DimVar("n")

ENTRYWISE = Scheme((_s,), (), Real(_s), Real(_s))
OF_ONE_SHAPE = Scheme((_s,), (), Product((Real(_s), Real(_s))), Real(_s))
MATRIX_VECTOR = Scheme((_m, _n), (), Product((real("m", "n"), real("n"))), real("m"))
MATRIX_MATRIX = Scheme((_m, _k, _n), (), Product((real("m", "k"), real("k", "n"))), real("m", "n"))


@frozen
class Typed:
    """``M : A``"""

    term: Term
    type: Type

    @property
    def shape(self) -> Shape:
        """The shape of a term of base type."""
        match self.type:
            case Real(shape):
                return shape
            case Product() | TypeMeta():
                raise KernelBug(f"{self.type} is no base type")

    @property
    def dims(self) -> tuple[Dim, ...]:
        """The dimensions of a term of base type whose axes are known."""
        if isinstance(self.shape, tuple):
            return self.shape
        raise KernelBug(f"the axes of {self.type} are not known")

    @property
    def parts(self) -> tuple["Typed", ...]:
        """``M.1, …, M.n`` for a product; M itself for a base type."""
        match self.type:
            case Product(many):
                return tuple(Typed(component(self.term, i, len(many)), A) for i, A in enumerate(many))
            case Real() | TypeMeta():
                return (self,)

    def __add__(self, other: "Typed") -> "Typed":
        return Typed(Plus(self.term, other.term), self.type)

    def __neg__(self) -> "Typed":
        return apply("neg", ENTRYWISE, (self.shape,), self)

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


def apply(name: str, scheme: Scheme, at: tuple[Shape | Dim, ...], *arguments: Typed) -> Typed:
    """``f(M₁, …, Mₙ)`` for the instance of ``f`` at ``at``."""
    f = instantiate(name, scheme, at)
    return Typed(Call(f, tuple_of(tuple(M.term for M in arguments))), f.codomain)


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
    """``let y ← M in body(y, w, v)``: of the terms outside, the body may use only ``w`` and ``v``."""
    N = body(Typed(Bound(0, hint), M.type), Typed(shift(w.term, 1), w.type), Typed(shift(v.term, 1), v.type))
    return Typed(Let(M.term, Scope((hint,), N.term)), N.type)
