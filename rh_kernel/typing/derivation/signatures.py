"""The side conditions ``f : A → B ∈ Σ_fun`` and ``Op : A → B ∈ Σ_op`` of RH Fig. 2 and 3 (Def. 3.2, 3.3), for core trees.

Nodes carry the types of the family members that they are; this module checks that the families have such members.
"""

from collections.abc import Iterator
from functools import lru_cache

from rh_kernel.primitives.schemes import instantiate, keeps_entries
from rh_kernel.primitives.table import SYMBOLS
from rh_kernel.source.records import frozen
from rh_kernel.syntax.binding import Static, specialise_shape, specialise_type
from rh_kernel.syntax.core import Defined, Function, Index, Node, Operation, Primitive, RdOf, Scope, Term
from rh_kernel.syntax.dimensions import Dim, DimMeta, dim, substitute, variables
from rh_kernel.syntax.signature import (
    DeclaredLocations,
    DimKind,
    Family,
    Loc,
    Location,
    LocationFamily,
    LocationFamilyVar,
    LocationVar,
    LocFamilyKind,
    LocKind,
    Member,
    Pattern,
    StateOf,
    ValueKind,
)
from rh_kernel.syntax.types import Shape, ShapeMeta, ShapeVar, Type
from rh_kernel.typing.derivation.derivations import IllTyped
from rh_kernel.typing.elaboration.clause_heads import shape_variables
from rh_kernel.typing.unification.unify import Unifier


@frozen
class Required:
    """``x1 : A1, …, xn : An ⊢ M : B``, the premise of a user-defined function symbol."""

    scope: Scope
    domains: tuple[Type, ...]
    codomain: Type


def requirements(f: Function) -> Iterator[Required]:
    """The judgments that must be derivable for f ∈ Σ_fun. Raises ``ValueError`` if a built-in family has no such member."""
    while isinstance(f, RdOf):
        f = f.of
    match f:
        case Primitive():
            if not _is_member(f):
                raise ValueError(f"no `{f.name}` has the type {f.domain} → {f.codomain}")
        case Defined(_, A, B, body, own):
            yield Required(body, (A,), B)
            if own is not None:
                yield Required(own, (B, A), A)


@lru_cache(maxsize=4096)
def _is_member(f: Primitive) -> bool:
    row = SYMBOLS.get(f.name)
    if row is None:
        return False
    for scheme in row.schemes:
        try:
            if instantiate(f.name, scheme, f.at) == f and keeps_entries(scheme, f.at):
                return True
        except ValueError:
            continue
    return False


def check_operation(op: Operation) -> tuple[tuple[Term, Type], ...]:
    """The indices of ``op`` that are terms, with their required types.

    Raises ``IllTyped`` if the family has no member at these indices or of these types.
    """
    family = op.family
    counts = len(family.variables), len(family.parameters)
    _require(op, f"{family.name} has other indices", holds=(len(op.at), len(op.indices)) == counts)
    dims = {v: a for v, a in zip(family.variables, op.at, strict=True) if isinstance(a, Dim)}
    shapes = {v: a for v, a in zip(family.variables, op.at, strict=True) if not isinstance(a, Dim)}
    for p, index in zip(family.parameters, op.indices, strict=True):
        if isinstance(p.kind, DimKind) and isinstance(index, Dim):
            dims[p.name] = index
    static = Static(dims, shapes, {})
    terms: list[tuple[Term, Type]] = []
    for p, index in zip(family.parameters, op.indices, strict=True):
        match p.kind:
            case DimKind():
                _require(op, f"the index {p.name} of {family.name} is no dimension", holds=isinstance(index, Dim))
            case LocKind(shape):
                fits = isinstance(index, Loc) and index.shape == specialise_shape(shape, static)
                _require(op, f"the index {p.name} of {family.name} is no location of its shape", holds=fits)
            case ValueKind(A):
                terms.append((_term(op, index), specialise_type(A, static)))
            case LocFamilyKind(shape, length):
                wanted = specialise_shape(shape, static), substitute(length, dims)
                fits = isinstance(index, LocationFamily | LocationFamilyVar) and (index.shape, index.length) == wanted
                _require(op, f"the index {p.name} of {family.name} is no family of its locations", holds=fits)
    types = specialise_type(family.domain, static), specialise_type(family.codomain, static)
    _require(op, f"no {family.name} has the type {op.domain} → {op.codomain}", holds=types == (op.domain, op.codomain))
    return tuple(terms)


@frozen
class ClauseTypes:
    """The types that a clause sees for its operation ``Op[a…] : A → B``: of the closed values ``a``, A and B."""

    values: tuple[tuple[str, Type], ...]
    coarity: Type
    arity: Type


def clause_types(pattern: Pattern, clause: Node) -> ClauseTypes:
    """The types under the head of a clause. Dimension variables stand for themselves, unless a location in the head fixes them.

    Raises ``IllTyped`` if a location in the head has a shape that no member of the family has.
    """
    family, static = pattern.family, images(pattern, clause)
    values = [
        (index, specialise_type(p.kind.type, static))
        for p, index in zip(family.parameters, pattern.indices, strict=True)
        if isinstance(p.kind, ValueKind) and isinstance(index, str)
    ]
    return ClauseTypes(tuple(values), specialise_type(family.domain, static), specialise_type(family.codomain, static))


def names_bound(pattern: Pattern) -> set[str]:
    """The names of the dimension and shape variables that the head of a clause binds."""
    parameters = zip(pattern.indices, pattern.family.parameters, strict=True)
    return {*pattern.variables, *(i for i, p in parameters if isinstance(i, str) and isinstance(p.kind, DimKind))}


def images(pattern: Pattern, clause: Node) -> Static:
    """The images of the family's variables and dimension parameters under the head of a clause. Raises ``IllTyped``."""
    family = pattern.family
    whole = shape_variables(family)
    names = dict(zip(family.variables, pattern.variables, strict=True))
    dims = {v: dim(name) for v, name in names.items() if v not in whole}
    shapes: dict[str, Shape] = {v: ShapeVar(name) for v, name in names.items() if v in whole}
    for p, index in zip(family.parameters, pattern.indices, strict=True):
        if isinstance(p.kind, DimKind) and isinstance(index, str):
            dims[p.name] = dim(index)
    return _at_locations(pattern, clause, Static(dims, shapes, {}))


def _at_locations(pattern: Pattern, clause: Node, rigid: Static) -> Static:
    """Unify the shapes of the locations in the head; variables that this does not fix stay rigid."""
    named = [
        (p.kind, index)
        for p, index in zip(pattern.family.parameters, pattern.indices, strict=True)
        if isinstance(p.kind, LocKind | LocFamilyKind) and isinstance(index, DeclaredLocations)
    ]
    if not named:
        return rigid
    unifier = Unifier()
    unknown = _unknowns(pattern.family, unifier)
    for kind, location in named:
        fits = unifier.unify_shapes(specialise_shape(kind.shape, unknown), location.shape)
        if isinstance(kind, LocFamilyKind) and isinstance(location, LocationFamily):
            fits = fits and unifier.unify_dims(substitute(kind.length, unknown.dims), location.length)
        _require(clause, f"no {pattern.family.name} is at {location.name}", holds=fits)
    dims = {v: unifier.dim(d) for v, d in unknown.dims.items()}
    shapes = {v: unifier.shape(s) for v, s in unknown.shapes.items()}
    return Static(
        {v: rigid.dims[v] if any(isinstance(a, DimMeta) for a in variables(d)) else d for v, d in dims.items()},
        {v: rigid.shapes[v] if isinstance(s, ShapeMeta) else s for v, s in shapes.items()},
        {},
    )


def _unknowns(family: Family, unifier: Unifier) -> Static:
    whole = shape_variables(family)
    names = [*family.variables, *(p.name for p in family.parameters if isinstance(p.kind, DimKind))]
    dims = {v: unifier.fresh_dim() for v in names if v not in whole}
    return Static(dims, {v: unifier.fresh_shape() for v in names if v in whole}, {})


def _term(op: Operation, index: Index) -> Term:
    match index:
        case Location() | LocationVar() | Member() | StateOf() | LocationFamily() | LocationFamilyVar() | Dim():
            raise IllTyped(f"an index of {op.family.name} is no value", op, op.span)
        case M:
            return M


def _require(node: Node, what: str, *, holds: bool) -> None:
    if not holds:
        raise IllTyped(what, node, node.span)
