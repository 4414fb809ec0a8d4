"""Surface syntax of ``%%lambda`` cells: names are strings, sugar is kept, and every node has a span."""

from dataclasses import dataclass
from typing import TypeAlias

from rh_kernel.ad.language.types import Type
from rh_kernel.syntax.surface import Name, Pattern, Written


@dataclass(frozen=True, slots=True)
class Var(Written):
    """``x``"""

    name: str


@dataclass(frozen=True, slots=True)
class Number(Written):
    """``0.5``"""

    value: float


@dataclass(frozen=True, slots=True)
class TupleExpr(Written):
    """``(M, N)``, or ``()``"""

    items: tuple["Expr", ...]


@dataclass(frozen=True, slots=True)
class ArrayExpr(Written):
    """``[M, N]``, or ``[]``"""

    items: tuple["Expr", ...]


@dataclass(frozen=True, slots=True)
class Negate(Written):
    """``-M``"""

    operand: "Expr"


@dataclass(frozen=True, slots=True)
class Binary(Written):
    """``M + N``; ``symbol`` is ``add``, ``sub``, ``mul`` or ``div``, and ``sign`` the operator in the source"""

    symbol: str
    sign: str
    left: "Expr"
    right: "Expr"


@dataclass(frozen=True, slots=True)
class Projection(Written):
    """``M.1`` or ``proj_1(M)``; counted from 1"""

    index: int
    operand: "Expr"


@dataclass(frozen=True, slots=True)
class Entry(Written):
    """``M[0]``; counted from 0"""

    operand: "Expr"
    index: int


@dataclass(frozen=True, slots=True)
class Applied(Written):
    """``M(N, …)``: a function symbol, a declared function or a function value"""

    function: "Expr"
    arguments: tuple["Expr", ...]


@dataclass(frozen=True, slots=True)
class Abstraction(Written):
    r"""``λx : A. M`` or ``\x : A. M``"""

    name: Name
    type: Type
    body: "Expr"


@dataclass(frozen=True, slots=True)
class LetExpr(Written):
    """``let p <- M in N``"""

    pattern: Pattern
    bound: "Expr"
    body: "Expr"


@dataclass(frozen=True, slots=True)
class InjectExpr(Written):
    """``inl(M)`` (``side`` 1) or ``inr(M)`` (``side`` 2)"""

    side: int
    operand: "Expr"


@dataclass(frozen=True, slots=True)
class CaseExpr(Written):
    """``case M of inl x -> N | inr y -> L``"""

    operand: "Expr"
    left_name: Name
    left: "Expr"
    right_name: Name
    right: "Expr"


@dataclass(frozen=True, slots=True)
class IfExpr(Written):
    """``if M <= N then L else K``"""

    smaller: "Expr"
    larger: "Expr"
    then: "Expr"
    otherwise: "Expr"


@dataclass(frozen=True, slots=True)
class Former(Written):
    """``head[size](names. body, arguments)``, an operation on arrays: ``map(x. M, N)``, ``sum(M)``, ``replicate[n](M)``, …"""

    head: Name
    size: int | None
    names: tuple[Name, ...]
    body: "Expr | None"
    arguments: tuple["Expr", ...]


Expr: TypeAlias = (
    Var
    | Number
    | TupleExpr
    | ArrayExpr
    | Negate
    | Binary
    | Projection
    | Entry
    | Applied
    | Abstraction
    | LetExpr
    | InjectExpr
    | CaseExpr
    | IfExpr
    | Former
)


@dataclass(frozen=True, slots=True)
class FunItem(Written):
    """``fun f(x : A, …) : B = M``"""

    name: Name
    parameters: tuple[tuple[Name, Type], ...]
    result: Type | None
    body: Expr


@dataclass(frozen=True, slots=True)
class EvaluationItem(Written):
    """A term to evaluate"""

    expression: Expr


@dataclass(frozen=True, slots=True)
class AdItem(Written):
    """``%ad SYSTEM f(M, …) with W``, ``%ad SYSTEM f(M, …) along V``, ``%ad SYSTEM f``; after a point also ``--trace``"""

    system: Name
    function: Name
    arguments: tuple[Expr, ...] | None
    cotangent: Expr | None
    tangent: Expr | None
    traces: bool


Item: TypeAlias = FunItem | EvaluationItem | AdItem
