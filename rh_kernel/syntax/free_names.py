"""The free names of an item: those that nothing inside it binds, and that refer to earlier declarations.

They may include names of built-in functions; the caller looks them up among the definitions.
"""

from collections.abc import Iterable
from collections.abc import Set as AbstractSet

from rh_kernel.syntax import surface as s
from rh_kernel.syntax import surface_items as items

Names = AbstractSet[str]


def free_names(item: items.Item) -> Names:
    """The names that the meaning of an item depends on."""
    found: set[str] = set()
    _item(item, found)
    return frozenset(found)


def _item(item: items.Item, found: set[str]) -> None:
    none = frozenset[str]()
    match item:
        case items.DimDeclaration(value=e) | items.Evaluation(e):
            _expr(e, none, found)
        case items.ConstDeclaration(_, A, e):
            _types((A,), none, found)
            _expr(e, none, found)
        case items.LocDeclaration(_, A, content):
            _types((A,), none, found)
            _exprs(_contents(content), none, found)
        case items.FunDeclaration(_, parameters, A, M, own):
            _types((*(p.type for p in parameters), A), none, found)
            _expr(M, _parameters(parameters), found)
            if own is not None:
                _expr(own.body, _bound(own.cotangent, own.point), found)
        case items.OpDeclaration(_, statics, A, B):
            _statics(statics, found)
            _types((A, B), _parameters(statics), found)
        case items.NetDeclaration(_, statics, parameters, A, R):
            _statics(statics, found)
            _types((*(p.type for p in parameters), A), _parameters(statics), found)
            _expr(R, _parameters(statics) | _parameters(parameters), found)
        case items.HandlerDeclaration(_, parameters, A, H):
            _types((*(p.type for p in parameters), *_handler_type(A)), none, found)
            _handler(H, _parameters(parameters), found)
        case items.TrainItem():
            _training(item, found)
        case items.EqualityCheck(M, N, within):
            _exprs([e for e in (M, N, within) if e is not None], none, found)
        case items.TypeCheck(e, A):
            _expr(e, none, found)
            _types(_checked(A), none, found)
        case items.Directive(_, e, _, other, training):
            _exprs([e for e in (e, other) if e is not None], none, found)
            if training is not None:
                _training(training, found)
        case items.SectionItem():
            pass


def _training(item: items.TrainItem, found: set[str]) -> None:
    none: Names = frozenset()
    bound = _bound(item.pattern)
    _expr(item.command, bound, found)
    _exprs([e for e in (item.epochs, item.batch, item.shuffle) if e is not None], none, found)
    _exprs([measure.command for measure in item.measures], bound, found)


def _expr(e: s.Expr, bound: Names, found: set[str]) -> None:
    if isinstance(e, s.LetExpr):
        # One growing set for all lets of a spine avoids a copy of the set per let.
        inner = set(bound)
        while isinstance(e, s.LetExpr):
            _expr(e.bound, inner, found)
            if isinstance(e.pattern, s.NamePattern):
                inner.add(e.pattern.name)
            else:
                inner |= _bound(e.pattern)
            e = e.body
        bound = inner
    if isinstance(e, s.UnaryExpr):
        _expr(e.operand, bound, found)
        return
    match e:
        case s.Var(name):
            _named(name, bound, found)
        case s.Number() | s.Unit():
            pass
        case s.ArrayLiteral(inner) | s.TupleExpr(inner):
            _exprs(inner, bound, found)
        case s.Apply(head, indices, arguments):
            _named(head.text, bound, found)
            _exprs((*indices, *arguments), bound, found)
        case s.Family(head, indices):
            _named(head.text, bound, found)
            _exprs(indices, bound, found)
        case s.ReturnExpr(M):
            _expr(M, bound, found)
        case s.Binary():
            spine = s.spine(e, frozenset(s.BinaryOperator))
            _exprs((spine[0].left, *(each.right for each in spine)), bound, found)
        case s.ReverseDerivative(W, x, N, V):
            _exprs((W, V), bound, found)
            _expr(N, bound | _bound(x), found)
        case s.RevHandleExpr(M, variables, R, H):
            _expr(M, bound, found)
            _expr(R, bound | _bound(*variables), found)
            _handler(H, bound, found)
        case s.HandleExpr(P, H):
            _expr(P, bound, found)
            _handler(H, bound, found)
        case s.ResumeExpr(k, M):
            _named(k.text, bound, found)
            _expr(M, bound, found)


def _exprs(many: Iterable[s.Expr], bound: Names, found: set[str]) -> None:
    for e in many:
        _expr(e, bound, found)


def _handler(h: s.HandlerExpr, bound: Names, found: set[str]) -> None:
    match h:
        case s.HandlerName(name, arguments):
            _named(name.text, bound, found)
            _exprs(arguments, bound, found)
        case s.HandlerLiteral(clauses):
            for clause in clauses:
                _clause(clause, bound, found)


def _clause(clause: s.Clause, bound: Names, found: set[str]) -> None:
    """The index in a clause's head is a new variable or a declared location; treat it as both."""
    match clause:
        case s.ReturnClause(x, Q):
            _expr(Q, bound | _bound(x), found)
        case s.ReverseClause(head, indices, x, Qf, y, z, Qb):
            inside = bound | {i.text for i in indices}
            found.update([head.text, *(i.text for i in indices)])
            _expr(Qf, inside | _bound(x), found)
            _expr(Qb, inside | _bound(y, z), found)
        case s.OrdinaryClause(head, indices, x, k, Q):
            found.update([head.text, *(i.text for i in indices)])
            _expr(Q, bound | {i.text for i in indices} | _bound(x) | {k.text}, found)


def _contents(content: items.Initial | s.Expr) -> tuple[s.Expr, ...]:
    if isinstance(content, items.Initial):
        return (*content.arguments, *(e for _, e in content.named))
    return (content,)


def _types(many: Iterable[s.TypeExpr | None], bound: Names, found: set[str]) -> None:
    for A in many:
        match A:
            case s.RealType(dims):
                _exprs(dims, bound, found)
            case s.ProductType(factors):
                _types(factors, bound, found)
            case s.UnitType() | None:
                pass


def _statics(statics: tuple[items.StaticParameter, ...], found: set[str]) -> None:
    none = frozenset[str]()
    for parameter in statics:
        match parameter.kind:
            case s.LocKind(dims):
                _exprs(dims, none, found)
            case s.DimKind():
                pass
            case s.RealType() | s.ProductType() | s.UnitType() as A:
                _types((A,), none, found)


def _handler_type(A: items.HandlerType | None) -> tuple[s.TypeExpr | None, ...]:
    return () if A is None else (A.source, A.target)


def _checked(A: s.TypeExpr | items.ArrowType | items.HandlerType) -> tuple[s.TypeExpr | None, ...]:
    match A:
        case items.ArrowType(B, C):
            return (B, C)
        case items.HandlerType():
            return _handler_type(A)
        case s.RealType() | s.ProductType() | s.UnitType():
            return (A,)


def _parameters(parameters: tuple[items.StaticParameter | items.TypedParameter, ...]) -> Names:
    return frozenset([p.name.text for p in parameters])


def _bound(*patterns: s.Pattern) -> Names:
    found: set[str] = set()
    pending = [*patterns]
    while pending:
        match pending.pop():
            case s.NamePattern(name):
                found.add(name)
            case s.TuplePattern(inner):
                pending += inner
    return frozenset(found)


def _named(name: str, bound: Names, found: set[str]) -> None:
    if name not in bound:
        found.add(name)
