"""What the names of a session stand for: one frozen record for each kind of declaration."""

from collections.abc import Collection, Iterable, Mapping
from dataclasses import field, replace
from types import MappingProxyType
from typing import TypeAlias

from rh_kernel.source.records import frozen
from rh_kernel.source.span import Span
from rh_kernel.source.tables import table
from rh_kernel.syntax.builtin import GET, PUT
from rh_kernel.syntax.core import Handler, Scope, Term
from rh_kernel.syntax.dimensions import Dim
from rh_kernel.syntax.signature import Family, Location, Parameter
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
class Written:
    """A content given by a closed term: mostly a literal."""

    term: Term


@frozen
class Drawn:
    """``zeros ones eye normal uniform glorot``, with their numbers; ``seed`` for the random ones."""

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
class FunDefinition:
    """``fun f(x : A) : B = M``: scopes ``x. M`` and ``w, x. N``, generic in ``variables``; at a use ``needs`` are 0 or more."""

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

    ``nodes`` is about how large it is, with what it uses unfolded; it is counted in tokens. ``needs`` are as for a function.
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

    ``handler`` leaves the parameters loose: the last one is index 0. Where the text leaves its type open, unknowns are left in
    it, and each use has its own. ``nodes`` and ``needs`` are as for a net.
    """

    name: str
    variables: tuple[str, ...]
    parameters: tuple[tuple[str, Type], ...]
    handler: Handler
    nodes: int = 0
    needs: tuple[Dim, ...] = ()


Definition: TypeAlias = (
    DimDefinition | ConstDefinition | LocDefinition | FunDefinition | OpDefinition | NetDefinition | HandlerDefinition
)


@frozen
class Declared:
    """A definition and the place of its name, ``None`` for what is built in.

    ``cell`` is the cell that it stands in, if that can be run again, and ``text`` how it is written; ``number`` tells it from
    all other declarations of a session. ``made_from`` are the declarations that it depends on, by name and number.
    """

    definition: Definition
    span: Span | None
    cell: str = ""
    text: str = ""
    number: int = 0
    made_from: tuple[tuple[str, int], ...] = ()

    def means(self, other: "Declared") -> bool:
        """Whether another declaration says the same, of the same things; no location is the one before."""
        same = self.text == other.text and self.made_from == other.made_from
        return bool(self.text) and same and not isinstance(self.definition, LocDefinition)


NODES = 250_000
"""So many nodes the body of a net may have, with the nets that it uses unfolded, unless a session says otherwise."""


@frozen
class Definitions:
    """All names of a session; adding one gives a new value. ``failed`` are the names whose declaration has an error.

    ``count`` is how many declarations there were, ``versions`` how many locations each name has stood for, and ``nodes`` how
    large a program may get when nets are unfolded. ``forgotten`` is what the cell that is running declared before, ``locked``
    what was declared below ``%locked``, also where a later cell has declared the name anew.
    """

    named: Mapping[str, Declared]
    failed: frozenset[str] = frozenset()
    count: int = 0
    versions: Mapping[str, int] = field(default_factory=lambda: MappingProxyType({}))
    nodes: int = NODES
    forgotten: MappingProxyType[str, Declared] = field(default_factory=lambda: MappingProxyType({}))
    locked: Mapping[str, Declared] = field(default_factory=lambda: MappingProxyType({}))

    def get(self, name: str) -> Definition | None:
        """What ``name`` stands for."""
        declared = self.named.get(name)
        return None if declared is None else declared.definition

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
        """These and one more, which stands in ``cell``, is written ``text`` and was made from the names that it ``uses``.

        The older meaning of the name is gone for what comes later; one that says the same is still taken for the older one.
        What ``is_locked`` also stays among the locked ones.
        """
        name, count = definition.name, self.count + 1
        used_names = frozenset(uses)
        earlier = sorted([(used, self.named[used].number) for used in used_names if used != name and used in self.named])
        declared = Declared(definition, span, cell, text, count, tuple(earlier))
        before = self.named.get(name) or self.forgotten.get(name)
        # What is made from its own older meaning, `const a = a + 1`, means another thing each time.
        if before is not None and name not in used_names and declared.means(before):
            declared = replace(declared, number=before.number)
        named = table(self.named).with_(name, declared)
        versions = self.versions
        if isinstance(definition, LocDefinition):
            versions = table(versions).with_(name, definition.location.version + 1)
        locked = MappingProxyType({**self.locked, name: declared}) if is_locked else self.locked
        return Definitions(named, self.failed - {name}, count, versions, self.nodes, self.forgotten, locked)

    def without(self, name: str) -> "Definitions":
        """These, with a note that the declaration of ``name`` has an error."""
        named = {k: v for k, v in self.named.items() if k != name}
        return replace(self, named=MappingProxyType(named), failed=self.failed | {name})

    def forget(self, cell: str) -> "Definitions":
        """These without what stands in ``cell``, which is about to run again."""
        gone = {name: declared for name, declared in self.named.items() if declared.cell == cell} if cell else None
        kept = {name: declared for name, declared in self.locked.items() if not cell or declared.cell != cell}
        locked = MappingProxyType(kept) if len(kept) < len(self.locked) else self.locked
        if not gone:
            return self if locked is self.locked else replace(self, locked=locked)
        named = {name: declared for name, declared in self.named.items() if name not in gone}
        return replace(self, named=MappingProxyType(named), forgotten=MappingProxyType(gone), locked=locked)

    def as_locked(self, symbols: Collection[str]) -> "Definitions":
        """What names mean below ``%locked``: the locked ones what they meant there, and ``symbols`` no declaration."""
        named = {name: declared for name, declared in self.named.items() if name not in symbols}
        failed = self.failed.difference(symbols, self.locked)
        return replace(self, named=MappingProxyType({**named, **self.locked}), failed=failed)

    def outdated(self) -> Mapping[str, tuple[str, ...]]:
        """The names that were made from an older meaning of a name, and the names that have a newer one, or none, now.

        What a text declares anew below is not counted there: to run it again would change nothing.
        """
        found: dict[str, tuple[str, ...]] = {}
        for name, declared in sorted(self.named.items(), key=lambda entry: entry[1].number):
            newer: list[str] = []
            for used, number in declared.made_from:
                now = self.named.get(used)
                if now is None or (now.number != number and not _together(now, declared)):
                    newer.append(used)
                else:
                    newer += found.get(used, ())
            if newer:
                found[name] = tuple(dict.fromkeys(newer))
        return found


def _together(one: Declared, other: Declared) -> bool:
    """Whether two declarations stand in one text."""
    return one.span is not None and other.span is not None and one.span.source is other.span.source


BUILT_IN = Definitions(
    MappingProxyType(
        {
            "Get": Declared(OpDefinition("Get", GET), None),
            "Put": Declared(OpDefinition("Put", PUT), None),
        }
    )
)


def kind_of(definition: Definition) -> str:
    """The words for this kind of thing, with the article."""
    match definition:
        case DimDefinition():
            return "a dimension"
        case ConstDefinition():
            return "a constant"
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
