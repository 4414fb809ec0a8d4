"""The names that an item takes from what was declared before it: those that nothing inside it binds.

What is found is looked up among the definitions, so a name of the language itself may be among the names.
"""

from collections.abc import Iterable, Iterator
from collections.abc import Set as AbstractSet

from rh_kernel.syntax import surface as s
from rh_kernel.syntax import surface_items as items

Names = AbstractSet[str]


def free_names(item: items.Item) -> Names:
    """The names that the meaning of an item depends on."""
    return frozenset(_item(item))


def _item(item: items.Item) -> Iterator[str]:
    none = frozenset[str]()
    match item:
        case items.DimDeclaration(value=e) | items.Evaluation(e):
            yield from _expr(e, none)
        case items.ConstDeclaration(_, A, e):
            yield from _types((A,), none)
            yield from _expr(e, none)
        case items.LocDeclaration(_, A, content):
            yield from _types((A,), none)
            yield from _exprs(_contents(content), none)
        case items.FunDeclaration(_, parameters, A, M, own):
            yield from _types((*(p.type for p in parameters), A), none)
            yield from _expr(M, _parameters(parameters))
            if own is not None:
                yield from _expr(own.body, _bound(own.cotangent, own.point))
        case items.OpDeclaration(_, statics, A, B):
            yield from _statics(statics)
            yield from _types((A, B), _parameters(statics))
        case items.NetDeclaration(_, statics, parameters, A, R):
            yield from _statics(statics)
            yield from _types((*(p.type for p in parameters), A), _parameters(statics))
            yield from _expr(R, _parameters(statics) | _parameters(parameters))
        case items.HandlerDeclaration(_, parameters, A, H):
            yield from _types((*(p.type for p in parameters), *_handler_type(A)), none)
            yield from _handler(H, _parameters(parameters))
        case items.TrainItem(P, p, _, epochs, batch, shuffle, measures):
            yield from _expr(P, _bound(p))
            yield from _exprs([e for e in (epochs, batch, shuffle) if e is not None], none)
            yield from _exprs([measure.command for measure in measures], _bound(p))
        case items.EqualityCheck(M, N, within):
            yield from _exprs([e for e in (M, N, within) if e is not None], none)
        case items.TypeCheck(e, A):
            yield from _expr(e, none)
            yield from _types(_checked(A), none)
        case items.Directive(_, e, _, other):
            yield from _exprs([e for e in (e, other) if e is not None], none)


def _expr(e: s.Expr, bound: Names) -> Iterator[str]:
    if isinstance(e, s.LetExpr):
        # One set for all lets of a spine, which grows: a set for each would be a copy of it.
        inner = set(bound)
        while isinstance(e, s.LetExpr):
            yield from _expr(e.bound, inner)
            inner |= _bound(e.pattern)
            e = e.body
        bound = inner
    match e:
        case s.Var(name):
            yield from _named(name, bound)
        case s.Number() | s.Unit():
            pass
        case s.ArrayLiteral(inner) | s.TupleExpr(inner):
            yield from _exprs(inner, bound)
        case s.Apply(head, indices, arguments):
            yield from _named(head.text, bound)
            yield from _exprs((*indices, *arguments), bound)
        case s.Family(head, indices):
            yield from _named(head.text, bound)
            yield from _exprs(indices, bound)
        case s.Negate(M) | s.Transpose(M) | s.Projection(_, M) | s.ReturnExpr(M):
            yield from _expr(M, bound)
        case s.Binary():
            spine = s.spine(e, frozenset(s.BinaryOperator))
            yield from _exprs((spine[0].left, *(each.right for each in spine)), bound)
        case s.ReverseDerivative(W, x, N, V):
            yield from _exprs((W, V), bound)
            yield from _expr(N, bound | _bound(x))
        case s.RevHandleExpr(M, variables, R, H):
            yield from _expr(M, bound)
            yield from _expr(R, bound | _bound(*variables))
            yield from _handler(H, bound)
        case s.HandleExpr(P, H):
            yield from _expr(P, bound)
            yield from _handler(H, bound)
        case s.ResumeExpr(k, M):
            yield from _named(k.text, bound)
            yield from _expr(M, bound)


def _exprs(many: Iterable[s.Expr], bound: Names) -> Iterator[str]:
    for e in many:
        yield from _expr(e, bound)


def _handler(h: s.HandlerExpr, bound: Names) -> Iterator[str]:
    match h:
        case s.HandlerName(name, arguments):
            yield from _named(name.text, bound)
            yield from _exprs(arguments, bound)
        case s.HandlerLiteral(clauses):
            for clause in clauses:
                yield from _clause(clause, bound)


def _clause(clause: s.Clause, bound: Names) -> Iterator[str]:
    """The index of a clause's head is a new variable, or a location that is declared; it counts as both."""
    match clause:
        case s.ReturnClause(x, Q):
            yield from _expr(Q, bound | _bound(x))
        case s.ReverseClause(head, indices, x, Qf, y, z, Qb):
            inside = bound | {i.text for i in indices}
            yield from (head.text, *(i.text for i in indices))
            yield from _expr(Qf, inside | _bound(x))
            yield from _expr(Qb, inside | _bound(y, z))
        case s.OrdinaryClause(head, indices, x, k, Q):
            yield from (head.text, *(i.text for i in indices))
            yield from _expr(Q, bound | {i.text for i in indices} | _bound(x) | {k.text})


def _contents(content: items.Initial | s.Expr) -> tuple[s.Expr, ...]:
    if isinstance(content, items.Initial):
        return (*content.arguments, *(e for _, e in content.named))
    return (content,)


def _types(many: Iterable[s.TypeExpr | None], bound: Names) -> Iterator[str]:
    for A in many:
        match A:
            case s.RealType(dims):
                yield from _exprs(dims, bound)
            case s.ProductType(factors):
                yield from _types(factors, bound)
            case s.UnitType() | None:
                pass


def _statics(statics: tuple[items.StaticParameter, ...]) -> Iterator[str]:
    none = frozenset[str]()
    for parameter in statics:
        match parameter.kind:
            case s.LocKind(dims):
                yield from _exprs(dims, none)
            case s.DimKind():
                pass
            case s.RealType() | s.ProductType() | s.UnitType() as A:
                yield from _types((A,), none)


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


def _named(name: str, bound: Names) -> Iterator[str]:
    if name not in bound:
        yield name
