"""Selection of the clause that handles an operation, instantiated at the operation's indices (RH Def. 3.4, §4).

A reverse handler forwards an operation that it has no clause for:
``x ↦ let y ⇐ Op(x) in ⌊⟨y, 0⟩⌋ | y, z ↦ ⌊0⌋``. An ordinary handler leaves it to the handlers around it.
"""

from rh_kernel.syntax import core
from rh_kernel.syntax.binding import Static, shift, specialise, supply
from rh_kernel.syntax.dimensions import Dim
from rh_kernel.syntax.signature import (
    DeclaredLocations,
    DimKind,
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
    ValueKind,
)
from rh_kernel.syntax.types import Shape
from rh_kernel.syntax.values import UNIT_VALUE


def reverse_clause(H: core.ReverseHandler, op: core.Operation) -> tuple[core.Scope, core.Scope]:
    """``x. Q^f`` and ``y, z. Q^b`` of H for ``op``."""
    found = best([c.pattern for c in H.clauses], op)
    if found is None:
        return _forwarding(op)
    clause = H.clauses[found]
    # Specialise the scopes rather than the clause: the head of the clause binds the very names that are replaced.
    static, values = static_of(clause.pattern, op), _values(clause.pattern, op)
    return supply(specialise(clause.forward, static), values), supply(specialise(clause.backward, static), values)


def ordinary_clause(H: core.OrdinaryHandler, op: core.Operation) -> core.Scope | None:
    """``x, k. Q`` of H for ``op``, or ``None`` if H has no clause for it."""
    found = best([c.pattern for c in H.clauses], op)
    if found is None:
        return None
    clause = H.clauses[found]
    return supply(specialise(clause.scope, static_of(clause.pattern, op)), _values(clause.pattern, op))


def covers(pattern: Pattern, op: core.Operation) -> bool:
    """Whether a clause with this head applies to ``op``."""
    if pattern.family != op.family:
        return False
    return all(i == j for i, j in zip(pattern.indices, op.indices, strict=True) if isinstance(i, DeclaredLocations))


def best(patterns: list[Pattern], op: core.Operation) -> int | None:
    """The index of the clause whose head names the most locations; the first one among equals."""
    covering = [i for i, p in enumerate(patterns) if covers(p, op)]
    return min(covering, key=lambda i: (-_named(patterns[i]), i), default=None)


def _named(pattern: Pattern) -> int:
    return sum(isinstance(i, DeclaredLocations) for i in pattern.indices)


def _forwarding(op: core.Operation) -> tuple[core.Scope, core.Scope]:
    here = shift(op, 1)
    forward = core.Bind(
        core.Perform(here, core.Bound(0, "x")), core.Scope(("y",), core.Return(core.Tuple((core.Bound(0, "y"), UNIT_VALUE))))
    )
    return core.Scope(("x",), forward), core.Scope(("y", "z"), core.Return(core.Zero(op.domain)))


def static_of(pattern: Pattern, op: core.Operation) -> Static:
    """What the names in the head of a clause stand for at ``op``."""
    dims: dict[str, Dim] = {}
    shapes: dict[str, Shape] = {}
    locations: dict[str, Loc] = {}
    families: dict[str, LocFamily] = {}
    for name, extent in zip(pattern.variables, op.at, strict=True):
        if isinstance(extent, Dim):
            dims[name] = extent
        else:
            shapes[name] = extent
    for name, parameter, index in zip(pattern.indices, op.family.parameters, op.indices, strict=True):
        match parameter.kind, index:
            case LocKind(), Location() | LocationVar() | Member() | StateOf() if isinstance(name, str):
                locations[name] = index
            case LocFamilyKind(), LocationFamily() | LocationFamilyVar() if isinstance(name, str):
                families[name] = index
            case DimKind(), Dim() if isinstance(name, str):
                dims[name] = index
            case LocKind() | DimKind() | ValueKind() | LocFamilyKind(), _:
                pass
    return Static(dims, shapes, locations, families)


def _values(pattern: Pattern, op: core.Operation) -> tuple[core.Term, ...]:
    return tuple(
        index
        for name, parameter, index in zip(pattern.indices, op.family.parameters, op.indices, strict=True)
        if isinstance(parameter.kind, ValueKind)
        if isinstance(name, str) and not isinstance(index, Loc | LocFamily | Dim)
    )
