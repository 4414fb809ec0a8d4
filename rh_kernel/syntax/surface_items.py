"""Surface syntax of the items of a cell: declarations, evaluations, training runs, directives (LANGUAGE §3, §6)."""

from typing import TypeAlias

from rh_kernel.source.children import child
from rh_kernel.source.records import frozen
from rh_kernel.syntax.surface import Expr, HandlerExpr, HandlerLiteral, Kind, Name, Pattern, TypeExpr, Written


@frozen
class StaticParameter(Written):
    """``l : Loc(m, n)``, ``p : Dim`` or ``a : Real``, in square brackets"""

    name: Name
    kind: Kind
    binders = ("name",)


@frozen
class TypedParameter(Written):
    """``x : A``, in round brackets"""

    name: Name
    type: TypeExpr
    binders = ("name",)


@frozen
class DimDeclaration(Written):
    """``dim n_hid = 3``"""

    name: Name
    value: Expr
    binders = ("name",)


@frozen
class ConstDeclaration(Written):
    """``const t : Real(1) = [0.5]``"""

    name: Name
    type: TypeExpr | None
    value: Expr
    binders = ("name",)


@frozen
class NamedArgument(Written):
    """``seed=1``"""

    name: Name
    value: Expr
    binders = ("name",)


@frozen
class Initial(Written):
    """``normal(0.5, seed=1)``, ``zeros``, ``load("w.npy")``: positional ``arguments``, then the named ones"""

    head: Name
    arguments: tuple[Expr, ...]
    named: tuple[NamedArgument, ...]
    file: str | None
    binders = ("head",)


@frozen
class LocDeclaration(Written):
    """``loc w0 : Real(n_hid, 2) = normal(0.5, seed=1)``; a literal initial value is an expression

    ``loc ws[n] : Real(8, 8) = glorot(seed=1)`` declares n locations, and ``loc velocity[l : Loc(s…)] : Real(s…) = zeros``
    one beside each location.
    """

    name: Name
    type: TypeExpr | None
    initial: Initial | Expr
    length: Expr | None = None
    beside: StaticParameter | None = None
    binders = ("name",)


@frozen
class OwnDerivative(Written):
    """``with rd(w, x) = N``"""

    cotangent: Pattern
    point: Pattern
    body: Expr
    children = (child("body", binds=("cotangent", "point")),)


@frozen
class FunDeclaration(Written):
    """``fun f(x : A) : B = M with rd(w, x) = N``"""

    name: Name
    parameters: tuple[TypedParameter, ...]
    result: TypeExpr | None
    body: Expr
    derivative: OwnDerivative | None
    binders = ("name",)
    children = child("parameters"), child("result"), child("body", binds="parameters"), child("derivative")


@frozen
class OpDeclaration(Written):
    """``op FC[l : Loc(m, n)] : Real(n) -> Real(m)``"""

    name: Name
    parameters: tuple[StaticParameter, ...]
    domain: TypeExpr
    codomain: TypeExpr
    binders = ("name",)
    children = child("parameters"), child("domain", binds="parameters"), child("codomain", binds="parameters")


@frozen
class NetDeclaration(Written):
    """``net mlp[l : Loc(m, n)](x : Real(2)) : Real(1) = R``"""

    name: Name
    statics: tuple[StaticParameter, ...]
    parameters: tuple[TypedParameter, ...]
    result: TypeExpr | None
    body: Expr
    binders = ("name",)
    children = (
        child("statics"),
        child("parameters", binds="statics"),
        child("result", binds="statics"),
        child("body", binds=("statics", "parameters")),
    )


@frozen
class HandlerType(Written):
    """``rev handler(C)``, or for an ordinary handler ``C => D`` with both types"""

    source: TypeExpr
    target: TypeExpr | None


@frozen
class HandlerDeclaration(Written):
    """``handler sgd(alpha : Real, t : Real(k)) : rev handler(Real(k)) = { … }``"""

    name: Name
    parameters: tuple[TypedParameter, ...]
    type: HandlerType | None
    body: HandlerLiteral
    binders = ("name",)
    children = child("parameters"), child("type"), child("body", binds="parameters")


@frozen
class DataExpr(Written):
    """``data("digits")``, ``data("x.npy", "t.npy")``"""

    names: tuple[str, ...]

    @property
    def name(self) -> str:
        """What stands between ``data("`` and ``")``."""
        return '", "'.join(self.names)


@frozen
class Measure(Written):
    """``measure P``, ``measure P on D`` or ``measure P as "name"``: ``name`` is ``None`` if there is none"""

    command: Expr
    data: DataExpr | None
    name: str | None


@frozen
class TrainItem(Written):
    """``train P for p in D epochs e batch b pieces p shuffle s measure … surface Q``: omitted numbers are ``None``

    In ``%race train P with H1, H2 for …`` the handler of P is the first one, and ``others`` has those after it.
    """

    command: Expr
    pattern: Pattern
    data: DataExpr
    epochs: Expr | None
    batch: Expr | None
    pieces: Expr | None
    shuffle: Expr | None
    measures: tuple[Measure, ...]
    surfaces: tuple[Expr, ...] = ()
    others: tuple[HandlerExpr, ...] = ()
    children = (
        child("command", binds="pattern"),
        child("others", binds="pattern"),
        child("data"),
        child("epochs"),
        child("batch"),
        child("pieces"),
        child("shuffle"),
        child("measures", binds="pattern"),
        child("surfaces", binds="pattern"),
    )


@frozen
class SweepParameter(Written):
    """``a in [0.1, 0.2]`` or ``seed in 0..4``: a name and its values in order; whole numbers are ``int``"""

    name: Name
    values: tuple[float, ...]
    binders = ("name",)


@frozen
class SweepItem(Written):
    """``sweep a in [0.1, 0.2], seed in 0..4`` and the items below it, which run once for each combination"""

    parameters: tuple[SweepParameter, ...]
    items: "tuple[Declaration | Evaluation | Check | TrainItem, ...]"
    children = (child("parameters"), child("items", binds="parameters"))


@frozen
class EqualityCheck(Written):
    """``check M == N within 0.01``: two terms or commands"""

    left: Expr
    right: Expr
    within: Expr | None


@frozen
class ArrowType(Written):
    """``A -> B`` of a function or an operation, ``A ~> B`` of a net"""

    domain: TypeExpr
    codomain: TypeExpr
    is_pure: bool


@frozen
class TypeCheck(Written):
    """``check E ⊢ A``; if E is a name, A is its declared type"""

    subject: Expr
    type: TypeExpr | ArrowType | HandlerType


@frozen
class IncludeItem(Written):
    """``include "sgd.rh"``: the declarations of the file"""

    file: str


@frozen
class Directive(Written):
    """``%trace P``: ``argument`` is an expression if the directive takes one; otherwise ``words`` is the text after the name.

    For ``%compile --passes P`` and the like, ``words`` is the option ``passes``. ``against`` is the second expression of
    ``%gradient P against Q``, and ``training`` the item of ``%compile train P for …`` or ``%race train P with H1, H2 for …``.
    ``pattern`` and ``data`` are those of ``%confusion P for (x, t) in data("…")``, and for ``%sees … samples 12, 40`` the
    numbers are ``words``.
    """

    name: Name
    argument: Expr | None
    words: tuple[str, ...]
    against: Expr | None = None
    training: TrainItem | None = None
    pattern: Pattern | None = None
    data: DataExpr | None = None
    binders = ("name",)
    children = child("argument", binds="pattern"), child("against"), child("training"), child("data")


@frozen
class Evaluation(Written):
    """A term or a command to evaluate"""

    expression: Expr


@frozen
class SectionItem(Written):
    """An item of a section such as ``%%lambda``; its text is parsed by the language of that ``section``"""

    section: str


Declaration: TypeAlias = (
    DimDeclaration | ConstDeclaration | LocDeclaration | FunDeclaration | OpDeclaration | NetDeclaration | HandlerDeclaration
)
Check: TypeAlias = EqualityCheck | TypeCheck
SweptItem: TypeAlias = Declaration | Evaluation | Check | TrainItem
"""What may stand below a sweep."""

Item: TypeAlias = SweptItem | IncludeItem | Directive | SectionItem | SweepItem
