"""The typing context Γ ; Δ: which variables are in scope, with what type, and which of them are out of reach.

Γ holds closed values (static parameters, a handler's parameters, the sample of a training run), Δ the arrow's input and what
``let`` binds. T-RHANDLE drops Δ, and a handler's clause sees neither the Δ nor the clauses around it (RH Fig. 3).
"""

from collections.abc import Mapping
from dataclasses import field, replace
from enum import Enum

from rh_kernel.source.records import frozen
from rh_kernel.source.span import Span
from rh_kernel.syntax.dimensions import Dim
from rh_kernel.syntax.signature import Loc
from rh_kernel.syntax.types import ShapeVar, Type
from rh_kernel.typing.definitions import Definition, Definitions
from rh_kernel.typing.scope import Scope


class Zone(Enum):
    """Which part of the context a variable belongs to."""

    GAMMA = "Γ"
    DELTA = "Δ"
    CONTINUATION = "k"


@frozen
class Barrier:
    """A place where some variables are out of reach, in words, and what to do about one of them, ``{name}``.

    ``rule`` is the name of the rule that asks for it, and ``why`` its reason; ``span`` is where the place begins.
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
    """``x : A``; for a continuation ``k : A ~> answer``. ``barred`` tells why x is out of reach, if it is.

    ``span`` is where x is bound.
    """

    name: str
    type: Type
    zone: Zone
    answer: Type | None = None
    barred: Barrier | None = None
    span: Span | None = field(default=None, compare=False)


@frozen
class Bar:
    """The first ``count`` variables are out of reach, as far as they belong to these zones."""

    count: int
    zones: frozenset[Zone]
    barrier: Barrier


_NOTHING: Scope[Entry] = Scope()


@frozen
class Context:
    """Everything a name can mean at one place of the program."""

    definitions: Definitions
    scope: Scope[Entry] = _NOTHING
    bars: tuple[Bar, ...] = ()  # the outermost first
    dims: Mapping[str, Dim] | None = None  # dimension variables by the name they have here
    shapes: Mapping[str, ShapeVar] | None = None  # shape variables of Get's and Put's clauses
    locations: Mapping[str, Loc] | None = None  # location parameters
    open_dims: bool = False  # whether an unknown lower-case name in a type is a new dimension variable
    places: Mapping[str, Span] | None = None  # where location and dimension parameters are bound

    def bind(self, *entries: Entry) -> "Context":
        """With more variables, the last of them innermost."""
        scope = self.scope
        for entry in entries:
            scope = scope.bind(entry.name, entry)
        return Context(self.definitions, scope, self.bars, self.dims, self.shapes, self.locations, self.open_dims, self.places)

    def look_up(self, name: str) -> tuple[int, Entry] | None:
        """The index and entry of the nearest variable of that name."""
        found = None if name == "_" else self.scope.find(name)
        if found is None:
            return None
        position, entry = found
        return self.scope.count - 1 - position, self._seen(position, entry)

    def _seen(self, position: int, entry: Entry) -> Entry:
        """The entry, out of reach if there is a bar between it and here; the outermost bar tells why."""
        if entry.barred is None:
            for bar in self.bars:
                if position < bar.count and entry.zone in bar.zones:
                    return replace(entry, barred=bar.barrier)
        return entry

    def bar(self, zones: frozenset[Zone], barrier: Barrier) -> "Context":
        """With the variables of these zones out of reach."""
        return replace(self, bars=(*self.bars, Bar(self.scope.count, zones, barrier)))

    def with_dims(self, dims: Mapping[str, Dim]) -> "Context":
        """With more dimension variables."""
        return replace(self, dims={**(self.dims or {}), **dims})

    def with_locations(self, locations: Mapping[str, Loc]) -> "Context":
        """With more location parameters."""
        return replace(self, locations={**(self.locations or {}), **locations})

    def with_places(self, places: Mapping[str, Span]) -> "Context":
        """With the places where more location and dimension parameters are bound."""
        return replace(self, places={**(self.places or {}), **places})

    def with_shapes(self, shapes: Mapping[str, ShapeVar]) -> "Context":
        """With more shape variables."""
        return replace(self, shapes={**(self.shapes or {}), **shapes})

    def variables(self) -> list[str]:
        """The names of the variables that a term can use, the nearest first."""
        usable = [e.name for e in self._visible() if not e.barred and e.zone is not Zone.CONTINUATION]
        return [name for name in usable if name not in ("", "_")]

    def continuations(self) -> list[str]:
        """The names of the continuations, the nearest first."""
        return [e.name for e in self._visible() if e.zone is Zone.CONTINUATION]

    def _visible(self) -> list[Entry]:
        return [self._seen(position, entry) for position, entry in reversed(self.scope.visible())]

    def declared(self, *kinds: type[Definition]) -> list[str]:
        """The declared names of these kinds."""
        return [name for name, d in self.definitions.named.items() if isinstance(d.definition, kinds)]
