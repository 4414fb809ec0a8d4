"""Opening of scopes, substitution ``M[V/x]``, and instantiation of generic definitions at dimensions and locations.

All arithmetic on indices is done here, except for terms in environments (``operational.substitution``).
"""

from collections.abc import Callable, Mapping
from dataclasses import field, replace
from types import MappingProxyType
from typing import TypeVar, cast

from rh_kernel.source.records import frozen
from rh_kernel.syntax.core import (
    Bind,
    Bound,
    Command,
    Const,
    Node,
    OrdinaryHandler,
    Resume,
    Return,
    ReverseHandler,
    Scope,
    Term,
)
from rh_kernel.syntax.dimensions import Dim, DimMeta, DimVar, dim, replace_atoms, variables
from rh_kernel.syntax.rebuild import Transform, rebuild
from rh_kernel.syntax.signature import (
    Loc,
    Location,
    LocationFamily,
    LocationFamilyVar,
    LocationVar,
    LocFamily,
    LocFamilyKind,
    LocKind,
    Member,
    Pattern,
    StateOf,
    member,
    state_of,
    within,
)
from rh_kernel.syntax.types import Shape, ShapeMeta, ShapeVar, Type, TypeMeta, is_known, map_shape, map_type

AnyNode = TypeVar("AnyNode", bound=Node)
AnyHandler = TypeVar("AnyHandler", ReverseHandler, OrdinaryHandler)


def instantiate(scope: Scope, values: tuple[Term, ...]) -> "Term | Command":
    """Return ``body[V1/x1, …, Vn/xn]``. The V may be open; subterms without the variables are shared, not copied."""
    n = scope.arity
    if len(values) != n:
        raise ValueError(f"a scope of {n} variables was given {len(values)} values")

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

    return cast("Term | Command", rebuild(scope.body, 0, _Images(_filling(values), resume)))


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

    def resume(k: Resume, argument: Term, depth: int) -> Command:
        return Resume(k.index if k.index < depth else k.index - n, k.hint, argument, span=k.span)

    return cast(AnyHandler, rebuild(H, 0, _Images(_filling(values), resume)))


def instantiate_clause(scope: Scope, values: tuple[Term, ...], continuation: Scope) -> Command:
    """Return ``Q[V/x, k]`` for the clause ``a…, x, k. Q`` of an ordinary handler: ``k • M`` becomes ``let y ⇐ ⌊M⌋ in k[y]``."""
    n = scope.arity

    def resume(k: Resume, argument: Term, depth: int) -> Command:
        if k.index - depth == 0:
            return Bind(Return(argument, span=k.span), shift(continuation, depth), span=k.span)
        return Resume(k.index if k.index < depth else k.index - n, k.hint, argument, span=k.span)

    return cast(Command, rebuild(scope.body, 0, _Images(_filling(values, n), resume)))


def _filling(values: tuple[Term, ...], arity: int | None = None) -> Callable[[Bound, int], Term]:
    """Replace the last ``arity`` free variables by ``values``, the last of which is index 0; other indices shrink."""
    n = len(values) if arity is None else arity

    def image(x: Bound, depth: int) -> Term:
        i = x.index - depth
        if i < 0:
            return x
        return shift(values[n - 1 - i], depth) if i < n else Bound(x.index - n, x.hint, span=x.span)

    return image


def shift(node: AnyNode, by: int, above: int = 0) -> AnyNode:
    """Move ``node`` under ``by`` more binders: free indices from ``above`` on grow by ``by``."""
    if by == 0 or not node.loose >> above:
        return node

    def image(x: Bound, depth: int) -> Term:
        return x if x.index < depth else Bound(x.index + by, x.hint, span=x.span)

    def resume(k: Resume, argument: Term, depth: int) -> Command:
        return Resume(k.index if k.index < depth else k.index + by, k.hint, argument, span=k.span)

    return cast(AnyNode, rebuild(node, above, _Images(image, resume)))


def mentions(scope: Scope, position: int) -> bool:
    """Whether the variable at ``position`` (from 0, in the order of the hints) is free in the body."""
    return bool(scope.body.loose >> (scope.arity - 1 - position) & 1)


_NO_FAMILIES: Mapping[str, LocFamily] = MappingProxyType({})


@frozen
class Static:
    """A substitution for dimension variables, shape variables, and parameters for locations and families of them, by name.

    ``avoid`` are further names that an index of a ``repeat`` must not have: those in scope where metavariables in the images
    were made, as these may stand for them.
    """

    dims: Mapping[str, Dim]
    shapes: Mapping[str, Shape]
    locations: Mapping[str, Loc]
    families: Mapping[str, LocFamily] = field(default_factory=lambda: _NO_FAMILIES)
    avoid: frozenset[str] = frozenset()

    def without(self, names: set[str]) -> "Static":
        """The substitution restricted to all other names."""
        return Static(
            {k: v for k, v in self.dims.items() if k not in names},
            {k: v for k, v in self.shapes.items() if k not in names},
            {k: v for k, v in self.locations.items() if k not in names},
            {k: v for k, v in self.families.items() if k not in names},
            self.avoid,
        )

    @property
    def taken(self) -> set[str]:
        """The free names of the images, which must not be captured by a binder."""
        locations = [within(loc) for loc in self.locations.values()]
        families = [*self.families.values(), *(loc.family for loc in locations if isinstance(loc, Member))]
        names: set[str] = {loc.name for loc in locations if isinstance(loc, LocationVar)}
        names |= {family.name for family in families if isinstance(family, LocationFamilyVar)}
        shapes = [*self.shapes.values(), *(loc.shape for loc in (*locations, *families))]
        dims = [*self.dims.values(), *(d for s in shapes if isinstance(s, tuple) for d in s), *(f.length for f in families)]
        dims += [loc.index for loc in locations if isinstance(loc, Member)]
        names |= {s.name for s in shapes if isinstance(s, ShapeVar)}
        names |= {v.name for d in dims for v in variables(d) if isinstance(v, DimVar)}
        return names


def specialise(node: AnyNode, static: Static) -> AnyNode:
    """Substitute for dimension, shape and location variables, without capture."""
    return cast(AnyNode, rebuild(node, 0, _StaticImages(static)))


def specialise_type(A: Type, static: Static) -> Type:
    """Substitute for the dimension and shape variables in ``A``."""
    return _StaticImages(static).type(A)


def specialise_shape(s: Shape, static: Static) -> Shape:
    """Substitute for the dimension and shape variables in ``s``."""
    return _StaticImages(static).shape(s)


def solutions(
    on_dim: Callable[[DimMeta], Dim], on_shape: Callable[[ShapeMeta], Shape], on_type: Callable[[TypeMeta], Type]
) -> Transform:
    """Return the transform that replaces the metavariables of type inference by their solutions."""
    return _Solutions(on_dim, on_shape, on_type)


@frozen
class _Images(Transform):
    image: Callable[[Bound, int], Term]
    resumed: Callable[[Resume, Term, int], Command]
    into_functions = False

    def skips(self, node: Node, depth: int) -> bool:
        return not node.loose >> depth

    def variable(self, x: Bound, depth: int) -> Term:
        return self.image(x, depth)

    def resume(self, k: Resume, argument: Term, depth: int) -> Command:
        return self.resumed(k, argument, depth)


class _AtomImages(Transform):
    """The images of the variables and metavariables in types, dimensions and shapes."""

    def on_atom(self, atom: DimVar | DimMeta) -> Dim | None:
        """The image of a variable or metavariable, or ``None`` if it does not change."""
        raise NotImplementedError

    def on_whole_shape(self, s: ShapeVar | ShapeMeta) -> Shape:
        """The image of a shape variable or metavariable."""
        raise NotImplementedError

    def on_whole_type(self, A: TypeMeta) -> Type:
        """The image of a type metavariable."""
        return A

    def skips(self, node: Node, depth: int) -> bool:
        return isinstance(node, Bound | Const) or (isinstance(node, Scope) and not node.is_generic)

    def type(self, A: Type) -> Type:
        return map_type(A, self.on_atom, self.on_whole_shape, self.on_whole_type)

    def dim(self, d: Dim) -> Dim:
        return replace_atoms(d, self.on_atom)

    def shape(self, s: Shape) -> Shape:
        return s if is_known(s) else map_shape(s, self.on_atom, self.on_whole_shape)


@frozen
class _StaticImages(_AtomImages):
    static: Static

    def location(self, loc: Loc) -> Loc:
        match loc:
            case LocationVar(name, shape):
                image = self.static.locations.get(name) or LocationVar(name, self.shape(shape))
                return loc if image == loc else image
            case Member(family, index):
                return _of_family(loc, self.location_family(family), self.dim(index))
            case StateOf(family, base):
                image = self.location(base)
                return loc if image is base else state_of(family, image)
            case Location():
                return loc

    def location_family(self, family: LocFamily) -> LocFamily:
        match family:
            case LocationFamilyVar(name, shape, length):
                image = self.static.families.get(name) or LocationFamilyVar(name, self.shape(shape), self.dim(length))
                return family if image == family else image
            case LocationFamily():
                return family

    def under_index(self, index: str) -> tuple[Transform, str]:
        inner = self.static.without({index})
        taken = inner.taken | inner.avoid
        if index not in taken:
            return _StaticImages(inner), index
        fresh = index + "'"
        while fresh in taken:
            fresh += "'"
        return _StaticImages(replace(inner, dims={**inner.dims, index: dim(fresh)})), fresh

    def under(self, pattern: Pattern) -> tuple[Transform, Pattern]:
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
        families: dict[str, LocFamily] = {}
        for old, new in fresh.items():
            kind = kinds.get(old)
            if isinstance(kind, LocKind):
                locations[old] = LocationVar(new, self.shape(kind.shape))
            elif isinstance(kind, LocFamilyKind):
                families[old] = LocationFamilyVar(new, self.shape(kind.shape), self.dim(kind.length))
        return (
            _StaticImages(
                Static(
                    {**inner.dims, **{old: dim(new) for old, new in fresh.items()}},
                    {**inner.shapes, **shapes},
                    {**inner.locations, **locations},
                    {**inner.families, **families},
                    inner.avoid,
                )
            ),
            renamed,
        )

    def on_atom(self, atom: DimVar | DimMeta) -> Dim | None:
        return self.static.dims.get(atom.name) if isinstance(atom, DimVar) else None

    def on_whole_shape(self, s: ShapeVar | ShapeMeta) -> Shape:
        return self.static.shapes.get(s.name, s) if isinstance(s, ShapeVar) else s


@frozen
class _Solutions(_AtomImages):
    on_dim: Callable[[DimMeta], Dim]
    on_shape: Callable[[ShapeMeta], Shape]
    on_type: Callable[[TypeMeta], Type]

    def location(self, loc: Loc) -> Loc:
        match loc:
            case LocationVar(name, shape):
                return LocationVar(name, self.shape(shape))
            case Member(family, index):
                return _of_family(loc, self.location_family(family), self.dim(index))
            case StateOf(family, base):
                image = self.location(base)
                return loc if image is base else state_of(family, image)
            case Location():
                return loc

    def location_family(self, family: LocFamily) -> LocFamily:
        match family:
            case LocationFamilyVar(name, shape, length):
                image = LocationFamilyVar(name, self.shape(shape), self.dim(length))
                return family if image == family else image
            case LocationFamily():
                return family

    def on_atom(self, atom: DimVar | DimMeta) -> Dim | None:
        return self.on_dim(atom) if isinstance(atom, DimMeta) else None

    def on_whole_shape(self, s: ShapeVar | ShapeMeta) -> Shape:
        return self.on_shape(s) if isinstance(s, ShapeMeta) else s

    def on_whole_type(self, A: TypeMeta) -> Type:
        return self.on_type(A)


def _of_family(loc: Member, family: LocFamily, index: Dim) -> Loc:
    return loc if family is loc.family and index is loc.index else member(family, index)
