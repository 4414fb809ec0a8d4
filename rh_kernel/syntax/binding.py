"""Binding: opening scopes, substitution ``M[V/x]``, and instantiation of a generic definition at its dimensions and locations.

The only module that does arithmetic on indices.
"""

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import TypeVar, cast

from rh_kernel.source.span import Span
from rh_kernel.syntax.core import (
    RH,
    Bind,
    Bound,
    Call,
    Command,
    Const,
    Defined,
    Function,
    Handle,
    Index,
    Let,
    Loc,
    Location,
    LocationVar,
    LocKind,
    Node,
    Operation,
    OrdinaryClause,
    OrdinaryHandler,
    Pattern,
    Perform,
    Plus,
    Primitive,
    Proj,
    R,
    Rd,
    RdOf,
    Resume,
    Return,
    ReverseClause,
    ReverseHandler,
    RevHandle,
    Scope,
    Term,
    Tuple,
    Zero,
)
from rh_kernel.syntax.dimensions import Dim, DimMeta, DimVar, dim, variables
from rh_kernel.syntax.types import Shape, ShapeMeta, ShapeVar, Type, TypeMeta, map_shape, map_type

AnyNode = TypeVar("AnyNode", bound=Node)
AnyHandler = TypeVar("AnyHandler", ReverseHandler, OrdinaryHandler)


# -- substitution of terms -----------------------------------------------------------------------------------------------------


def instantiate(scope: Scope, values: tuple[Term, ...]) -> "Term | Command":
    """``body[V1/x1, …, Vn/xn]``. The V may be open; a body that does not mention its variables is shared, not copied."""
    n = scope.arity
    if len(values) != n:
        raise ValueError(f"a scope of {n} variables was given {len(values)} values")

    def image(x: Bound, depth: int) -> Term:
        i = x.index - depth
        if i < 0:
            return x
        return shift(values[n - 1 - i], depth) if i < n else Bound(x.index - n, x.hint, span=x.span)

    def resume(k: Resume, argument: Term, depth: int) -> Command:
        if k.index < depth:
            return Resume(k.index, k.hint, argument, span=k.span)
        i = k.index - depth
        if i >= n:
            return Resume(k.index - n, k.hint, argument, span=k.span)
        renamed = values[n - 1 - i]
        if not isinstance(renamed, Bound):
            raise ValueError("a continuation is no term")
        return Resume(renamed.index + depth, k.hint, argument, span=k.span)

    return cast("Term | Command", _rebuild(scope.body, 0, _Images(image, resume, n)))


def instantiate_term(scope: Scope, *values: Term) -> Term:
    """``instantiate`` of a scope over a term."""
    return cast(Term, instantiate(scope, values))


def instantiate_command(scope: Scope, *values: Term) -> Command:
    """``instantiate`` of a scope over a command."""
    return cast(Command, instantiate(scope, values))


def supply(scope: Scope, values: tuple[Term, ...]) -> Scope:
    """``a1, …, an, x…. body`` with values for the first n variables: a scope over the others."""
    n = len(values)
    if n == 0:
        return scope
    kept = scope.hints[n:]
    inner = tuple(Bound(len(kept) - 1 - i, hint) for i, hint in enumerate(kept))
    opened = instantiate(shift(scope, len(kept)), (*(shift(v, len(kept)) for v in values), *inner))
    return Scope(kept, opened, span=scope.span)


def apply_handler(H: AnyHandler, values: tuple[Term, ...]) -> AnyHandler:
    """``H[V1/a1, …, Vn/an]`` for a handler that leaves its n parameters loose, the last one at index 0."""
    n = len(values)

    def image(x: Bound, depth: int) -> Term:
        i = x.index - depth
        if i < 0:
            return x
        return shift(values[n - 1 - i], depth) if i < n else Bound(x.index - n, x.hint, span=x.span)

    def resume(k: Resume, argument: Term, depth: int) -> Command:
        return Resume(k.index if k.index < depth else k.index - n, k.hint, argument, span=k.span)

    return cast(AnyHandler, _rebuild(H, 0, _Images(image, resume, n)))


def instantiate_clause(scope: Scope, values: tuple[Term, ...], continuation: Scope) -> Command:
    """``Q[V/x, k]`` for the clause ``a…, x, k. Q`` of an ordinary handler: ``k • M`` becomes ``let y ⇐ ⌊M⌋ in k[y]``."""
    n = scope.arity

    def image(x: Bound, depth: int) -> Term:
        i = x.index - depth
        if i < 0:
            return x
        return shift(values[n - 1 - i], depth) if i < n else Bound(x.index - n, x.hint, span=x.span)

    def resume(k: Resume, argument: Term, depth: int) -> Command:
        if k.index - depth == 0:
            return Bind(Return(argument, span=k.span), shift(continuation, depth), span=k.span)
        return Resume(k.index if k.index < depth else k.index - n, k.hint, argument, span=k.span)

    return cast(Command, _rebuild(scope.body, 0, _Images(image, resume, n)))


def shift(node: AnyNode, by: int, above: int = 0) -> AnyNode:
    """``node`` moved under ``by`` more binders: loose indices from ``above`` on grow by ``by``."""
    if by == 0 or not node.loose >> above:
        return node

    def image(x: Bound, depth: int) -> Term:
        return x if x.index < depth else Bound(x.index + by, x.hint, span=x.span)

    def resume(k: Resume, argument: Term, depth: int) -> Command:
        return Resume(k.index if k.index < depth else k.index + by, k.hint, argument, span=k.span)

    return cast(AnyNode, _rebuild(node, above, _Images(image, resume, 0)))


def mentions(scope: Scope, position: int) -> bool:
    """Whether the body mentions the variable at ``position`` (from 0, in the order of the hints)."""
    return bool(scope.body.loose >> (scope.arity - 1 - position) & 1)


# -- instantiation of what is static -------------------------------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class Static:
    """Images for dimension variables, shape variables and location parameters, by name."""

    dims: Mapping[str, Dim]
    shapes: Mapping[str, Shape]
    locations: Mapping[str, Loc]

    def without(self, names: set[str]) -> "Static":
        """The images of the other names only."""
        return Static(
            {k: v for k, v in self.dims.items() if k not in names},
            {k: v for k, v in self.shapes.items() if k not in names},
            {k: v for k, v in self.locations.items() if k not in names},
        )

    @property
    def taken(self) -> set[str]:
        """Names that occur in the images, and so must not be bound over them."""
        names: set[str] = {loc.name for loc in self.locations.values() if isinstance(loc, LocationVar)}
        shapes = [*self.shapes.values(), *(loc.shape for loc in self.locations.values())]
        dims = [*self.dims.values(), *(d for s in shapes if isinstance(s, tuple) for d in s)]
        names |= {s.name for s in shapes if isinstance(s, ShapeVar)}
        names |= {v.name for d in dims for v in variables(d) if isinstance(v, DimVar)}
        return names


def specialise(node: AnyNode, static: Static) -> AnyNode:
    """``node`` with its dimension, shape and location variables replaced, without capture."""
    return cast(AnyNode, _rebuild(node, 0, _StaticImages(static)))


def specialise_type(A: Type, static: Static) -> Type:
    """``A`` with its dimension and shape variables replaced."""
    return _StaticImages(static).type(A)


def replace_unknowns(
    node: AnyNode, on_dim: Callable[[DimMeta], Dim], on_shape: Callable[[ShapeMeta], Shape], on_type: Callable[[TypeMeta], Type]
) -> AnyNode:
    """``node`` with the unknowns of type inference replaced by what was found for them."""
    return cast(AnyNode, _rebuild(node, 0, _Solutions(on_dim, on_shape, on_type)))


def types_within(node: Node) -> list[tuple[Span | None, Type]]:
    """Every type in ``node``, each with the place of the innermost node around it that has one."""
    census = _Census([], [None])
    _rebuild(node, 0, census)
    return census.found


# -- the one traversal ---------------------------------------------------------------------------------------------------------


class _Walk:
    """What a traversal does at the leaves. ``skips`` says which subtrees it leaves as they are."""

    def skips(self, node: Node, depth: int) -> bool:
        raise NotImplementedError

    def variable(self, x: Bound, depth: int) -> Term:
        return x

    def resume(self, k: Resume, argument: Term, depth: int) -> Command:
        return Resume(k.index, k.hint, argument, span=k.span)

    def type(self, A: Type) -> Type:
        return A

    def dim(self, d: Dim) -> Dim:
        return d

    def shape(self, s: Shape) -> Shape:
        return s

    def location(self, loc: Loc) -> Loc:
        return loc

    def under(self, pattern: Pattern) -> "tuple[_Walk, Pattern]":
        """The walk inside a clause, and the clause's head: clauses bind dimension and location names."""
        return self, pattern


@dataclass(frozen=True, slots=True)
class _Images(_Walk):
    image: Callable[[Bound, int], Term]
    resumed: Callable[[Resume, Term, int], Command]
    removed: int

    def skips(self, node: Node, depth: int) -> bool:
        return not node.loose >> depth

    def variable(self, x: Bound, depth: int) -> Term:
        return self.image(x, depth)

    def resume(self, k: Resume, argument: Term, depth: int) -> Command:
        return self.resumed(k, argument, depth)


@dataclass(frozen=True, slots=True)
class _StaticImages(_Walk):
    static: Static

    def skips(self, node: Node, depth: int) -> bool:
        return isinstance(node, Bound | Const)

    def type(self, A: Type) -> Type:
        return map_type(A, self._on_dim, self._on_shape, lambda meta: meta)

    def dim(self, d: Dim) -> Dim:
        match map_shape((d,), self._on_dim, self._on_shape):
            case (image,):
                return image
            case _:
                return d

    def shape(self, s: Shape) -> Shape:
        return map_shape(s, self._on_dim, self._on_shape)

    def location(self, loc: Loc) -> Loc:
        match loc:
            case LocationVar(name, shape):
                return self.static.locations.get(name) or LocationVar(name, self.shape(shape))
            case Location():
                return loc

    def under(self, pattern: Pattern) -> "tuple[_Walk, Pattern]":
        bound = {*pattern.variables, *(i for i in pattern.indices if isinstance(i, str))}
        inner = self.static.without(bound)
        taken = inner.taken
        if not taken & bound:
            return _StaticImages(inner), pattern
        fresh: dict[str, str] = {}
        for name in sorted(bound & taken):
            fresh[name] = name + "'"
            while fresh[name] in taken | bound:
                fresh[name] += "'"
        renamed = Pattern(
            pattern.family,
            tuple(fresh.get(i, i) if isinstance(i, str) else i for i in pattern.indices),
            tuple(fresh.get(v, v) for v in pattern.variables),
        )
        shapes: dict[str, Shape] = {old: ShapeVar(new) for old, new in fresh.items()}
        kinds = dict(zip(pattern.indices, (p.kind for p in pattern.family.parameters), strict=True))
        locations: dict[str, Loc] = {}
        for old, new in fresh.items():
            kind = kinds.get(old)
            if isinstance(kind, LocKind):
                locations[old] = LocationVar(new, self.shape(kind.shape))
        return (
            _StaticImages(
                Static(
                    {**inner.dims, **{old: dim(new) for old, new in fresh.items()}},
                    {**inner.shapes, **shapes},
                    {**inner.locations, **locations},
                )
            ),
            renamed,
        )

    def _on_dim(self, atom: DimVar | DimMeta) -> Dim:
        return self.static.dims.get(atom.name, dim(atom)) if isinstance(atom, DimVar) else dim(atom)

    def _on_shape(self, s: ShapeVar | ShapeMeta) -> Shape:
        return self.static.shapes.get(s.name, s) if isinstance(s, ShapeVar) else s


@dataclass(frozen=True, slots=True)
class _Solutions(_Walk):
    on_dim: Callable[[DimMeta], Dim]
    on_shape: Callable[[ShapeMeta], Shape]
    on_type: Callable[[TypeMeta], Type]

    def skips(self, node: Node, depth: int) -> bool:
        return isinstance(node, Bound | Const)

    def type(self, A: Type) -> Type:
        return map_type(A, self._atom, self._shape, self.on_type)

    def dim(self, d: Dim) -> Dim:
        match self.shape((d,)):
            case (image,):
                return image
            case _:
                return d

    def shape(self, s: Shape) -> Shape:
        return map_shape(s, self._atom, self._shape)

    def location(self, loc: Loc) -> Loc:
        match loc:
            case LocationVar(name, shape):
                return LocationVar(name, self.shape(shape))
            case Location():
                return loc

    def _atom(self, atom: DimVar | DimMeta) -> Dim:
        return self.on_dim(atom) if isinstance(atom, DimMeta) else dim(atom)

    def _shape(self, s: ShapeVar | ShapeMeta) -> Shape:
        return self.on_shape(s) if isinstance(s, ShapeMeta) else s


@dataclass(frozen=True, slots=True)
class _Census(_Walk):
    found: list[tuple[Span | None, Type]]
    place: list[Span | None]

    def skips(self, node: Node, depth: int) -> bool:
        if node.span is not None:
            self.place[0] = node.span
        return isinstance(node, Bound | Const)

    def type(self, A: Type) -> Type:
        self.found.append((self.place[0], A))
        return A


def _rebuild(node: Node, depth: int, walk: _Walk) -> Node:
    if walk.skips(node, depth):
        return node
    span = node.span
    match node:
        case Bound():
            return walk.variable(node, depth)
        case Const():
            return node
        case Zero(A):
            return Zero(walk.type(A), span=span)
        case Call(f, M):
            return Call(_function(f, walk), _term(M, depth, walk), span=span)
        case Plus(M, N):
            return Plus(_term(M, depth, walk), _term(N, depth, walk), span=span)
        case Tuple(items):
            return Tuple(tuple([_term(M, depth, walk) for M in items]), span=span)
        case Proj(i, n, M):
            return Proj(i, n, _term(M, depth, walk), span=span)
        case Let(M, scope):
            return Let(_term(M, depth, walk), _scope(scope, depth, walk), span=span)
        case Rd(W, scope, V):
            return Rd(_term(W, depth, walk), _scope(scope, depth, walk), _term(V, depth, walk), span=span)
        case R(W, scope, V):
            return R(_term(W, depth, walk), _scope(scope, depth, walk), _term(V, depth, walk), span=span)
        case Scope():
            return _scope(node, depth, walk)
        case Operation(family, indices, at, A, B):
            return Operation(
                family,
                tuple([_index(i, depth, walk) for i in indices]),
                tuple([_extent(a, walk) for a in at]),
                walk.type(A),
                walk.type(B),
                span=span,
            )
        case Return(M):
            return Return(_term(M, depth, walk), span=span)
        case Perform(op, M):
            return Perform(cast(Operation, _rebuild(op, depth, walk)), _term(M, depth, walk), span=span)
        case Bind(P, scope):
            return Bind(_command(P, depth, walk), _scope(scope, depth, walk), span=span)
        case RevHandle(M, scope, H):
            return RevHandle(_term(M, depth, walk), _scope(scope, depth, walk), _reverse(H, depth, walk), span=span)
        case RH(V, scope, H):
            return RH(_term(V, depth, walk), _scope(scope, depth, walk), _reverse(H, depth, walk), span=span)
        case Handle(P, H):
            return Handle(_command(P, depth, walk), cast(OrdinaryHandler, _rebuild(H, depth, walk)), span=span)
        case Resume(_, _, M):
            return walk.resume(node, _term(M, depth, walk), depth)
        case ReverseHandler():
            return _reverse(node, depth, walk)
        case OrdinaryHandler(C, D, returns, clauses):
            return OrdinaryHandler(
                walk.type(C),
                walk.type(D),
                _scope(returns, depth, walk),
                tuple([cast(OrdinaryClause, _rebuild(c, depth, walk)) for c in clauses]),
                node.name,
                span=span,
            )
        case ReverseClause(pattern, forward, A, backward):
            inner, head = walk.under(pattern)
            return ReverseClause(
                head, _scope(forward, depth, inner), inner.type(A), _scope(backward, depth, inner), span=span
            )
        case OrdinaryClause(pattern, scope):
            inner, head = walk.under(pattern)
            return OrdinaryClause(head, _scope(scope, depth, inner), span=span)
        case Node():
            raise TypeError(f"{type(node).__name__} is no node of the core")


def _term(M: Term, depth: int, walk: _Walk) -> Term:
    return cast(Term, _rebuild(M, depth, walk))


def _command(P: Command, depth: int, walk: _Walk) -> Command:
    return cast(Command, _rebuild(P, depth, walk))


def _scope(scope: Scope, depth: int, walk: _Walk) -> Scope:
    if walk.skips(scope, depth):
        return scope
    body = _rebuild(scope.body, depth + scope.arity, walk)
    return Scope(scope.hints, cast("Term | Command", body), span=scope.span)


def _reverse(H: ReverseHandler, depth: int, walk: _Walk) -> ReverseHandler:
    if walk.skips(H, depth):
        return H
    return ReverseHandler(
        walk.type(H.type),
        _scope(H.returns, depth, walk),
        tuple([cast(ReverseClause, _rebuild(c, depth, walk)) for c in H.clauses]),
        H.name,
        span=H.span,
    )


def _function(f: Function, walk: _Walk) -> Function:
    match f:
        case Primitive(name, at, A, B):
            if isinstance(walk, _Images):
                return f
            return Primitive(name, tuple([_extent(a, walk) for a in at]), walk.type(A), walk.type(B))
        case Defined(name, A, B, body, own):
            if isinstance(walk, _Images):
                return f
            own = None if own is None else _scope(own, 0, walk)
            return Defined(name, walk.type(A), walk.type(B), _scope(body, 0, walk), own)
        case RdOf(g):
            return RdOf(_function(g, walk))


def _index(i: Index, depth: int, walk: _Walk) -> Index:
    match i:
        case Location() | LocationVar():
            return walk.location(i)
        case Dim():
            return walk.dim(i)
        case _:
            return _term(i, depth, walk)


def _extent(a: Dim | Shape, walk: _Walk) -> Dim | Shape:
    match a:
        case Dim():
            return walk.dim(a)
        case ShapeVar() | ShapeMeta() | tuple():
            return walk.shape(a)
