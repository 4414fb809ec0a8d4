"""Formulas ``M : A`` over Σ_fun, in which the derivatives of the table are written.

A term that knows its type finds by itself the instance of each symbol that is applied to it. The operators are the symbols they
look like, entry by entry, save ``+``, which is the ``M + N`` of the language (RH Def. 3.4), and ``@``, which is ``matmul``.
"""

from collections.abc import Callable
from typing import TypeAlias

from rh_kernel.primitives.schemes import AtMost, Scheme, instantiate
from rh_kernel.source.diagnostic import KernelBug
from rh_kernel.source.records import frozen
from rh_kernel.syntax.binding import shift
from rh_kernel.syntax.core import Bound, Call, Let, Plus, Scope, Term, Zero
from rh_kernel.syntax.dimensions import Dim, DimVar, ceil, dim
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

_c, _d, _h, _p, _q, _w = (DimVar(name) for name in "cdhpqw")
_lo, _hi = DimVar("lo"), DimVar("hi")
# The axes after the first, for each rank that `concat` and `slice` have.
_FURTHER: tuple[tuple[DimVar, ...], ...] = tuple(tuple(DimVar(name) for name in "ijk"[:r]) for r in range(4))


def _at_most(smaller: str | int, larger: str) -> AtMost:
    return AtMost(dim(smaller), dim(larger))


def _blocks(n: str) -> Dim:
    """How many blocks of p there are along n entries."""
    return ceil(dim(n), dim("p"))


CONCAT = tuple(
    Scheme(
        (_m, _n, *rest),
        (),
        Product((real("m", *map(dim, rest)), real("n", *map(dim, rest)))),
        real(dim("m") + dim("n"), *map(dim, rest)),
    )
    for rest in _FURTHER
)
SLICE = tuple(
    Scheme(
        (_lo, _hi, _n, *rest),
        (_lo, _hi),
        real("n", *map(dim, rest)),
        real(dim("hi") - dim("lo"), *map(dim, rest)),
        needs=(_at_most(0, "lo"), _at_most("lo", "hi"), _at_most("hi", "n")),
    )
    for rest in _FURTHER
)

_SOME_WINDOW = (_at_most(1, "k"),)
_SOME_WINDOWS = (_at_most(1, "p"), _at_most(1, "q"))
_SOME_BLOCK = (_at_most(1, "p"),)
_PLACES, _PLACES_H, _PLACES_W = dim("n") - dim("k") + dim(1), dim("h") - dim("p") + dim(1), dim("w") - dim("q") + dim(1)

CONV1D = Scheme((_c, _n, _d, _k), (), Product((real("c", "n"), real("d", "c", "k"))), real("d", _PLACES), needs=_SOME_WINDOW)
WINDOWS1D = Scheme((_k, _c, _n), (_k,), real("c", "n"), real("c", "k", _PLACES), needs=_SOME_WINDOW)
OVERLAP_ADD1D = Scheme((_c, _k, _m), (), real("c", "k", "m"), real("c", dim("m") + dim("k") - dim(1)), needs=_SOME_WINDOW)
POOL1D = Scheme((_p, _c, _n), (_p,), real("c", "n"), real("c", _blocks("n")), needs=_SOME_BLOCK)
MARK1D = Scheme((_p, _c, _n), (_p,), real("c", "n"), real("c", "n"), needs=_SOME_BLOCK)
SPREAD1D = Scheme((_p, _n, _c), (_p, _n), real("c", _blocks("n")), real("c", "n"), needs=_SOME_BLOCK)
PAD1D = Scheme((_m, _c, _n), (_m,), real("c", "n"), real("c", "m"), needs=(_at_most("n", "m"),))
CROP1D = Scheme((_m, _c, _n), (_m,), real("c", "n"), real("c", "m"), needs=(_at_most("m", "n"),))
UPSCALE1D = Scheme((_m, _c, _n), (_m,), real("c", "n"), real("c", "m"), needs=(_at_most(1, "n"),))
DOWNSUM1D = Scheme((_n, _c, _m), (_n,), real("c", "m"), real("c", "n"), needs=(_at_most(1, "n"),))

CONV2D = Scheme(
    (_c, _h, _w, _d, _p, _q),
    (),
    Product((real("c", "h", "w"), real("d", "c", "p", "q"))),
    real("d", _PLACES_H, _PLACES_W),
    needs=_SOME_WINDOWS,
)
WINDOWS2D = Scheme(
    (_p, _q, _c, _h, _w), (_p, _q), real("c", "h", "w"), real("c", "p", "q", _PLACES_H, _PLACES_W), needs=_SOME_WINDOWS
)
OVERLAP_ADD2D = Scheme(
    (_c, _p, _q, _m, _n),
    (),
    real("c", "p", "q", "m", "n"),
    real("c", dim("m") + dim("p") - dim(1), dim("n") + dim("q") - dim(1)),
    needs=_SOME_WINDOWS,
)
POOL2D = Scheme((_p, _c, _h, _w), (_p,), real("c", "h", "w"), real("c", _blocks("h"), _blocks("w")), needs=_SOME_BLOCK)
MARK2D = Scheme((_p, _c, _h, _w), (_p,), real("c", "h", "w"), real("c", "h", "w"), needs=_SOME_BLOCK)
SPREAD2D = Scheme((_p, _h, _w, _c), (_p, _h, _w), real("c", _blocks("h"), _blocks("w")), real("c", "h", "w"), needs=_SOME_BLOCK)


@frozen
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


def concat(M: Typed, N: Typed) -> Typed:
    """The rows of ``M`` and then those of ``N``."""
    m, *rest = M.dims
    return apply("concat", CONCAT[len(rest)], (m, N.dims[0], *rest), M, N)


def rows(lo: Dim, hi: Dim, M: Typed) -> Typed:
    """``slice[lo, hi](M)``"""
    return apply("slice", SLICE[len(M.dims) - 1], (lo, hi, *M.dims), M)


def windows1d(k: Dim, M: Typed) -> Typed:
    """The windows of ``k`` neighbours in a signal."""
    return apply("windows1d", WINDOWS1D, (k, *M.dims), M)


def overlap_add1d(M: Typed) -> Typed:
    """Windows, each added where ``windows1d`` takes it from."""
    return apply("overlap_add1d", OVERLAP_ADD1D, M.dims, M)


def first_max1d(p: Dim, M: Typed) -> Typed:
    """1 at the first largest entry of each block of ``p``, else 0."""
    return apply("first_max1d", MARK1D, (p, *M.dims), M)


def sumpool1d(p: Dim, M: Typed) -> Typed:
    """The sum of each block of ``p``."""
    return apply("sumpool1d", POOL1D, (p, *M.dims), M)


def spread1d(p: Dim, n: Dim, M: Typed) -> Typed:
    """Each entry ``p`` times, cut at ``n`` entries."""
    return apply("spread1d", SPREAD1D, (p, n, M.dims[0]), M)


def pad1d(m: Dim, M: Typed) -> Typed:
    """``m`` entries, with zeros on both sides."""
    return apply("pad1d", PAD1D, (m, *M.dims), M)


def crop1d(m: Dim, M: Typed) -> Typed:
    """The ``m`` entries in the middle."""
    return apply("crop1d", CROP1D, (m, *M.dims), M)


def upscale1d(m: Dim, M: Typed) -> Typed:
    """``m`` entries, each that of ``M`` which is nearest."""
    return apply("upscale1d", UPSCALE1D, (m, *M.dims), M)


def downsum1d(n: Dim, M: Typed) -> Typed:
    """``n`` sums of the entries that ``upscale1d`` would make of one."""
    return apply("downsum1d", DOWNSUM1D, (n, *M.dims), M)


def windows2d(p: Dim, q: Dim, M: Typed) -> Typed:
    """The windows of ``p`` rows and ``q`` columns in an image."""
    return apply("windows2d", WINDOWS2D, (p, q, *M.dims), M)


def overlap_add2d(M: Typed) -> Typed:
    """Windows, each added where ``windows2d`` takes it from."""
    return apply("overlap_add2d", OVERLAP_ADD2D, M.dims, M)


def first_max2d(p: Dim, M: Typed) -> Typed:
    """1 at the first largest entry of each block of ``p`` by ``p``, else 0."""
    return apply("first_max2d", MARK2D, (p, *M.dims), M)


def sumpool2d(p: Dim, M: Typed) -> Typed:
    """The sum of each block of ``p`` by ``p``."""
    return apply("sumpool2d", POOL2D, (p, *M.dims), M)


def spread2d(p: Dim, h: Dim, w: Dim, M: Typed) -> Typed:
    """Each entry as a block of ``p`` by ``p``, cut at ``h`` rows and ``w`` columns."""
    return apply("spread2d", SPREAD2D, (p, h, w, M.dims[0]), M)
