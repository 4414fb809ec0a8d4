"""Opening of scopes, substitution ``M[V/x]``, and instantiation of generic definitions at dimensions and locations.

All arithmetic on indices is done here, except for terms in environments (``operational.substitution``).
"""

from collections.abc import Callable, Mapping
from typing import TypeAlias, TypeVar, cast

from rh_kernel.source.records import frozen
from rh_kernel.source.span import Span
from rh_kernel.syntax.core import (
    Bind,
    Bound,
    Call,
    Command,
    Const,
    Node,
    OrdinaryHandler,
    Primitive,
    RdOf,
    Resume,
    Return,
    ReverseHandler,
    Scope,
    Term,
)
from rh_kernel.syntax.dimensions import Dim, DimMeta, DimVar, dim, replace_atoms, variables
from rh_kernel.syntax.rebuild import Walk, rebuild
from rh_kernel.syntax.signature import Loc, Location, LocationVar, LocKind, Pattern
from rh_kernel.syntax.types import Shape, ShapeMeta, ShapeVar, Type, TypeMeta, is_known, map_shape, map_type

AnyNode = TypeVar("AnyNode", bound=Node)
AnyHandler = TypeVar("AnyHandler", ReverseHandler, OrdinaryHandler)


def instantiate(scope: Scope, values: tuple[Term, ...]) -> "Term | Command":
    """Return ``body[V1/x1, …, Vn/xn]``. The V may be open; subterms without the variables are shared, not copied."""
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

    return cast("Term | Command", rebuild(scope.body, 0, _Images(image, resume, n)))


def instantiate_term(scope: Scope, *values: Term) -> Term:
    """``instantiate`` for the scope of a term."""
    return cast(Term, instantiate(scope, values))


def instantiate_command(scope: Scope, *values: Term) -> Command:
    """``instantiate`` for the scope of a command."""
    return cast(Command, instantiate(scope, values))


def supply(scope: Scope, values: tuple[Term, ...]) -> Scope:
    """Instantiate the first n variables of ``a1, …, an, x…. body``: a scope over the remaining ones."""
    n = len(values)
    if n == 0:
        return scope
    kept = scope.hints[n:]
    inner = tuple(Bound(len(kept) - 1 - i, hint) for i, hint in enumerate(kept))
    opened = instantiate(shift(scope, len(kept)), (*(shift(v, len(kept)) for v in values), *inner))
    return Scope(kept, opened, span=scope.span)


def apply_handler(H: AnyHandler, values: tuple[Term, ...]) -> AnyHandler:
    """Return ``H[V1/a1, …, Vn/an]``, where the parameters are free in H and the last one is index 0."""
    n = len(values)

    def image(x: Bound, depth: int) -> Term:
        i = x.index - depth
        if i < 0:
            return x
        return shift(values[n - 1 - i], depth) if i < n else Bound(x.index - n, x.hint, span=x.span)

    def resume(k: Resume, argument: Term, depth: int) -> Command:
        return Resume(k.index if k.index < depth else k.index - n, k.hint, argument, span=k.span)

    return cast(AnyHandler, rebuild(H, 0, _Images(image, resume, n)))


def instantiate_clause(scope: Scope, values: tuple[Term, ...], continuation: Scope) -> Command:
    """Return ``Q[V/x, k]`` for the clause ``a…, x, k. Q`` of an ordinary handler: ``k • M`` becomes ``let y ⇐ ⌊M⌋ in k[y]``."""
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

    return cast(Command, rebuild(scope.body, 0, _Images(image, resume, n)))


def shift(node: AnyNode, by: int, above: int = 0) -> AnyNode:
    """Move ``node`` under ``by`` more binders: free indices from ``above`` on grow by ``by``."""
    if by == 0 or not node.loose >> above:
        return node

    def image(x: Bound, depth: int) -> Term:
        return x if x.index < depth else Bound(x.index + by, x.hint, span=x.span)

    def resume(k: Resume, argument: Term, depth: int) -> Command:
        return Resume(k.index if k.index < depth else k.index + by, k.hint, argument, span=k.span)

    return cast(AnyNode, rebuild(node, above, _Images(image, resume, 0)))


def mentions(scope: Scope, position: int) -> bool:
    """Whether the variable at ``position`` (from 0, in the order of the hints) is free in the body."""
    return bool(scope.body.loose >> (scope.arity - 1 - position) & 1)


@frozen
class Static:
    """A substitution for dimension variables, shape variables and location parameters, by name."""

    dims: Mapping[str, Dim]
    shapes: Mapping[str, Shape]
    locations: Mapping[str, Loc]

    def without(self, names: set[str]) -> "Static":
        """The substitution restricted to all other names."""
        return Static(
            {k: v for k, v in self.dims.items() if k not in names},
            {k: v for k, v in self.shapes.items() if k not in names},
            {k: v for k, v in self.locations.items() if k not in names},
        )

    @property
    def taken(self) -> set[str]:
        """The free names of the images, which must not be captured by a binder."""
        names: set[str] = {loc.name for loc in self.locations.values() if isinstance(loc, LocationVar)}
        shapes = [*self.shapes.values(), *(loc.shape for loc in self.locations.values())]
        dims = [*self.dims.values(), *(d for s in shapes if isinstance(s, tuple) for d in s)]
        names |= {s.name for s in shapes if isinstance(s, ShapeVar)}
        names |= {v.name for d in dims for v in variables(d) if isinstance(v, DimVar)}
        return names


def specialise(node: AnyNode, static: Static) -> AnyNode:
    """Substitute for dimension, shape and location variables, without capture."""
    return cast(AnyNode, rebuild(node, 0, _StaticImages(static)))


def specialise_type(A: Type, static: Static) -> Type:
    """Substitute for the dimension and shape variables in ``A``."""
    return _StaticImages(static).type(A)


def substitute_metavariables(
    node: AnyNode, on_dim: Callable[[DimMeta], Dim], on_shape: Callable[[ShapeMeta], Shape], on_type: Callable[[TypeMeta], Type]
) -> AnyNode:
    """Replace the metavariables of type inference by their solutions."""
    return cast(AnyNode, rebuild(node, 0, solutions(on_dim, on_shape, on_type)))


def solutions(
    on_dim: Callable[[DimMeta], Dim], on_shape: Callable[[ShapeMeta], Shape], on_type: Callable[[TypeMeta], Type]
) -> Walk:
    """The walk of ``substitute_metavariables``."""
    return _Solutions(on_dim, on_shape, on_type)


Placed = TypeVar("Placed")
Within: TypeAlias = list[tuple[Span | None, Placed]]


def types_within(node: Node) -> Within[Type]:
    """Every type in ``node``, each with the span of the innermost enclosing node that has one."""
    return types_and_primitives_within(node)[0]


def locations_within(node: Node) -> frozenset[Location]:
    """Every location that ``node`` performs an operation at or has a clause for."""
    found: set[Location] = set()
    rebuild(node, 0, _Places(found))
    return frozenset(found)


def primitives_within(node: Node) -> Within[Primitive]:
    """Every built-in function symbol that ``node`` applies or differentiates, each with the span of its application."""
    return types_and_primitives_within(node)[1]


def types_and_primitives_within(node: Node) -> tuple[Within[Type], Within[Primitive]]:
    """The results of ``types_within`` and ``primitives_within``, in one traversal."""
    census = _Census([], [], [None])
    rebuild(node, 0, census)
    return census.types, census.primitives


@frozen
class _Images(Walk):
    image: Callable[[Bound, int], Term]
    resumed: Callable[[Resume, Term, int], Command]
    removed: int
    into_functions = False

    def skips(self, node: Node, depth: int) -> bool:
        return not node.loose >> depth

    def variable(self, x: Bound, depth: int) -> Term:
        return self.image(x, depth)

    def resume(self, k: Resume, argument: Term, depth: int) -> Command:
        return self.resumed(k, argument, depth)


@frozen
class _StaticImages(Walk):
    static: Static

    def skips(self, node: Node, depth: int) -> bool:
        return isinstance(node, Bound | Const) or (isinstance(node, Scope) and not node.is_generic)

    def type(self, A: Type) -> Type:
        return map_type(A, self._on_dim, self._on_shape, _itself)

    def dim(self, d: Dim) -> Dim:
        return replace_atoms(d, self._on_dim)

    def shape(self, s: Shape) -> Shape:
        return s if is_known(s) else map_shape(s, self._on_dim, self._on_shape)

    def location(self, loc: Loc) -> Loc:
        match loc:
            case LocationVar(name, shape):
                image = self.static.locations.get(name) or LocationVar(name, self.shape(shape))
                return loc if image == loc else image
            case Location():
                return loc

    def under(self, pattern: Pattern) -> "tuple[Walk, Pattern]":
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

    def _on_dim(self, atom: DimVar | DimMeta) -> Dim | None:
        return self.static.dims.get(atom.name) if isinstance(atom, DimVar) else None

    def _on_shape(self, s: ShapeVar | ShapeMeta) -> Shape:
        return self.static.shapes.get(s.name, s) if isinstance(s, ShapeVar) else s


def _itself(A: TypeMeta) -> Type:
    return A


@frozen
class _Solutions(Walk):
    on_dim: Callable[[DimMeta], Dim]
    on_shape: Callable[[ShapeMeta], Shape]
    on_type: Callable[[TypeMeta], Type]

    def skips(self, node: Node, depth: int) -> bool:
        return isinstance(node, Bound | Const) or (isinstance(node, Scope) and not node.is_generic)

    def type(self, A: Type) -> Type:
        return map_type(A, self._atom, self._shape, self.on_type)

    def dim(self, d: Dim) -> Dim:
        return replace_atoms(d, self._atom)

    def shape(self, s: Shape) -> Shape:
        return s if is_known(s) else map_shape(s, self._atom, self._shape)

    def location(self, loc: Loc) -> Loc:
        match loc:
            case LocationVar(name, shape):
                return LocationVar(name, self.shape(shape))
            case Location():
                return loc

    def _atom(self, atom: DimVar | DimMeta) -> Dim | None:
        return self.on_dim(atom) if isinstance(atom, DimMeta) else None

    def _shape(self, s: ShapeVar | ShapeMeta) -> Shape:
        return self.on_shape(s) if isinstance(s, ShapeMeta) else s


@frozen
class _Census(Walk):
    types: list[tuple[Span | None, Type]]
    primitives: list[tuple[Span | None, Primitive]]
    place: list[Span | None]

    def skips(self, node: Node, depth: int) -> bool:
        if node.span is not None:
            self.place[0] = node.span
        if isinstance(node, Call):
            f = node.function
            while isinstance(f, RdOf):
                f = f.of
            if isinstance(f, Primitive):
                self.primitives.append((node.span, f))
        return isinstance(node, Bound | Const)

    def type(self, A: Type) -> Type:
        self.types.append((self.place[0], A))
        return A


@frozen
class _Places(Walk):
    found: set[Location]

    def skips(self, node: Node, depth: int) -> bool:
        return isinstance(node, Bound | Const)

    def location(self, loc: Loc) -> Loc:
        if isinstance(loc, Location):
            self.found.add(loc)
        return loc

    def under(self, pattern: Pattern) -> "tuple[Walk, Pattern]":
        self.found.update([i for i in pattern.indices if isinstance(i, Location)])
        return self, pattern
