"""What was written: names are strings, sugar is kept, and every node knows its span (LANGUAGE §1–3, §6).

Terms and commands share one grammar of expressions: ``f(x)`` is a function, an operation or a net by what ``f`` names, which
elaboration decides.
"""

from dataclasses import dataclass, field
from enum import Enum
from typing import TypeAlias

from rh_kernel.source.span import Span


@dataclass(frozen=True, slots=True)
class Written:
    """What every surface node has: where it was written."""

    span: Span = field(kw_only=True, compare=False, repr=False)


@dataclass(frozen=True, slots=True)
class Name(Written):
    """An identifier at a place where it is bound or declared."""

    text: str


# -- patterns ------------------------------------------------------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class NamePattern(Written):
    """``x`` or ``_``"""

    name: str


@dataclass(frozen=True, slots=True)
class TuplePattern(Written):
    """``(p1, …, pn)``, n ≥ 2"""

    items: tuple["Pattern", ...]


Pattern: TypeAlias = NamePattern | TuplePattern


# -- types ---------------------------------------------------------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class RealType(Written):
    """``Real(d1, …, dk)``; ``Real`` alone has no dims and means ``Real(1)``"""

    dims: tuple["Expr", ...]


@dataclass(frozen=True, slots=True)
class UnitType(Written):
    """``1``"""


@dataclass(frozen=True, slots=True)
class ProductType(Written):
    """``A * B * C`` or ``A × B × C``; brackets nest"""

    factors: tuple["TypeExpr", ...]


TypeExpr: TypeAlias = RealType | UnitType | ProductType


@dataclass(frozen=True, slots=True)
class LocKind(Written):
    """``Loc(d1, …, dk)``"""

    dims: tuple["Expr", ...]


@dataclass(frozen=True, slots=True)
class DimKind(Written):
    """``Dim``"""


Kind: TypeAlias = LocKind | DimKind | TypeExpr


# -- expressions: terms, commands and indices ----------------------------------------------------------------------------------


class Arrow(Enum):
    """Which layer a ``let`` belongs to."""

    TERM = "←"
    COMMAND = "⇐"


class BinaryOperator(Enum):
    """An infix operator; the value is how it is printed. ``DOT`` is ``·``, scaling only; ``FLOOR`` is for dimensions."""

    PLUS = "+"
    MINUS = "-"
    TIMES = "*"
    DOT = "·"
    MATMUL = "@"
    DIVIDE = "/"
    FLOOR = "//"


@dataclass(frozen=True, slots=True)
class Var(Written):
    """``x``; also a name used as an index: a location, a dimension, a function"""

    name: str


@dataclass(frozen=True, slots=True)
class Number(Written):
    """``0.5``; ``text`` is what was written, so ``0`` and ``0.0`` can be told apart"""

    text: str


@dataclass(frozen=True, slots=True)
class ArrayLiteral(Written):
    """``[1.0, 2.0]``, ``[[1, 2], [3, 4]]``: items are arrays, numbers or negated numbers"""

    items: tuple["Expr", ...]


@dataclass(frozen=True, slots=True)
class Unit(Written):
    """``()``"""


@dataclass(frozen=True, slots=True)
class TupleExpr(Written):
    """``(M, N)`` or ``⟨M, N⟩``, at least two"""

    items: tuple["Expr", ...]


@dataclass(frozen=True, slots=True)
class Apply(Written):
    """``f[i, …](M, …)``: a function symbol, an operation or a net. No brackets means ``indices == ()``.

    ``rd[f](w, v)`` is ``Apply`` of the name ``rd`` with the index ``f``; ``proj_1(M)`` is parsed as ``Projection``.
    """

    head: Name
    indices: tuple["Expr", ...]
    arguments: tuple["Expr", ...]


@dataclass(frozen=True, slots=True)
class Family(Written):
    """``reshape[2, 3]`` or ``rd[f]`` without an argument: only as an index, e.g. in ``rd[rd[f]](w, v)``"""

    head: Name
    indices: tuple["Expr", ...]


@dataclass(frozen=True, slots=True)
class Negate(Written):
    """``-M``"""

    operand: "Expr"


@dataclass(frozen=True, slots=True)
class Binary(Written):
    """``M op N``"""

    operator: BinaryOperator
    left: "Expr"
    right: "Expr"


@dataclass(frozen=True, slots=True)
class Transpose(Written):
    """``w^T`` or ``wᵀ``"""

    operand: "Expr"


@dataclass(frozen=True, slots=True)
class Projection(Written):
    """``M.1`` or ``proj_1(M)``; counted from 1"""

    index: int
    operand: "Expr"


@dataclass(frozen=True, slots=True)
class ReverseDerivative(Written):
    """``W.rd(x. N)(V)``"""

    cotangent: "Expr"
    variable: Pattern
    body: "Expr"
    point: "Expr"


@dataclass(frozen=True, slots=True)
class LetExpr(Written):
    """``let p <- M in N`` (``arrow`` TERM) or ``let p <= P in Q`` (``arrow`` COMMAND)"""

    pattern: Pattern
    arrow: Arrow
    bound: "Expr"
    body: "Expr"


@dataclass(frozen=True, slots=True)
class ReturnExpr(Written):
    """``return M`` or ``⌊M⌋``"""

    term: "Expr"


@dataclass(frozen=True, slots=True)
class RevHandleExpr(Written):
    """``rev handle (M) <x1, …, xn>. R with H``"""

    argument: "Expr"
    variables: tuple[Pattern, ...]
    body: "Expr"
    handler: "HandlerExpr"


@dataclass(frozen=True, slots=True)
class HandleExpr(Written):
    """``handle P with H``"""

    command: "Expr"
    handler: "HandlerExpr"


@dataclass(frozen=True, slots=True)
class ResumeExpr(Written):
    """``k • M``; the ASCII form ``k(M)`` is parsed as ``Apply`` and told apart by what ``k`` is"""

    continuation: Name
    argument: "Expr"


Expr: TypeAlias = (
    Var
    | Number
    | ArrayLiteral
    | Unit
    | TupleExpr
    | Apply
    | Family
    | Negate
    | Binary
    | Transpose
    | Projection
    | ReverseDerivative
    | LetExpr
    | ReturnExpr
    | RevHandleExpr
    | HandleExpr
    | ResumeExpr
)


# -- handlers ------------------------------------------------------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class HandlerName(Written):
    """``sgd(0.1, t)`` or ``infer``: a declared handler, applied to closed arguments if it has parameters"""

    name: Name
    arguments: tuple[Expr, ...]


@dataclass(frozen=True, slots=True)
class ReturnClause(Written):
    """``return x -> Q``"""

    variable: Pattern
    body: Expr


@dataclass(frozen=True, slots=True)
class ReverseClause(Written):
    """``Op[i, …](x) -> Qf | y, z -> Qb``; ``(x1, x2)`` and ``()`` as written in the head are one pattern"""

    head: Name
    indices: tuple[Name, ...]
    variable: Pattern
    forward: Expr
    cotangent: Pattern
    auxiliary: Pattern
    backward: Expr


@dataclass(frozen=True, slots=True)
class OrdinaryClause(Written):
    """``Op[i, …](x), k -> Q``"""

    head: Name
    indices: tuple[Name, ...]
    variable: Pattern
    continuation: Name
    body: Expr


Clause: TypeAlias = ReturnClause | ReverseClause | OrdinaryClause


@dataclass(frozen=True, slots=True)
class HandlerLiteral(Written):
    """``{ return x -> P ; Op[l](x) -> … }``"""

    clauses: tuple[Clause, ...]


HandlerExpr: TypeAlias = HandlerName | HandlerLiteral


# -- items ---------------------------------------------------------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class StaticParameter(Written):
    """``l : Loc(m, n)``, ``p : Dim`` or ``a : Real``, in square brackets"""

    name: Name
    kind: Kind


@dataclass(frozen=True, slots=True)
class TypedParameter(Written):
    """``x : A``, in round brackets"""

    name: Name
    type: TypeExpr


@dataclass(frozen=True, slots=True)
class DimDeclaration(Written):
    """``dim n_hid = 3``"""

    name: Name
    value: Expr


@dataclass(frozen=True, slots=True)
class ConstDeclaration(Written):
    """``const t : Real(1) = [0.5]``"""

    name: Name
    type: TypeExpr | None
    value: Expr


@dataclass(frozen=True, slots=True)
class Initial(Written):
    """``normal(0.5, seed=1)``, ``zeros``, ``load("w.npy")``: ``arguments`` in order, then the named ones"""

    head: Name
    arguments: tuple[Expr, ...]
    named: tuple[tuple[Name, Expr], ...]
    file: str | None


@dataclass(frozen=True, slots=True)
class LocDeclaration(Written):
    """``loc w0 : Real(n_hid, 2) = normal(0.5, seed=1)``; a literal content is an expression"""

    name: Name
    type: TypeExpr | None
    initial: Initial | Expr


@dataclass(frozen=True, slots=True)
class OwnDerivative(Written):
    """``with rd(w, x) = N``"""

    cotangent: Pattern
    point: Pattern
    body: Expr


@dataclass(frozen=True, slots=True)
class FunDeclaration(Written):
    """``fun f(x : A) : B = M with rd(w, x) = N``"""

    name: Name
    parameters: tuple[TypedParameter, ...]
    result: TypeExpr | None
    body: Expr
    derivative: OwnDerivative | None


@dataclass(frozen=True, slots=True)
class OpDeclaration(Written):
    """``op FC[l : Loc(m, n)] : Real(n) -> Real(m)``"""

    name: Name
    parameters: tuple[StaticParameter, ...]
    domain: TypeExpr
    codomain: TypeExpr


@dataclass(frozen=True, slots=True)
class NetDeclaration(Written):
    """``net mlp[l : Loc(m, n)](x : Real(2)) : Real(1) = R``"""

    name: Name
    statics: tuple[StaticParameter, ...]
    parameters: tuple[TypedParameter, ...]
    result: TypeExpr | None
    body: Expr


@dataclass(frozen=True, slots=True)
class HandlerType(Written):
    """``rev handler(C)``, or for an ordinary handler ``C => D`` with both types"""

    source: TypeExpr
    target: TypeExpr | None


@dataclass(frozen=True, slots=True)
class HandlerDeclaration(Written):
    """``handler sgd(alpha : Real, t : Real(k)) : rev handler(Real(k)) = { … }``"""

    name: Name
    parameters: tuple[TypedParameter, ...]
    type: HandlerType | None
    body: HandlerLiteral


@dataclass(frozen=True, slots=True)
class DataExpr(Written):
    """``data("digits")``"""

    name: str


@dataclass(frozen=True, slots=True)
class Measure(Written):
    """``measure P`` or ``measure P on D``"""

    command: Expr
    data: DataExpr | None


@dataclass(frozen=True, slots=True)
class TrainItem(Written):
    """``train P for p in D epochs e batch b shuffle s measure …``: numbers that were left out are ``None``"""

    command: Expr
    pattern: Pattern
    data: DataExpr
    epochs: Expr | None
    batch: Expr | None
    shuffle: Expr | None
    measures: tuple[Measure, ...]


@dataclass(frozen=True, slots=True)
class Directive(Written):
    """``%trace P``: ``argument`` is an expression where the directive takes one, else ``words`` holds what follows the name"""

    name: Name
    argument: Expr | None
    words: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Evaluation(Written):
    """A term or a command to evaluate"""

    expression: Expr


Declaration: TypeAlias = (
    DimDeclaration | ConstDeclaration | LocDeclaration | FunDeclaration | OpDeclaration | NetDeclaration | HandlerDeclaration
)
Item: TypeAlias = Declaration | Evaluation | TrainItem | Directive
