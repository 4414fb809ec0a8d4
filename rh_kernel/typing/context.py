"""The typing context Γ ; Δ: the variables in scope with their types, and which of them are inaccessible.

Γ contains closed values (static parameters, a handler's parameters, the sample of a training run), Δ the input of the arrow
and the variables bound by ``let``. T-RHANDLE drops Δ; a handler's clause sees neither Δ nor enclosing clauses (RH Fig. 3).
"""

from collections.abc import Mapping
from dataclasses import field, replace
from enum import Enum

from rh_kernel.source.records import frozen
from rh_kernel.source.span import Span
from rh_kernel.syntax.dimensions import Dim
from rh_kernel.syntax.signature import Loc, LocFamily
from rh_kernel.syntax.types import ShapeVar, Type
from rh_kernel.typing.definitions import Definition, Definitions
from rh_kernel.typing.scope import Scope


class Zone(Enum):
    """The part of the context that a variable belongs to."""

    GAMMA = "Γ"
    DELTA = "Δ"
    CONTINUATION = "k"


@frozen
class Barrier:
    """A part of the program in which some variables are inaccessible: its description, and a hint for a variable ``{name}``.

    ``rule`` is the typing rule that requires it, ``why`` the reason, and ``span`` where it begins.
    """

    where: str
    way_in: str
    rule: str
    why: str = ""
    span: Span | None = None


REV_HANDLE = Barrier(
    "inside `rev handle`",
    "hand it in: `rev handle (…, {name}) <…, {name}>. R with H` binds it inside, and gives its cotangent too",
    "T-RHANDLE",
    "what is run backwards is an arrow from the variables that `rev handle` binds, and from nothing else (RH §3)",
)
CLAUSE = Barrier(
    "inside a handler's clause, which is closed",
    "a clause sees its own variables, constants, and the parameters of its handler: `handler h({name} : {type}) = { … }`",
    "T-RHANDLER",
)
ARGUMENT = Barrier(
    "in a handler's argument, which has to be closed",
    "what is declared by `const`, and what a net has in its square brackets, is closed: `net f[{name} : {type}](…)`",
    "T-RHANDLE",
)
INDEX = Barrier(
    "in square brackets, which hold closed values",
    "what is declared by `const`, and what a net has in its square brackets, is closed: `net f[{name} : {type}](…)`",
    "T-OP",
)


@frozen
class Entry:
    """``x : A``; for a continuation ``k : A ~> answer``. ``barred`` is the barrier that makes x inaccessible, if any.

    ``span`` is the binding occurrence of x.
    """

    name: str
    type: Type
    zone: Zone
    answer: Type | None = None
    barred: Barrier | None = None
    span: Span | None = field(default=None, compare=False)


@frozen
class Bar:
    """Makes those of the first ``count`` variables inaccessible that belong to ``zones``."""

    count: int
    zones: frozenset[Zone]
    barrier: Barrier


_EMPTY: Scope[Entry] = Scope()


@frozen
class Context:
    """The meaning of every name at one point of the program."""

    definitions: Definitions
    scope: Scope[Entry] = _EMPTY
    bars: tuple[Bar, ...] = ()  # the outermost first
    dims: Mapping[str, Dim] | None = None  # dimension variables by the name they have here
    shapes: Mapping[str, ShapeVar] | None = None  # shape variables of the enclosing clauses
    locations: Mapping[str, Loc] | None = None  # location parameters
    open_dims: bool = False  # whether an unknown lower-case name in a type is a new dimension variable
    places: Mapping[str, Span] | None = None  # where location and dimension parameters are bound
    families: Mapping[str, LocFamily] | None = None  # parameters for families of locations
    open_shapes: bool = False  # whether a name in `Real(s…)` is a new shape variable

    def bind(self, *entries: Entry) -> "Context":
        """Add variables, the last one innermost."""
        scope = self.scope
        for entry in entries:
            scope = scope.bind(entry.name, entry)
        here = self.dims, self.shapes, self.locations, self.open_dims, self.places, self.families, self.open_shapes
        return Context(self.definitions, scope, self.bars, *here)

    def look_up(self, name: str) -> tuple[int, Entry] | None:
        """Return the index and the entry of the innermost variable with that name, or ``None``."""
        found = None if name == "_" else self.scope.find(name)
        if found is None:
            return None
        position, entry = found
        return self.scope.count - 1 - position, self._with_barrier(position, entry)

    def _with_barrier(self, position: int, entry: Entry) -> Entry:
        """The entry, marked as barred if a bar applies to it; the outermost bar wins."""
        if entry.barred is None:
            for bar in self.bars:
                if position < bar.count and entry.zone in bar.zones:
                    return replace(entry, barred=bar.barrier)
        return entry

    def bar(self, zones: frozenset[Zone], barrier: Barrier) -> "Context":
        """Make the current variables of these zones inaccessible."""
        return replace(self, bars=(*self.bars, Bar(self.scope.count, zones, barrier)))

    def with_dims(self, dims: Mapping[str, Dim]) -> "Context":
        """Add dimension variables."""
        return replace(self, dims={**(self.dims or {}), **dims})

    def with_locations(self, locations: Mapping[str, Loc]) -> "Context":
        """Add location parameters."""
        return replace(self, locations={**(self.locations or {}), **locations})

    def with_families(self, families: Mapping[str, LocFamily]) -> "Context":
        """Add parameters for families of locations."""
        return replace(self, families={**(self.families or {}), **families})

    def with_places(self, places: Mapping[str, Span]) -> "Context":
        """Add the binding occurrences of location and dimension parameters."""
        return replace(self, places={**(self.places or {}), **places})

    def with_shapes(self, shapes: Mapping[str, ShapeVar]) -> "Context":
        """Add shape variables."""
        return replace(self, shapes={**(self.shapes or {}), **shapes})

    def variables(self) -> list[str]:
        """The names of the accessible variables, innermost first."""
        usable = [e.name for e in self._visible() if not e.barred and e.zone is not Zone.CONTINUATION]
        return [name for name in usable if name not in ("", "_")]

    def continuations(self) -> list[str]:
        """The names of the continuations, innermost first."""
        return [e.name for e in self._visible() if e.zone is Zone.CONTINUATION]

    def _visible(self) -> list[Entry]:
        return [self._with_barrier(position, entry) for position, entry in reversed(self.scope.visible())]

    def declared(self, *kinds: type[Definition]) -> list[str]:
        """The names of the declarations of these kinds."""
        return [name for name, d in self.definitions.named.items() if isinstance(d.definition, kinds)]
