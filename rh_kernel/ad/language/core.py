"""The terms of the laboratory's language, elaborated: every operation is on numbers, every binder has a name of its own.

``L M N ::= c | x | let x <- M in N | f(M, …) | ⟨M, …⟩ | M.i | λx : A. M | M(N) | inl(M) | inr(M) | case | if | arrays``.
What elaboration has taken away: patterns, calls of declared functions (put in, under ``let``), sums and products of whole
arrays and tuples (made of ``map`` and of components). In a ``Program`` no two binders have one name, and none that of a
parameter, so that a transformation may move terms without capture.
"""

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
    """``⟨M1, …, Mn⟩``; none is the unit ``()``, and one alone does not occur"""

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
    """``M[i] : Real``, counted from 0; i is a number that is written there"""

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
    """``map2(x y. M, N, L) : Real(n)``, for two arrays of one size"""

    left_name: str
    right_name: str
    body: "Term"
    left: "Term"
    right: "Term"
    children: ClassVar[Children] = child("left"), child("right"), child("body", binds=("left_name", "right_name"))


@dataclass(frozen=True, slots=True)
class Reduce:
    """``reduce(a x. M, N, L) : Real``: M is to be associative and N its unit, on which the result then does not depend.

    As a program it is the fold from the left.
    """

    accumulator: str
    name: str
    body: "Term"
    start: "Term"
    array: "Term"
    children: ClassVar[Children] = child("start"), child("array"), child("body", binds=("accumulator", "name"))


@dataclass(frozen=True, slots=True)
class Foldl:
    """``foldl(a x. M, N, L) : A`` for ``N : A``, the entries of L from the left"""

    accumulator: str
    name: str
    body: "Term"
    start: "Term"
    array: "Term"
    children: ClassVar[Children] = child("start"), child("array"), child("body", binds=("accumulator", "name"))


@dataclass(frozen=True, slots=True)
class Scanl:
    """``scanl(a x. M, N, L) : Real(n + 1)``: N and all that ``foldl`` goes through; the accumulator is a number"""

    accumulator: str
    name: str
    body: "Term"
    start: "Term"
    array: "Term"
    children: ClassVar[Children] = child("start"), child("array"), child("body", binds=("accumulator", "name"))


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
    """``generate[n](i. M) : Real(n)``: M at ``i = 0, …, n − 1``; i is a number, and nothing flows back to it"""

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
    """``fun f(x1 : A1, …, xn : An) : B = M``: closed but for the parameters; no two of its binders have one name."""

    name: str
    parameters: tuple[tuple[str, Type], ...]
    result: Type
    body: Term

    @property
    def domain(self) -> Type:
        """The type of its argument: of the one parameter, or the product of all of them."""
        return product(*(A for _, A in self.parameters))


def add(M: Term, N: Term) -> Term:
    """``M + N``"""
    return Apply("add", (M, N))


def mul(M: Term, N: Term) -> Term:
    """``M * N``"""
    return Apply("mul", (M, N))
