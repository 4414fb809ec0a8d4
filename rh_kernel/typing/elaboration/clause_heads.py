"""Heads of handler clauses: ``FC[l](x)`` covers a family, ``FC[w0](x)`` the operations at one location (LANGUAGE §3).

The dimension variables of the operation's declaration are in scope and rigid in a clause, under their names there.
"""

from collections.abc import Mapping

from rh_kernel.source.diagnostic import Note, Rejected
from rh_kernel.source.records import frozen
from rh_kernel.syntax import surface as s
from rh_kernel.syntax.binding import Static, specialise_shape, specialise_type
from rh_kernel.syntax.dimensions import Dim, DimVar, dim, substitute, variables
from rh_kernel.syntax.signature import (
    DeclaredLocations,
    DimKind,
    Family,
    Loc,
    Location,
    LocationFamily,
    LocationFamilyVar,
    LocationVar,
    LocFamily,
    LocFamilyKind,
    LocKind,
    Pattern,
    ValueKind,
)
from rh_kernel.syntax.types import Real, Shape, ShapeVar, Type, leaves
from rh_kernel.typing.context import Context, Entry, Zone
from rh_kernel.typing.definitions import LocDefinition, LocFamilyDefinition, OpDefinition
from rh_kernel.typing.diagnostics.origins import chosen, where
from rh_kernel.typing.diagnostics.shared import count_of, no_such_thing, signature, wrong_indices
from rh_kernel.typing.elaboration.locations import elaborate_location
from rh_kernel.typing.errors import NameTwice, WrongIndex
from rh_kernel.typing.unification.unify import Unifier


@frozen
class Head:
    """An elaborated clause head: the types of the operation as the clause sees them, and the context of the clause."""

    pattern: Pattern
    coarity: Type
    arity: Type
    values: tuple[Entry, ...]
    context: Context


def clause_head(cx: Context, clause: s.ReverseClause | s.OrdinaryClause) -> Head:
    """Elaborate the head of ``clause``. Raises ``Rejected``."""
    family = _family(cx, clause)
    called: Mapping[str, str] = _shape_name(cx, clause, family) if family.shape else {}
    if not called and len(clause.indices) != len(family.parameters):
        wanted = count_of(len(family.parameters), "index")
        hint = "a clause names the indices, `FC[l](x)`, and covers all of them" if family.parameters else ""
        raise wrong_indices(cx, clause.head, clause.indices, wanted, signature(family.name, family.parameters), hint)
    taken = enclosing_variables(cx)
    names, shapes = _rigid_variables(taken, family, called)
    taken |= {*names}
    dims = {v: dim(name) for v, name in zip(family.variables, names, strict=True) if v not in shapes}
    given = list(zip(() if called else clause.indices, family.parameters, strict=True))
    numbers: dict[str, str] = {}
    for written, parameter in given:
        if isinstance(parameter.kind, DimKind):
            numbers[parameter.name] = fresh_name(parameter_name(written), taken)
            taken |= {numbers[parameter.name]}
    dims |= {name: dim(index) for name, index in numbers.items()}
    indices: list[str | DeclaredLocations] = []
    values: list[tuple[s.Name, Type]] = []
    open_locations: list[tuple[str, Shape]] = []
    open_families: list[tuple[str, LocFamilyKind]] = []
    for i, (written, parameter) in enumerate(given):
        if written.span.text in {other.span.text for other in clause.indices[:i]}:
            first = next(other for other in clause.indices if other.span.text == written.span.text)
            notes = (Note(span=first.span, text="the first one is here"),)
            hint = "give the indices different names"
            raise Rejected(NameTwice(span=written.span, name=written.span.text, notes=notes, hint=hint))
        index: str | DeclaredLocations
        match parameter.kind:
            case LocKind(shape):
                here = specialise_shape(shape, Static(dims, shapes, {}))
                location = _declared_location(cx, family, written)
                if location is None:
                    index = parameter_name(written)
                    open_locations.append((index, shape))
                else:
                    dims, shapes = _at_location(cx, family, written, location, here, dims, shapes)
                    index = location
            case DimKind():
                index = numbers[parameter.name]
            case ValueKind(A):
                index = parameter_name(written)
                values.append((s.Name(index, span=written.span), A))
            case LocFamilyKind(shape, length):
                here = specialise_shape(shape, Static(dims, shapes, {}))
                declared = _declared_family(cx, written)
                if declared is None:
                    index = parameter_name(written)
                    open_families.append((index, parameter.kind))
                else:
                    lengths = substitute(length, dims), declared.length
                    dims, shapes = _at_location(cx, family, written, declared, here, dims, shapes, lengths)
                    index = declared
        indices.append(index)
    static = Static(dims, shapes, {})
    # Only now are all dimensions known that declared locations fix, including locations to the right of a parameter.
    locations: dict[str, Loc] = {name: LocationVar(name, specialise_shape(shape, static)) for name, shape in open_locations}
    families: dict[str, LocFamily] = {
        name: LocationFamilyVar(name, specialise_shape(kind.shape, static), substitute(kind.length, dims))
        for name, kind in open_families
    }
    entries = tuple(Entry(name.text, specialise_type(A, static), Zone.GAMMA, span=name.span) for name, A in values)
    spoken = {w.text: dims[p.name] for w, p in given if p.name in dims and isinstance(w, s.Name)}
    # Renamed variables are also in scope under their primed names, so that printed clauses parse.
    primed = {v.name: dim(v) for d in dims.values() for v in variables(d) if isinstance(v, DimVar)}
    cx = cx.with_dims({**primed, **dims, **spoken}).with_locations(locations).with_families(families)
    bound = {*locations, *families, *spoken}
    cx = cx.with_places({w.text: w.span for w in clause.indices if isinstance(w, s.Name) and w.text in bound})
    in_scope = {called.get(v, v): shape for v, shape in shapes.items() if isinstance(shape, ShapeVar)}
    cx = cx.with_shapes({**in_scope, **{shape.name: shape for shape in in_scope.values()}}).bind(*entries)
    coarity, arity = specialise_type(family.domain, static), specialise_type(family.codomain, static)
    return Head(Pattern(family, tuple(indices), names), coarity, arity, entries, cx)


def _family(cx: Context, clause: s.ReverseClause | s.OrdinaryClause) -> Family:
    name, span = clause.head.text, clause.head.span
    match cx.definitions.get(name):
        case OpDefinition(_, family):
            return family
        case _:
            hint = f"declare it: `op {name}[l : Loc(m, n)] : Real(n) -> Real(m)`"
            raise no_such_thing(cx, name, span, "an operation", cx.declared(OpDefinition), hint)


def parameter_name(written: s.ClauseIndex) -> str:
    """The name that the head of a clause binds at this index. Raises ``Rejected`` for ``ws[0]``."""
    if isinstance(written, s.Name):
        return written.text
    why, found = "this index of a clause must be a name", f"`{written.span.text}`"
    raise Rejected(WrongIndex(span=written.span, why=why, found=found, hint="only locations may be given by an index"))


def _declared_location(cx: Context, family: Family, written: s.ClauseIndex) -> Location | None:
    """The declared location that an index in the head of a clause stands for; ``None`` for a parameter."""
    if isinstance(written, s.Name):
        match cx.definitions.get(written.text):
            case LocDefinition(_, location):
                return location
            case _:
                return None
    found = elaborate_location(cx, family.name, written)
    if isinstance(found, Location):
        return found
    why, hint = "the location in the head of a clause must be known", f"`{family.name}[l](x) -> …` covers all locations"
    expected = f"a number as the index of `{written.head.text}`, a declared family"
    raise Rejected(WrongIndex(span=written.span, why=why, found=f"`{written.span.text}`", expected=expected, hint=hint))


def _declared_family(cx: Context, written: s.ClauseIndex) -> LocationFamily | None:
    """The declared family of locations that an index in the head of a clause stands for; ``None`` for a parameter."""
    match cx.definitions.get(written.text) if isinstance(written, s.Name) else None:
        case LocFamilyDefinition(_, family):
            return family
        case _:
            return None


def _other_length(cx: Context, family: Family, written: s.ClauseIndex, found: Dim, expected: Dim) -> Rejected:
    name = s.text_of(written)
    why = f"`{name}` has another number of locations than the families of `{family.name}`"
    hint = f"`{name}` is a declared family; use an undeclared name to cover all families"
    notes = chosen(written.span, where(cx, name, family.name))
    return Rejected(WrongIndex(span=written.span, why=why, found=str(found), expected=str(expected), hint=hint, notes=notes))


def enclosing_variables(cx: Context) -> set[str]:
    """The dimension and shape variables bound by enclosing clauses and declarations."""
    return {v.name for d in (cx.dims or {}).values() for v in variables(d) if isinstance(v, DimVar)} | {
        v.name for v in (cx.shapes or {}).values()
    }


def fresh_name(name: str, taken: set[str]) -> str:
    """The name, primed until it is not taken."""
    while name in taken:
        name += "'"
    return name


def _shape_name(cx: Context, clause: s.ReverseClause | s.OrdinaryClause, family: Family) -> Mapping[str, str]:
    """What the head of a clause for ``Normal[s]`` calls the shape. Raises ``Rejected`` if it does not name it."""
    match clause.indices:
        case (s.Name(name),):
            return {family.shape: name}
        case indices:
            hint = f"a clause names the shape, `{family.name}[s](x)`, and covers all of them"
            head = f"`{family.name}[{family.shape}…]`"
            raise wrong_indices(cx, clause.head, indices, "a name for the shape", head, hint)


def _rigid_variables(taken: set[str], family: Family, called: Mapping[str, str]) -> tuple[tuple[str, ...], dict[str, Shape]]:
    """Fresh names for the family's variables, and the images of its shape variables."""
    whole = shape_variables(family)
    names = tuple(fresh_name(called.get(v, v), taken) for v in family.variables)
    return names, {v: ShapeVar(n) for v, n in zip(family.variables, names, strict=True) if v in whole}


def shape_variables(family: Family) -> frozenset[str]:
    """The variables of the family that stand for whole shapes."""
    return frozenset(shape.name for shape in shapes_of(family) if isinstance(shape, ShapeVar))


def shapes_of(family: Family) -> list[Shape]:
    """The shapes in the types and the parameters of the family."""
    kinds = [p.kind for p in family.parameters]
    types = [family.domain, family.codomain, *(kind.type for kind in kinds if isinstance(kind, ValueKind))]
    shapes = [A.shape for B in types for A in leaves(B) if isinstance(A, Real)]
    return [*shapes, *(kind.shape for kind in kinds if isinstance(kind, LocKind | LocFamilyKind))]


def _at_location(
    cx: Context,
    family: Family,
    written: s.ClauseIndex,
    location: DeclaredLocations,
    here: Shape,
    dims: dict[str, Dim],
    shapes: dict[str, Shape],
    lengths: tuple[Dim, Dim] | None = None,
) -> tuple[dict[str, Dim], dict[str, Shape]]:
    """The values of the family's variables at one location, or at one family of locations with the expected and its length.

    Raises ``Rejected`` if its shape or its length does not match.
    """
    unifier = Unifier()
    unknown = {v: unifier.fresh_dim(v) for v in dims}
    holes = {v: unifier.fresh_shape() for v in shapes}
    named = {d.name: unknown[v] for v, image in dims.items() for d in variables(image) if isinstance(d, DimVar)}
    general: Shape
    match here:
        case ShapeVar(name):
            general = next(holes[v] for v, image in shapes.items() if image == ShapeVar(name))
        case tuple():
            general = tuple(substitute(d, named) for d in here)
        case _:
            general = here
    if not unifier.unify_shapes(general, location.shape):
        is_a, others = ("location", "locations") if isinstance(location, Location) else ("family", "families")
        why = f"the type of {is_a} `{location.name}` does not fit `{family.name}`"
        hint = f"`{location.name}` is a declared {is_a}; use an undeclared name to cover all {others}"
        found, expected = str(Real(location.shape)), str(Real(here))
        notes = chosen(written.span, where(cx, s.text_of(written), family.name))
        raise Rejected(WrongIndex(span=written.span, why=why, found=found, expected=expected, hint=hint, notes=notes))
    if lengths is not None and not unifier.unify_dims(substitute(lengths[0], named), lengths[1]):
        raise _other_length(cx, family, written, lengths[1], lengths[0])
    solved = {v: unifier.dim(d) for v, d in unknown.items()}
    filled = {v: unifier.shape(hole) for v, hole in holes.items()}
    return (
        {v: dims[v] if solved[v] == unknown[v] else solved[v] for v in dims},
        {v: shapes[v] if filled[v] == holes[v] else filled[v] for v in shapes},
    )
