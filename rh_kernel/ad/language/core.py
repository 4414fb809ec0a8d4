"""Elaborated terms of ``%%lambda`` cells: every operation is on numbers, and every binder has a name of its own.

``L M N ::= c | x | let x <- M in N | f(M, …) | ⟨M, …⟩ | M.i | λx : A. M | M(N) | inl(M) | inr(M) | case | if | arrays``.
Elaboration removes patterns, calls of declared functions (inlined under ``let``), and sums and products of whole arrays and
tuples (expanded to ``map`` and components). In a ``Program`` no two binders have the same name, and none has that of a
parameter, so that a transformation may move terms without capture.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import ClassVar, TypeAlias

from rh_kernel.ad.language.types import Sum, Type, product
from rh_kernel.source.children import Children, child


@dataclass(frozen=True, slots=True)
class Constant:
    """``0.5 : Real``"""

    value: float


@dataclass(frozen=True, slots=True)
class Variable:
    """``x``"""

    name: str
    uses: ClassVar[tuple[str, ...]] = ("name",)


@dataclass(frozen=True, slots=True)
class Let:
    """``let x <- M in N``"""

    name: str
    bound: "Term"
    body: "Term"
    children: ClassVar[Children] = child("bound"), child("body", binds="name")


@dataclass(frozen=True, slots=True)
class Apply:
    """``f(M1, …, Mk) : Real`` for a function symbol f of numbers (``scalars.SYMBOLS``): ``add``, ``mul``, ``sin``, …"""

    symbol: str
    arguments: tuple["Term", ...]


@dataclass(frozen=True, slots=True)
class Tuple:
    """``⟨M1, …, Mn⟩`` for n ≠ 1; the empty tuple is the unit ``()``"""

    components: tuple["Term", ...]


@dataclass(frozen=True, slots=True)
class Projection:
    """``M.i``, counted from 1"""

    index: int
    operand: "Term"


@dataclass(frozen=True, slots=True)
class Lambda:
    """``λx : A. M``"""

    name: str
    type: Type
    body: "Term"
    children: ClassVar[Children] = (child("body", binds="name"),)


@dataclass(frozen=True, slots=True)
class Call:
    """``M(N)`` for a function ``M : A → B``; several arguments are one tuple"""

    function: "Term"
    argument: "Term"


@dataclass(frozen=True, slots=True)
class Inject:
    """``inl(M)`` (``side`` 1) or ``inr(M)`` (``side`` 2), of the type ``A + B``"""

    side: int
    type: Sum
    operand: "Term"


@dataclass(frozen=True, slots=True)
class Case:
    """``case M of inl x -> N | inr y -> L``"""

    operand: "Term"
    left_name: str
    left: "Term"
    right_name: str
    right: "Term"
    children: ClassVar[Children] = child("operand"), child("left", binds="left_name"), child("right", binds="right_name")


@dataclass(frozen=True, slots=True)
class If:
    """``if M <= N then L else K``, for numbers M and N"""

    smaller: "Term"
    larger: "Term"
    then: "Term"
    otherwise: "Term"


@dataclass(frozen=True, slots=True)
class Array:
    """``[M1, …, Mn] : Real(n)``"""

    entries: tuple["Term", ...]


@dataclass(frozen=True, slots=True)
class Index:
    """``M[i] : Real`` for a literal i, counted from 0"""

    operand: "Term"
    index: int


@dataclass(frozen=True, slots=True)
class Map:
    """``map(x. M, N) : Real(n)``"""

    name: str
    body: "Term"
    array: "Term"
    children: ClassVar[Children] = child("array"), child("body", binds="name")


@dataclass(frozen=True, slots=True)
class Map2:
    """``map2(x y. M, N, L) : Real(n)``, for two arrays of the same size"""

    left_name: str
    right_name: str
    body: "Term"
    left: "Term"
    right: "Term"
    children: ClassVar[Children] = child("left"), child("right"), child("body", binds=("left_name", "right_name"))


@dataclass(frozen=True, slots=True)
class _Fold:
    """``fold(a x. M, N, L)``: a traversal of an array from the left with an accumulator"""

    accumulator: str
    name: str
    body: "Term"
    start: "Term"
    array: "Term"
    children: ClassVar[Children] = child("start"), child("array"), child("body", binds=("accumulator", "name"))


@dataclass(frozen=True, slots=True)
class Reduce(_Fold):
    """``reduce(a x. M, N, L) : Real`` for an associative M with the unit N; evaluated as ``foldl``"""


@dataclass(frozen=True, slots=True)
class Foldl(_Fold):
    """``foldl(a x. M, N, L) : A`` for ``N : A``"""


@dataclass(frozen=True, slots=True)
class Scanl(_Fold):
    """``scanl(a x. M, N, L) : Real(n + 1)``: N and all later accumulators of ``foldl``, which are numbers"""


@dataclass(frozen=True, slots=True)
class Total:
    """``sum(M) : Real``"""

    array: "Term"


@dataclass(frozen=True, slots=True)
class Replicate:
    """``replicate[n](M) : Real(n)``"""

    size: int
    operand: "Term"


@dataclass(frozen=True, slots=True)
class Generate:
    """``generate[n](i. M) : Real(n)``: M at the numbers ``i = 0, …, n − 1``, which are constants in every derivative"""

    size: int
    name: str
    body: "Term"
    children: ClassVar[Children] = (child("body", binds="name"),)


@dataclass(frozen=True, slots=True)
class Dot:
    """``dot(M, N) : Real``"""

    left: "Term"
    right: "Term"


ArrayTerm: TypeAlias = Array | Index | Map | Map2 | Reduce | Foldl | Scanl | Total | Replicate | Generate | Dot

Term: TypeAlias = Constant | Variable | Let | Apply | Tuple | Projection | Lambda | Call | Inject | Case | If | ArrayTerm


@dataclass(frozen=True, slots=True)
class Program:
    """``fun f(x1 : A1, …, xn : An) : B = M``: closed but for the parameters; no two binders have the same name."""

    name: str
    parameters: tuple[tuple[str, Type], ...]
    result: Type
    body: Term

    @property
    def domain(self) -> Type:
        """The type of the argument: that of the only parameter, or the product of all."""
        return product(*(A for _, A in self.parameters))


def add(M: Term, N: Term) -> Term:
    """``M + N``"""
    return Apply("add", (M, N))


def mul(M: Term, N: Term) -> Term:
    """``M * N``"""
    return Apply("mul", (M, N))


def lets(bound: Sequence[tuple[str, Term]], M: Term) -> Term:
    """``let x1 <- M1 in … let xn <- Mn in M``"""
    for x, N in reversed(bound):
        M = Let(x, N, M)
    return M
