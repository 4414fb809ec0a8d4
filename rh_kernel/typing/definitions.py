"""The definitions of a session: a frozen record for each kind of declaration."""

from collections.abc import Collection, Iterable, Mapping
from dataclasses import field, replace
from types import MappingProxyType
from typing import TypeAlias

from rh_kernel.source.records import frozen
from rh_kernel.source.span import Span
from rh_kernel.source.tables import table
from rh_kernel.syntax.builtin import BUILT_IN_FAMILIES
from rh_kernel.syntax.core import Const, Handler, Scope, Term
from rh_kernel.syntax.dimensions import Dim
from rh_kernel.syntax.signature import Family, Location, LocationFamily, Parameter, StateFamily, located_state, members
from rh_kernel.syntax.types import Type


@frozen
class DimDefinition:
    """``dim n_hid = 3``"""

    name: str
    value: int


@frozen
class ConstDefinition:
    """``const t : A = M``: ``term`` is closed; the session evaluates it before the name can be used."""

    name: str
    type: Type
    term: Term


@frozen
class NumberDefinition:
    """``a`` of ``sweep a in [0.1, 0.2]`` in one of its runs: a term, and a dimension if it is a whole number from 0 on"""

    name: str
    value: float

    @property
    def whole(self) -> int | None:
        """The value as a dimension, if it is one."""
        return int(self.value) if self.value >= 0 and self.value == int(self.value) else None


@frozen
class Written:
    """An initial value given by a closed term, mostly a literal."""

    term: Term


@frozen
class Drawn:
    """``zeros ones eye normal uniform glorot``, with their numeric arguments; ``seed`` for the random ones."""

    how: str
    numbers: tuple[float, ...]
    seed: int


@frozen
class Loaded:
    """``load("w.npy")``"""

    path: str


Initial: TypeAlias = Written | Drawn | Loaded


@frozen
class LocDefinition:
    """``loc w0 : Real(3, 2) = normal(0.5, seed=1)``"""

    name: str
    location: Location
    initial: Initial


@frozen
class LocFamilyDefinition:
    """``loc ws[n] : Real(8, 8) = glorot(seed=1)``: n locations; random contents are drawn with seeds of their own."""

    name: str
    family: LocationFamily
    initial: Initial


@frozen
class StateDefinition:
    """``loc velocity[l : Loc(s…)] : Real(s…) = zeros``: a location beside each location of such a shape."""

    name: str
    family: StateFamily


@frozen
class FunDefinition:
    """``fun f(x : A) : B = M``: scopes ``x. M`` and ``w, x. N``, generic in ``variables``; each use requires ``needs`` ≥ 0."""

    name: str
    variables: tuple[str, ...]
    parameters: tuple[tuple[str, Type], ...]
    domain: Type
    codomain: Type
    body: Scope
    own: Scope | None
    needs: tuple[Dim, ...] = ()


@frozen
class OpDefinition:
    """``op FC[l : Loc(m, n)] : A -> B``"""

    name: str
    family: Family


@frozen
class NetDefinition:
    """``net mlp[l : Loc(m, n), a : C](x : A) : B = R``: the scope ``a…, x. R``, generic in ``variables``.

    ``nodes`` estimates its size, in tokens, with the nets in it unfolded. ``needs`` is as for a function.
    """

    name: str
    variables: tuple[str, ...]
    statics: tuple[Parameter, ...]
    parameters: tuple[tuple[str, Type], ...]
    domain: Type
    codomain: Type
    body: Scope
    nodes: int = 0
    needs: tuple[Dim, ...] = ()


@frozen
class HandlerDefinition:
    """``handler sgd(alpha : A, t : B) = { … }``, generic in ``variables``.

    The parameters are free in ``handler``: the last one is index 0. Where the source leaves its type open it contains
    metavariables, which are renewed at each use. ``nodes`` and ``needs`` are as for a net. ``given`` are closed values that
    each application gets for some parameters in the place of what is written there, as from ``%slider sgd.alpha``.
    """

    name: str
    variables: tuple[str, ...]
    parameters: tuple[tuple[str, Type], ...]
    handler: Handler
    nodes: int = 0
    needs: tuple[Dim, ...] = ()
    given: Mapping[str, Const] = field(default_factory=lambda: MappingProxyType({}))


Definition: TypeAlias = (
    DimDefinition
    | ConstDefinition
    | NumberDefinition
    | LocDefinition
    | FunDefinition
    | OpDefinition
    | NetDefinition
    | HandlerDefinition
    | LocFamilyDefinition
    | StateDefinition
)


def locations_of(definition: Definition) -> tuple[Location, ...]:
    """The locations that a definition declares, in order."""
    match definition:
        case LocDefinition(_, location):
            return (location,)
        case LocFamilyDefinition(_, family):
            return members(family)
        case DimDefinition() | ConstDefinition() | NumberDefinition():
            return ()
        case FunDefinition() | OpDefinition() | NetDefinition() | HandlerDefinition() | StateDefinition():
            return ()


@frozen
class Declared:
    """A definition and the span of its name, ``None`` for built-in names.

    ``cell`` is the cell that contains it, if that can be run again, and ``text`` its source; ``number`` is unique in a session.
    ``made_from`` are the declarations that it depends on, by name and number.
    """

    definition: Definition
    span: Span | None
    cell: str = ""
    text: str = ""
    number: int = 0
    made_from: tuple[tuple[str, int], ...] = ()

    def means(self, other: "Declared") -> bool:
        """Whether ``other`` has the same text and dependencies; a redeclared location always counts as new."""
        same = self.text == other.text and self.made_from == other.made_from
        return (
            bool(self.text) and same and not isinstance(self.definition, LocDefinition | LocFamilyDefinition | StateDefinition)
        )


NODES = 250_000
"""The default limit of a session for the nodes in the body of a net, with the nets in it unfolded."""


@frozen
class Definitions:
    """All names of a session, as an immutable value.

    ``failed`` are the names whose declaration has an error, and the word ``include`` if a file could not be included.
    ``count`` is the number of declarations so far, ``versions`` the number of locations that each name has stood for, and
    ``nodes`` the maximum size of a program with its nets unfolded. ``forgotten`` is what the running cell declared before,
    ``locked`` what was declared below ``%locked``, even if a later cell has redeclared the name.
    """

    named: Mapping[str, Declared]
    failed: frozenset[str] = frozenset()
    count: int = 0
    versions: Mapping[str, int] = field(default_factory=lambda: MappingProxyType({}))
    nodes: int = NODES
    forgotten: MappingProxyType[str, Declared] = field(default_factory=lambda: MappingProxyType({}))
    locked: Mapping[str, Declared] = field(default_factory=lambda: MappingProxyType({}))

    def get(self, name: str) -> Definition | None:
        """Return the definition of ``name``, or ``None``."""
        declared = self.named.get(name)
        return None if declared is None else declared.definition

    def locations(self) -> Mapping[str, Location]:
        """The declared locations by name; those of a family are ``ws[0]``, ``ws[1]``, …"""
        return {found.name: found for declared in self.named.values() for found in locations_of(declared.definition)}

    def states(self) -> Mapping[str, Location]:
        """The locations beside the declared ones, by name: ``velocity[w]`` for every w that the state ``velocity`` fits."""
        found: dict[str, Location] = {}
        families = [
            declared.definition.family for declared in self.named.values() if isinstance(declared.definition, StateDefinition)
        ]
        for base in self.locations().values() if families else ():
            for family in families:
                if family.fits(base.shape):
                    state = located_state(family, base)
                    found[state.name] = state
        return found

    def with_(
        self,
        definition: Definition,
        span: Span | None,
        cell: str = "",
        uses: Iterable[str] = (),
        text: str = "",
        *,
        is_locked: bool = False,
    ) -> "Definitions":
        """Add a definition with source ``text`` in ``cell``, which depends on the names in ``uses``.

        It replaces an earlier definition of the name, but keeps its number if it means the same. If ``is_locked``, it is also
        added to the locked definitions.
        """
        name, count = definition.name, self.count + 1
        used_names = frozenset(uses)
        earlier = sorted([(used, self.named[used].number) for used in used_names if used != name and used in self.named])
        declared = Declared(definition, span, cell, text, count, tuple(earlier))
        before = self.named.get(name) or self.forgotten.get(name)
        # A declaration that uses its own earlier meaning, `const a = a + 1`, has a new meaning each time.
        if before is not None and name not in used_names and declared.means(before):
            declared = replace(declared, number=before.number)
        named = table(self.named).with_(name, declared)
        versions = self.versions
        if isinstance(definition, LocDefinition):
            versions = table(versions).with_(name, definition.location.version + 1)
        elif isinstance(definition, LocFamilyDefinition | StateDefinition):
            versions = table(versions).with_(name, definition.family.version + 1)
        locked = MappingProxyType({**self.locked, name: declared}) if is_locked else self.locked
        return Definitions(named, self.failed - {name}, count, versions, self.nodes, self.forgotten, locked)

    def without(self, name: str) -> "Definitions":
        """Remove ``name`` and record that its declaration has an error."""
        named = {k: v for k, v in self.named.items() if k != name}
        return replace(self, named=MappingProxyType(named), failed=self.failed | {name})

    def forget(self, cell: str) -> "Definitions":
        """Remove the definitions of ``cell``, which is about to run again."""
        gone = {name: declared for name, declared in self.named.items() if declared.cell == cell} if cell else None
        kept = {name: declared for name, declared in self.locked.items() if not cell or declared.cell != cell}
        locked = MappingProxyType(kept) if len(kept) < len(self.locked) else self.locked
        if not gone:
            return self if locked is self.locked else replace(self, locked=locked)
        named = {name: declared for name, declared in self.named.items() if name not in gone}
        return replace(self, named=MappingProxyType(named), forgotten=MappingProxyType(gone), locked=locked)

    def as_locked(self, symbols: Collection[str]) -> "Definitions":
        """The definitions below ``%locked``: locked names keep their locked meaning, and ``symbols`` are not declared."""
        named = {name: declared for name, declared in self.named.items() if name not in symbols}
        failed = self.failed.difference(symbols, self.locked)
        return replace(self, named=MappingProxyType({**named, **self.locked}), failed=failed)

    def outdated(self) -> Mapping[str, tuple[str, ...]]:
        """The names that depend on an outdated or removed definition, each with the names that have changed.

        A name that the same text redeclares further down does not count: running that text again would change nothing.
        """
        found: dict[str, tuple[str, ...]] = {}
        for name, declared in sorted(self.named.items(), key=lambda entry: entry[1].number):
            newer: list[str] = []
            for used, number in declared.made_from:
                now = self.named.get(used)
                if now is None or (now.number != number and not _in_one_text(now, declared)):
                    newer.append(used)
                else:
                    newer += found.get(used, ())
            if newer:
                found[name] = tuple(dict.fromkeys(newer))
        return found


def _in_one_text(one: Declared, other: Declared) -> bool:
    """Whether two declarations are in the same text."""
    return one.span is not None and other.span is not None and one.span.source is other.span.source


BUILT_IN = Definitions(
    MappingProxyType({family.name: Declared(OpDefinition(family.name, family), None) for family in BUILT_IN_FAMILIES})
)


def kind_of(definition: Definition) -> str:
    """The kind of the definition in words, with an article."""
    match definition:
        case DimDefinition():
            return "a dimension"
        case ConstDefinition():
            return "a constant"
        case NumberDefinition():
            return "a number of a sweep"
        case LocDefinition():
            return "a location"
        case FunDefinition():
            return "a function"
        case OpDefinition():
            return "an operation"
        case NetDefinition():
            return "a net"
        case HandlerDefinition():
            return "a handler"
        case LocFamilyDefinition():
            return "a family of locations"
        case StateDefinition():
            return "state beside locations"
