"""Hypothesis strategies for well-typed commands and handlers, drawn by type: ``Γ ; Δ ⊢ P : A`` and ``⊢ H : rev handler(C)``."""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import lru_cache
from typing import cast

from hypothesis import strategies as st
from hypothesis.strategies import DrawFn
from hypothesis.vendor.pretty import RepresentationPrinter

from rh_kernel.syntax.binding import Static, specialise_type
from rh_kernel.syntax.builtin import BUILT_IN_FAMILIES, GET, PUT
from rh_kernel.syntax.core import (
    Array,
    Bind,
    Bound,
    Command,
    Handle,
    IfCommand,
    Index,
    Operation,
    OrdinaryClause,
    OrdinaryHandler,
    Perform,
    Plus,
    Repeat,
    Resume,
    Return,
    ReverseClause,
    ReverseHandler,
    RevHandle,
    Scan,
    Scope,
    Tuple,
)
from rh_kernel.syntax.dimensions import Dim, DimVar, dim, variables
from rh_kernel.syntax.printing.printer import show
from rh_kernel.syntax.sequences import is_sequence, row, stacked
from rh_kernel.syntax.signature import (
    DimKind,
    Family,
    Loc,
    Location,
    LocationVar,
    LocFamilyKind,
    LocKind,
    Member,
    Pattern,
    ValueKind,
)
from rh_kernel.syntax.types import SCALAR, UNIT, Product, Real, ShapeVar, Type, concrete_shape, product
from rh_kernel.syntax.values import UNIT_VALUE
from rh_kernel.typing.context import Zone
from rh_kernel.typing.definitions import OpDefinition
from rh_kernel.typing.derivation.derivations import Assumption
from rh_kernel.typing.derivation.signatures import clause_types, images
from rh_kernel.typing.elaboration.clause_heads import shape_variables
from rh_kernel.typing.unification.atoms import dimension_names
from rh_kernel.typing.unification.unify import Unifier
from tests.declarations import DEFINITIONS, LOCATION_FAMILIES
from tests.strategies import (
    Dice,
    World,
    chance,
    choose,
    dice_of,
    draw_condition,
    draw_sequence,
    draw_term,
    draw_type,
    gamma_of,
    heap_of,
    is_open,
)

FAMILIES = {
    d.definition.family.name: d.definition.family for d in DEFINITIONS.named.values() if isinstance(d.definition, OpDefinition)
}
BUILT_IN_NAMES = tuple([family.name for family in BUILT_IN_FAMILIES])
USER = tuple(name for name in FAMILIES if name not in BUILT_IN_NAMES)


@dataclass(frozen=True)
class Program:
    """A closed command of type ``type``, and a heap to run it in."""

    command: Command
    type: Type
    heap: dict[Location, Array]

    def __repr__(self) -> str:
        return show(self.command)

    def _repr_pretty_(self, printer: RepresentationPrinter, cycle: bool) -> None:
        printer.text(show(self.command))


@st.composite
def programs(draw: DrawFn, fuel: int = 4, w: World | None = None) -> Program:
    """``◇ ; ◇ ⊢ P : A`` with a heap; every operation of P is handled, by a handler in P or by the heap."""
    return draw_program(dice_of(draw), w or World(), fuel)


@st.composite
def commands(
    draw: DrawFn, gamma: Sequence[Type], delta: Sequence[Type], A: Type, fuel: int = 4, w: World | None = None
) -> Command:
    """P with ``Γ ; Δ ⊢ P : A``; the last type of Δ is that of index 0."""
    return draw_command(dice_of(draw), (w or World()).bind(*gamma_of(gamma)).delta(*delta), A, fuel)


@st.composite
def reverse_handlers(draw: DrawFn, gamma: Sequence[Type], C: Type, fuel: int = 3, w: World | None = None) -> ReverseHandler:
    """H with ``Γ ⊢ H : rev handler(C)``"""
    return draw_reverse_handler(dice_of(draw), (w or World()).bind(*gamma_of(gamma)), C, fuel)[0]


@st.composite
def ordinary_handlers(
    draw: DrawFn, gamma: Sequence[Type], C: Type, D: Type, fuel: int = 3, w: World | None = None
) -> OrdinaryHandler:
    """H with ``Γ ⊢ H : C ⇒ D``"""
    return draw_ordinary_handler(dice_of(draw), (w or World()).bind(*gamma_of(gamma)), C, D, fuel)[0]


@st.composite
def operations(draw: DrawFn, name: str, w: World | None = None) -> Operation:
    """A member of a family, at closed indices."""
    w, family, dice = w or World(), FAMILIES[name], dice_of(draw)
    static = Static({v: choose(dice, w.dims) for v in (*family.variables, *(p.name for p in family.parameters))}, {}, {})
    P = draw_perform(dice, w, family, specialise_type(family.codomain, static))
    assert P is not None
    return P.operation


def draw_program(dice: Dice, w: World, fuel: int) -> Program:
    """``◇ ; ◇ ⊢ P : A`` with a heap"""
    A = draw_type(dice, w)
    if chance(dice, 2):
        # Where there are few locations, what is written is read again.
        w = replace(w, locations=tuple([choose(dice, w.locations) for _ in range(3)]))
    return Program(draw_command(dice, w, A, fuel), A, heap_of(dice(2**20)))


def draw_command(dice: Dice, w: World, A: Type, fuel: int) -> Command:
    """P with ``Γ ; Δ ⊢ P : A``"""
    less = fuel - 1
    if fuel <= 0:
        return _simple(dice, w, A)
    match choose(dice, ("bind", "bind", "bind", "simple", "rev handle", "handle", "put and get", "if", "scan", "repeat")):
        case "bind":
            B = _result(dice, w)
            P = draw_command(dice, w, B, less - 1 - chance(dice, 2))
            return Bind(P, Scope(("x",), draw_command(dice, w.delta(B), A, less)))
        case "if" if w.chooses:
            condition, operands = draw_condition(dice, w, less - 1)
            return IfCommand(condition, operands, draw_command(dice, w, A, less), draw_command(dice, w, A, less))
        case "scan":
            return _scan(dice, w, A, less)
        case "put and get":
            return _put_and_get(dice, w, A, less)
        case "rev handle":
            return draw_rev_handle(dice, w, A, less)
        case "handle":
            C = _result(dice, w)
            H, inside = draw_ordinary_handler(dice, w, C, A, less)
            return Handle(draw_command(dice, inside, C, less), H)
        case "repeat":
            return draw_repeat(dice, w, A, less)
        case _:
            return _simple(dice, w, A)


def _scan(dice: Dice, w: World, A: Type, fuel: int) -> Command:
    """``let x ⇐ scan (x in M) from s = N do P in Q``"""
    n = choose(dice, w.dims)
    source, S, B = draw_sequence(dice, w, n), draw_type(dice, w, 0), draw_type(dice, w)
    B = B if is_sequence(B) else SCALAR
    C = stacked(n, B)
    argument = Tuple((draw_term(dice, w, source, 2), draw_term(dice, w, S, 2)))
    P = draw_command(dice, w.delta(row(source), S), Product((B, S)), min(fuel - 1, 2))
    scan = Scan(argument, Scope(("x", "s"), P), source, C)
    return Bind(scan, Scope(("x",), draw_command(dice, w.delta(Product((C, S))), A, fuel - 1)))


def draw_repeat(dice: Dice, w: World, A: Type, fuel: int) -> Repeat:
    """``repeat round < n from s = M do P``, of type A; P may use the locations of that number of the declared families."""
    index = _primed("round", {v for l in w.locations if isinstance(l, Member) for v in dimension_names(Real((l.index,)))})
    members: list[Loc] = [Member(family, dim(index)) for family in LOCATION_FAMILIES]
    inner = replace(w.delta(A), locations=(*w.locations, *members, *members))
    P = draw_command(dice, inner, A, min(fuel - 1, 2))
    return Repeat(index, 0, dim(dice(4)), draw_term(dice, w, A, 2), Scope(("s",), P))


def _put_and_get(dice: Dice, w: World, A: Type, fuel: int) -> Command:
    """``let _ ⇐ Put^ℓ(M) in let x ⇐ Get^ℓ() in P``"""
    l = choose(dice, w.locations)
    B = Real(l.shape)
    put = Perform(Operation(PUT, (l,), (l.shape,), B, UNIT), draw_term(dice, w, B, 2))
    w = w.delta(UNIT)
    get = Perform(Operation(GET, (l,), (l.shape,), UNIT, B), UNIT_VALUE)
    return Bind(put, Scope(("_",), Bind(get, Scope(("x",), draw_command(dice, w.delta(B), A, fuel)))))


def _result(dice: Dice, w: World) -> Type:
    """Draw a type for which there is a command here, often the result of an operation."""
    match dice(8):
        case 0 | 1 | 2:
            return draw_type(dice, w)
        case 3:
            return UNIT
        case 4:
            A = Real((choose(dice, w.dims),))
            return Product((A, A))
        case _:
            return Real((choose(dice, w.dims),))


def _simple(dice: Dice, w: World, A: Type) -> Command:
    """``⌊M⌋``, ``Op(M)`` or ``k • M``"""
    ks = [(i, k) for i, k in enumerate(reversed(w.context)) if k is not None and k.answer == A]
    if ks and not chance(dice, 3):
        i, k = choose(dice, ks)
        return Resume(i, k.name, draw_term(dice, w, k.type, 2))
    if not chance(dice, 4):
        names = [name for name in (*sorted(w.operations), *BUILT_IN_NAMES) if _produces(name, A)]
        if names:
            P = draw_perform(dice, w, FAMILIES[choose(dice, names)], A)
            if P is not None:
                return P
    M = draw_term(dice, w, A, 3)
    for i, x in enumerate(reversed(w.context)):
        # A variable that is used once more has cotangents that are added up.
        if x is not None and x.answer is None and x.type == A and chance(dice, 2):
            M = Plus(Bound(i, x.name), M)
    return Return(M)


# -- operations ----------------------------------------------------------------------------------------------------------------


def _opened(family: Family, unifier: Unifier) -> Static:
    whole = shape_variables(family)
    names = [*family.variables, *(p.name for p in family.parameters if isinstance(p.kind, DimKind))]
    dims = {v: unifier.fresh_dim() for v in names if v not in whole}
    return Static(dims, {v: unifier.fresh_shape() for v in names if v in whole}, {})


@lru_cache(maxsize=1024)
def _produces(name: str, A: Type) -> bool:
    family, unifier = FAMILIES[name], Unifier()
    return unifier.unify_types(specialise_type(family.codomain, _opened(family, unifier)), A)


def draw_perform(dice: Dice, w: World, family: Family, A: Type) -> Perform | None:
    """``Op[i, …](M) : A`` for a member of the family, or ``None`` if no location fits."""
    unifier = Unifier()
    static = _opened(family, unifier)
    unifier.unify_types(specialise_type(family.codomain, static), A)
    indices: list[Index | None] = []
    for p in family.parameters:
        match p.kind:
            case LocKind(shape):
                wanted = unifier.type(specialise_type(Real(shape), static))
                fitting = [l for l in w.locations if _fits(unifier, wanted, Real(l.shape))]
                if not fitting:
                    return None
                location = choose(dice, fitting)
                unifier.unify_types(wanted, Real(location.shape))
                indices.append(location)
            case DimKind():
                if is_open(unifier.type(Real((static.dims[p.name],)))):
                    unifier.unify_dims(static.dims[p.name], choose(dice, w.dims))
                indices.append(unifier.dim(static.dims[p.name]))
            case ValueKind():
                indices.append(None)
            case LocFamilyKind():
                return None
    for d in static.dims.values():
        if is_open(unifier.type(Real((d,)))):
            unifier.unify_dims(d, choose(dice, w.dims))
    solved = Static(
        {v: unifier.dim(d) for v, d in static.dims.items()}, {v: unifier.shape(s) for v, s in static.shapes.items()}, {}
    )
    found: list[Index] = []
    for p, index in zip(family.parameters, indices, strict=True):
        if index is not None:
            found.append(index)
        elif isinstance(p.kind, ValueKind):
            found.append(draw_term(dice, w.gamma, specialise_type(p.kind.type, solved), 1))
    at = tuple(solved.dims[v] if v in solved.dims else solved.shapes[v] for v in family.variables)
    domain, codomain = specialise_type(family.domain, solved), specialise_type(family.codomain, solved)
    op = Operation(family, tuple(found), at, domain, codomain)
    return Perform(op, UNIT_VALUE if domain == UNIT else draw_term(dice, w, domain, 2))


def _fits(unifier: Unifier, A: Type, B: Type) -> bool:
    return unifier.is_unifiable(A, B) if is_open(A) else A == B


# -- handlers ------------------------------------------------------------------------------------------------------------------


def draw_rev_handle(dice: Dice, w: World, A: Type, fuel: int) -> RevHandle:
    """``rev handle (M) ⟨x1, …, xn⟩. R with H``, of type A"""
    spread = isinstance(A, Product) and not chance(dice, 4)
    types: tuple[Type, ...] = A.factors if spread and isinstance(A, Product) else () if A == UNIT and chance(dice, 2) else (A,)
    C = _result(dice, w)
    H, inside = draw_reverse_handler(dice, w, C, fuel)
    body = inside.gamma.delta(*types)
    R = draw_command(dice, body, C, fuel)
    for _ in range(dice(3)):
        R = Bind(R, Scope(("r",), _joined(dice, body.delta(C), C)))
    return RevHandle(draw_term(dice, w, product(types), 2), Scope(("x", "y", "z", "u")[: len(types)], R), H)


def _joined(dice: Dice, w: World, C: Type) -> Command:
    """``⌊r + M⌋`` for the nearest variable r : C, so that variables that both r and M depend on add two cotangents."""
    M = draw_term(dice, w, C, 3)
    for _ in range(4):
        if M.loose >> 1:
            break
        M = draw_term(dice, w, C, 3)
    return Return(Plus(Bound(0, "r"), M))


def draw_reverse_handler(dice: Dice, w: World, C: Type, fuel: int) -> tuple[ReverseHandler, World]:
    """``⊢ H : rev handler(C)``, and the world of the commands that it handles."""
    closed = w.gamma
    returns = Scope(("x",), draw_command(dice, closed.delta(C), C, min(fuel - 1, 1)))
    patterns, inside = _heads(dice, w)
    return ReverseHandler(C, returns, tuple(_reverse_clause(dice, closed, p, fuel - 1) for p in patterns)), inside


def _reverse_clause(dice: Dice, w: World, pattern: Pattern, fuel: int) -> ReverseClause:
    op = clause_types(pattern, _NOWHERE)
    inner = _inside(w, pattern)
    contents = [Real(l.shape) for l in inner.locations if isinstance(l, LocationVar)]
    kept: Type = draw_type(dice, inner)
    if not chance(dice, 3):
        kept = product((*contents, op.coarity))
    low = min(fuel, 2)
    names = pattern.values
    forward = draw_command(dice, inner.delta(op.coarity), Product((op.arity, kept)), low)
    backward = draw_command(dice, inner.delta(op.arity, kept), op.coarity, low)
    return ReverseClause(pattern, Scope((*names, "x"), forward), kept, Scope((*names, "y", "z"), backward))


def draw_ordinary_handler(dice: Dice, w: World, C: Type, D: Type, fuel: int) -> tuple[OrdinaryHandler, World]:
    """``⊢ H : C ⇒ D``, and the world of the commands that it handles."""
    closed = w.gamma
    returns = Scope(("x",), draw_command(dice, closed.delta(C), D, min(fuel - 1, 1)))
    patterns, inside = _heads(dice, w)
    return OrdinaryHandler(C, D, returns, tuple(_ordinary_clause(dice, closed, p, D, fuel - 1) for p in patterns)), inside


def _ordinary_clause(dice: Dice, w: World, pattern: Pattern, D: Type, fuel: int) -> OrdinaryClause:
    op = clause_types(pattern, _NOWHERE)
    inner = _inside(w, pattern).delta(op.coarity).bind(Assumption("k", op.arity, Zone.CONTINUATION, D))
    return OrdinaryClause(pattern, Scope((*pattern.values, "x", "k"), draw_command(dice, inner, D, min(fuel, 2))))


_NOWHERE = Return(UNIT_VALUE)


def _heads(dice: Dice, w: World) -> tuple[tuple[Pattern, ...], World]:
    """Draw the heads of a handler's clauses, and the world of the handled command, which may perform their operations."""
    names = [name for name in USER if chance(dice, 3)] + [name for name in BUILT_IN_NAMES if not w.written and chance(dice, 12)]
    taken = {v.name for d in w.dims for v in variables(d) if isinstance(v, DimVar)}
    taken |= w.shapes
    if w.written:
        names = [name for name in names if not taken & _bound_by(FAMILIES[name])]
    patterns: list[Pattern] = []
    for name in names:
        family = FAMILIES[name]
        fresh = tuple(_primed(v, taken) for v in family.variables)
        bound = {*taken, *fresh}
        indices = tuple(_primed(p.name, bound) if isinstance(p.kind, DimKind) else p.name for p in family.parameters)
        general = Pattern(family, indices, fresh)
        if any(isinstance(p.kind, LocKind) for p in family.parameters) and chance(dice, 3):
            special = _at_location(dice, general)
            patterns += [special] if special is not None else []
        patterns.append(general)
    return tuple(patterns), replace(w, operations=w.operations | frozenset(n for n in names if n in USER))


def _bound_by(family: Family) -> set[str]:
    return {*family.variables, *(p.name for p in family.parameters)}


def _at_location(dice: Dice, general: Pattern) -> Pattern | None:
    """Return the head with its first location parameter replaced by a declared location."""
    i, p = next((i, p) for i, p in enumerate(general.family.parameters) if isinstance(p.kind, LocKind))
    unifier = Unifier()
    wanted = specialise_type(Real(cast(LocKind, p.kind).shape), _opened(general.family, unifier))
    fitting = [l for l in World().locations if unifier.is_unifiable(wanted, Real(l.shape)) and isinstance(l, Location)]
    if not fitting:
        return None
    indices = (*general.indices[:i], choose(dice, fitting), *general.indices[i + 1 :])
    return Pattern(general.family, indices, general.variables)


def _primed(name: str, taken: set[str]) -> str:
    while name in taken:
        name += "'"
    return name


def _inside(w: World, pattern: Pattern) -> World:
    """Return the world of a clause, with its dimensions, locations and closed values added."""
    family, static = pattern.family, images(pattern, _NOWHERE)
    own: list[Loc] = []
    for p, index in zip(family.parameters, pattern.indices, strict=True):
        if isinstance(p.kind, LocKind) and isinstance(index, str):
            own.append(LocationVar(index, cast(Real, specialise_type(Real(p.kind.shape), static)).shape))
        elif isinstance(index, Location):
            own.append(index)
    shadowed = {l.name for l in own}
    further: list[Dim] = [d for d in static.dims.values() if d.constant is None]
    spoken = {i for i in pattern.indices if isinstance(i, str)}
    return replace(
        w,
        dims=(*further, *(d for d in w.dims if not _mentions(d, spoken)), dim(1)),
        locations=(*own, *own, *(l for l in w.locations if l.name not in shadowed)),
        shapes=w.shapes.union([shape.name for shape in static.shapes.values() if isinstance(shape, ShapeVar)]),
    ).bind(*(Assumption(name, A, Zone.GAMMA) for name, A in clause_types(pattern, _NOWHERE).values))


def _mentions(d: Dim, names: set[str]) -> bool:
    return any(isinstance(v, DimVar) and v.name in names for v in variables(d))


def sizes_of(l: Location) -> tuple[int, ...]:
    """Return the shape of a location's content."""
    return concrete_shape(Real(l.shape)) or ()
