"""Surface syntax: names are strings, sugar is kept, and every node has its source span (LANGUAGE §1–3, §6).

Terms and commands share one grammar of expressions: whether ``f(x)`` applies a function, an operation or a net is decided by
elaboration.
"""

from dataclasses import field
from typing import TypeAlias

from rh_kernel.source.children import child
from rh_kernel.source.records import frozen
from rh_kernel.source.span import Span
from rh_kernel.syntax.conditions import Connective, Relation
from rh_kernel.syntax.operators import Arrow, BinaryOperator


@frozen
class Written:
    """Base of all surface nodes, with the source span."""

    span: Span = field(kw_only=True, compare=False, repr=False)


@frozen
class Name(Written):
    """An identifier where it is bound or declared."""

    text: str
    binders = ("text",)


@frozen
class NamePattern(Written):
    """``x`` or ``_``"""

    name: str
    binders = ("name",)


@frozen
class TuplePattern(Written):
    """``(p1, …, pn)``, n ≥ 2"""

    items: tuple["Pattern", ...]
    binders = ("items",)


Pattern: TypeAlias = NamePattern | TuplePattern


@frozen
class RealType(Written):
    """``Real(d1, …, dk)``; ``Real`` alone has no dims and means ``Real(1)``; ``Real(s…)`` has the name of a whole shape"""

    dims: tuple["Expr", ...]
    whole: Name | None = None


@frozen
class UnitType(Written):
    """``1``"""


@frozen
class ProductType(Written):
    """``A * B * C`` or ``A × B × C``; brackets nest"""

    factors: tuple["TypeExpr", ...]


TypeExpr: TypeAlias = RealType | UnitType | ProductType


@frozen
class LocKind(Written):
    """``Loc(d1, …, dk)``, ``Loc(s…)``; for a family of locations ``Loc(d1, …, dk)[n]``"""

    dims: tuple["Expr", ...]
    length: "Expr | None" = None
    whole: Name | None = None


@frozen
class DimKind(Written):
    """``Dim``"""


Kind: TypeAlias = LocKind | DimKind | TypeExpr


@frozen
class Var(Written):
    """``x``; also the name of a location, a dimension or a function used as an index"""

    name: str
    uses = ("name",)


@frozen
class Number(Written):
    """``0.5``; ``text`` is the source text, so that ``0`` and ``0.0`` differ"""

    text: str


@frozen
class ArrayLiteral(Written):
    """``[1.0, 2.0]``, ``[[1, 2], [3, 4]]``: items are arrays, numbers or negated numbers"""

    items: tuple["Expr", ...]


@frozen
class Unit(Written):
    """``()``"""


@frozen
class TupleExpr(Written):
    """``(M, N)`` or ``⟨M, N⟩``, at least two"""

    items: tuple["Expr", ...]


@frozen
class Apply(Written):
    """``f[i, …](M, …)``: a function symbol, an operation or a net. Without square brackets ``indices == ()``.

    ``rd[f](w, v)`` is ``Apply`` of the name ``rd`` with the index ``f``; ``proj_1(M)`` is parsed as ``Projection``.
    """

    head: Name
    indices: tuple["Expr", ...]
    arguments: tuple["Expr", ...]
    uses = ("head",)
    children = child("indices"), child("arguments")


@frozen
class Family(Written):
    """``reshape[2, 3]`` or ``rd[f]`` without an argument: only as an index, as in ``rd[rd[f]](w, v)``"""

    head: Name
    indices: tuple["Expr", ...]
    uses = ("head",)
    children = (child("indices"),)


@frozen
class Negate(Written):
    """``-M``"""

    operand: "Expr"


@frozen
class Binary(Written):
    """``M op N``"""

    operator: BinaryOperator
    left: "Expr"
    right: "Expr"


def spine(e: Binary, operators: frozenset[BinaryOperator]) -> list[Binary]:
    """The nested left operands ``M op N op …`` of ``e`` and ``e`` itself, innermost first, as long as these operators continue.

    Iterating over them avoids recursion that is as deep as the chain is long.
    """
    found = [e]
    while isinstance(found[-1].left, Binary) and found[-1].left.operator in operators:
        found.append(found[-1].left)
    return found[::-1]


@frozen
class Transpose(Written):
    """``w^T`` or ``wᵀ``"""

    operand: "Expr"


@frozen
class Projection(Written):
    """``M.1`` or ``proj_1(M)``; counted from 1"""

    index: int
    operand: "Expr"


@frozen
class ReverseDerivative(Written):
    """``W.rd(x. N)(V)``"""

    cotangent: "Expr"
    variable: Pattern
    body: "Expr"
    point: "Expr"
    children = child("cotangent"), child("point"), child("body", binds="variable")


@frozen
class LetExpr(Written):
    """``let p <- M in N`` (``arrow`` TERM) or ``let p <= P in Q`` (``arrow`` COMMAND)"""

    pattern: Pattern
    arrow: Arrow
    bound: "Expr"
    body: "Expr"
    children = child("bound"), child("body", binds="pattern")


@frozen
class ReturnExpr(Written):
    """``return M`` or ``⌊M⌋``"""

    term: "Expr"


@frozen
class RevHandleExpr(Written):
    """``rev handle (M) <x1, …, xn>. R with H``"""

    argument: "Expr"
    variables: tuple[Pattern, ...]
    body: "Expr"
    handler: "HandlerExpr"
    children = child("argument"), child("body", binds="variables"), child("handler")


@frozen
class HandleExpr(Written):
    """``handle P with H``"""

    command: "Expr"
    handler: "HandlerExpr"


@frozen
class ResumeExpr(Written):
    """``k • M``; the ASCII form ``k(M)`` is parsed as ``Apply`` and resolved by what ``k`` is bound to"""

    continuation: Name
    argument: "Expr"
    uses = ("continuation",)
    children = (child("argument"),)


@frozen
class MapExpr(Written):
    """``map (p1 in M1, …, pn in Mn) do N``"""

    patterns: tuple[Pattern, ...]
    sources: tuple["Expr", ...]
    body: "Expr"
    children = child("sources"), child("body", binds="patterns")


@frozen
class ScanExpr(Written):
    """``scan (p in M) from s = N do P``; ``variables`` are p and s"""

    variables: tuple[Pattern, Pattern]
    source: "Expr"
    start: "Expr"
    body: "Expr"
    children = child("source"), child("start"), child("body", binds="variables")


@frozen
class RepeatExpr(Written):
    """``repeat i < n from p = M do P``"""

    index: Name
    count: "Expr"
    variable: Pattern
    start: "Expr"
    body: "Expr"
    children = child("count"), child("start"), child("body", binds=("index", "variable"))


@frozen
class Comparison(Written):
    """``L < L'`` or ``L > L'``"""

    relation: Relation
    left: "Expr"
    right: "Expr"


@frozen
class NotCondition(Written):
    """``not B``"""

    of: "Condition"


@frozen
class JoinedConditions(Written):
    """``B and B'`` or ``B or B'``"""

    connective: Connective
    left: "Condition"
    right: "Condition"


Condition: TypeAlias = Comparison | NotCondition | JoinedConditions


@frozen
class IfExpr(Written):
    """``if B then M else N``, of terms or of commands"""

    condition: Condition
    then: "Expr"
    otherwise: "Expr"


UnaryExpr: TypeAlias = Negate | Transpose | Projection
"""Expressions with one subexpression, ``operand``."""

TermExpr: TypeAlias = Var | Number | ArrayLiteral | Unit | TupleExpr | UnaryExpr | Binary | ReverseDerivative | MapExpr
"""Expressions that are terms and never commands."""

Expr: TypeAlias = (
    TermExpr | Apply | Family | LetExpr | ReturnExpr | RevHandleExpr | HandleExpr | ResumeExpr | ScanExpr | RepeatExpr | IfExpr
)


@frozen
class HandlerName(Written):
    """``sgd(0.1, t)`` or ``infer``: a declared handler, applied to closed arguments if it has parameters"""

    name: Name
    arguments: tuple[Expr, ...]
    uses = ("name",)
    children = (child("arguments"),)


@frozen
class ReturnClause(Written):
    """``return x -> Q``"""

    variable: Pattern
    body: Expr
    children = (child("body", binds="variable"),)


ClauseIndex: TypeAlias = Name | Family
"""``l`` or, for the location ``ws[0]`` alone, ``ws[0]``."""


def text_of(index: ClauseIndex) -> str:
    """The name in an index of a clause; for ``ws[0]`` it is ``ws``."""
    return index.text if isinstance(index, Name) else index.head.text


@frozen
class ReverseClause(Written):
    """``Op[i, …](x) -> Qf | y, z -> Qb``; ``(x1, x2)`` and ``()`` in the head are a single pattern"""

    head: Name
    indices: tuple[ClauseIndex, ...]
    variable: Pattern
    forward: Expr
    cotangent: Pattern
    auxiliary: Pattern
    backward: Expr
    uses = ("head", "indices")
    children = (
        child("forward", binds=("indices", "variable")),
        child("backward", binds=("indices", "cotangent", "auxiliary")),
    )


@frozen
class OrdinaryClause(Written):
    """``Op[i, …](x), k -> Q``"""

    head: Name
    indices: tuple[ClauseIndex, ...]
    variable: Pattern
    continuation: Name
    body: Expr
    uses = ("head", "indices")
    children = (child("body", binds=("indices", "variable", "continuation")),)


Clause: TypeAlias = ReturnClause | ReverseClause | OrdinaryClause


@frozen
class HandlerLiteral(Written):
    """``{ return x -> P ; Op[l](x) -> … }``"""

    clauses: tuple[Clause, ...]


HandlerExpr: TypeAlias = HandlerName | HandlerLiteral
