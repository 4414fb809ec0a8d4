"""Surface syntax of ``%%eff`` cells: names are strings, and syntactic sugar is kept. Every node has a span."""

from typing import TypeAlias

from rh_kernel.source.records import frozen
from rh_kernel.syntax.surface import Name, Written


@frozen
class NamedType(Written):
    """``Float``, ``x``, ``Paired x``, ``Cont x [e]``"""

    name: Name
    arguments: tuple["Type | Row", ...]


@frozen
class ProductType(Written):
    """``(A, B)``, or ``()``"""

    components: tuple["Type", ...]


@frozen
class ThunkType(Written):
    """``{A -> [E] B}``"""

    computation: "ComputationType"


@frozen
class Row(Written):
    """``[e | L, …]``; ``tail`` is the variable"""

    tail: Name | None
    labels: tuple[NamedType, ...]


@frozen
class ComputationType(Written):
    """``A -> B -> [E] C``; ``row`` is ``None`` if it is not given. A computation pair ``<| C, D |>`` is in ``sides``."""

    domains: tuple["Type", ...]
    row: Row | None
    result: "Type | None"
    sides: tuple["ComputationType", "ComputationType"] | None = None


Type: TypeAlias = NamedType | ProductType | ThunkType


@frozen
class AnyPattern(Written):
    """``_``"""


@frozen
class NamePattern(Written):
    """``x``"""

    name: str


@frozen
class LiteralPattern(Written):
    """``0``, ``-1.5`` or ``"a"``"""

    value: float | int | str


@frozen
class TuplePattern(Written):
    """``(p, q)``, or ``()``"""

    items: tuple["Pattern", ...]


@frozen
class ListPattern(Written):
    """``[p, q]``, or ``[]``"""

    items: tuple["Pattern", ...]


@frozen
class ConsPattern(Written):
    """``p :: q``"""

    first: "Pattern"
    rest: "Pattern"


@frozen
class ConstructorPattern(Written):
    """``Paired p q``"""

    constructor: Name
    fields: tuple["Pattern", ...]


Pattern: TypeAlias = AnyPattern | NamePattern | LiteralPattern | TuplePattern | ListPattern | ConsPattern | ConstructorPattern


@frozen
class Var(Written):
    """A name: ``x``, ``f``, ``Paired``"""

    name: str


@frozen
class Literal(Written):
    """``0.5``, ``-2`` or ``"text"``"""

    value: float | int | str


@frozen
class TupleExpr(Written):
    """``(M, N)``, or ``()``"""

    items: tuple["Expr", ...]


@frozen
class ListExpr(Written):
    """``[M, N]``, or ``[]``"""

    items: tuple["Expr", ...]


@frozen
class ThunkExpr(Written):
    """``{M}``, or ``{p q -> M}``"""

    parameters: tuple[Pattern, ...]
    body: "Expr"


@frozen
class LambdaExpr(Written):
    r"""``\p q -> M``"""

    parameters: tuple[Pattern, ...]
    body: "Expr"


@frozen
class PairExpr(Written):
    """``<| M, N |>``"""

    left: "Expr"
    right: "Expr"


@frozen
class Applied(Written):
    """``f M N``, with at least one argument"""

    head: "Expr"
    arguments: tuple["Expr", ...]


@frozen
class Forced(Written):
    """``M!``"""

    operand: "Expr"


@frozen
class Projected(Written):
    """``M.1`` or ``M.2``"""

    index: int
    operand: "Expr"


@frozen
class Read(Written):
    """``@M``"""

    operand: "Expr"


@frozen
class Negated(Written):
    """``-M``"""

    operand: "Expr"


@frozen
class Infix(Written):
    """``M + N``; ``sign`` is one of ``OPERATORS``, ``::`` or ``:=``"""

    sign: str
    left: "Expr"
    right: "Expr"


@frozen
class AdaptorExpr(Written):
    """``Smooth(s a b -> s b)`` or ``Smooth``; ``around`` and ``inside`` are its names without ``s``, that of the rest"""

    effect: Name
    around: tuple[Name, ...] | None
    inside: tuple[Name, ...]


@frozen
class Adapted(Written):
    """``<Smooth, RefState> M``"""

    adaptors: tuple[AdaptorExpr, ...]
    body: "Expr"


@frozen
class LetExpr(Written):
    """``let p = M in N``"""

    pattern: Pattern
    bound: "Expr"
    body: "Expr"


@frozen
class Sequence(Written):
    """``M; N``"""

    first: "Expr"
    rest: "Expr"


@frozen
class Branch(Written):
    """``p -> M``"""

    pattern: Pattern
    body: "Expr"


@frozen
class MatchExpr(Written):
    """``match M | p -> N | …``"""

    operand: "Expr"
    branches: tuple[Branch, ...]


@frozen
class IfExpr(Written):
    """``if M then N else L``"""

    condition: "Expr"
    then: "Expr"
    otherwise: "Expr"


@frozen
class ReturnClause(Written):
    """``return p -> M``"""

    pattern: Pattern
    body: "Expr"


@frozen
class OperationClause(Written):
    """``<op p… -> k> -> M``; ``continuation`` may be ``_``"""

    operation: Name
    patterns: tuple[Pattern, ...]
    continuation: Name
    body: "Expr"


Clause: TypeAlias = ReturnClause | OperationClause


@frozen
class Clauses(Written):
    """``{ return p -> M | <op p… -> k> -> N | … }``, with or without the braces"""

    clauses: tuple[Clause, ...]


@frozen
class HandlerName(Written):
    """``h M…``"""

    name: Name
    arguments: tuple["Expr", ...]


@frozen
class HandleExpr(Written):
    """``handle M with h``"""

    body: "Expr"
    handler: HandlerName | Clauses


Expr: TypeAlias = (
    Var
    | Literal
    | TupleExpr
    | ListExpr
    | ThunkExpr
    | LambdaExpr
    | PairExpr
    | Applied
    | Forced
    | Projected
    | Read
    | Negated
    | Infix
    | Adapted
    | LetExpr
    | Sequence
    | MatchExpr
    | IfExpr
    | HandleExpr
)
