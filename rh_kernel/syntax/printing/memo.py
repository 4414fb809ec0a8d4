"""Cache of printed nodes for the terms of a trace: consecutive steps share almost all of their nodes.

The document of an unmarked node depends on the names of its free variables, on the symbols that variables must not be named
like, and, where very many names are alike, on how many. If any of these differs, the node is printed again, so the cache never
changes the output.
"""

from dataclasses import field
from typing import Generic, TypeVar

from rh_kernel.source.records import frozen
from rh_kernel.syntax.core import Node
from rh_kernel.syntax.printing.doc import Doc
from rh_kernel.syntax.printing.names import Names, base
from rh_kernel.syntax.printing.symbols import Symbols

CAPACITY = 20_000
"""Size of each generation of the cache, in nodes: there is a current and a previous one."""

MAX_NAMINGS = 4
"""Maximum number of cached results per node, one for each choice of variable names."""

MAX_STYLES = 4
"""Maximum number of printing styles that are cached."""

LOOSE = 100
"""Nodes with more free variables are not cached: comparing their names takes longer than printing them."""

Writing = TypeVar("Writing")


@frozen
class _Entry(Generic[Writing]):
    """The cached result for ``node`` under these variable names; ``alike`` has the other name counts that it depends on."""

    node: Node
    names: tuple[str, ...]
    alike: tuple[tuple[str, int], ...]
    writing: Writing


class NodeCache(Generic[Writing]):
    """A cache of printed nodes by identity; it keeps its nodes alive."""

    def __init__(self) -> None:
        self._new: dict[int, list[_Entry[Writing]]] = {}
        self._old: dict[int, list[_Entry[Writing]]] = {}

    def find(self, node: Node, names: Names) -> Writing | None:
        """The cached result for the node under these names, or ``None``."""
        known = self._new.get(id(node))
        if known is None:
            known = self._old.get(id(node))
            if known is None:
                return None
            self._put(node, known)
        loose = names.of(node.loose)
        for written in known:
            if written.names == loose and all(names.alike(b) == number for b, number in written.alike):
                names.counted += [b for b, _ in written.alike]
                return written.writing
        return None

    def keep(self, node: Node, names: Names, counted: int, writing: Writing) -> None:
        """Cache the result for the node; ``counted`` is the length of ``names.counted`` before it was printed."""
        if node.loose.bit_count() > LOOSE:
            return
        alike = tuple([(b, names.alike(b)) for b in dict.fromkeys(names.counted[counted:])])
        others = self._new.get(id(node), [])
        self._put(node, [_Entry(node, names.of(node.loose), alike, writing), *others[: MAX_NAMINGS - 1]])

    def forget(self) -> None:
        """Clear the cache."""
        self._new, self._old = {}, {}

    def _put(self, node: Node, known: list[_Entry[Writing]]) -> None:
        if len(self._new) >= CAPACITY:
            self._new, self._old = {}, self._new
        self._new[id(node)] = known


@frozen
class Link:
    """The parts of ``let x ← M in N`` that do not depend on M: ``head`` is ``let x ←``, ``body`` is N."""

    head: Doc
    body: Doc


class StyleCache:
    """The caches of one printing style: terms and commands, and the scopes of lets."""

    def __init__(self) -> None:
        self.docs = NodeCache[Doc]()
        self.links = NodeCache[Link]()
        self._symbols: frozenset[str] = frozenset()
        self._bases: set[str] = set()

    def names(self, symbols: frozenset[str]) -> Names:
        """The names for a document in which these symbols occur; clears the caches if that may change a name in them."""
        if not self._bases.isdisjoint(map(base, symbols ^ self._symbols)):
            self.docs.forget()
            self.links.forget()
            self._bases.clear()
        self._symbols = symbols
        return Names(symbols, self._bases)


@frozen
class PrintCache:
    """The caches that the documents of one trace share: the symbols of all nodes, and a ``StyleCache`` per style."""

    symbols: Symbols = field(default_factory=Symbols)
    styles: dict[object, StyleCache] = field(default_factory=dict[object, StyleCache])

    def of_style(self, style: object) -> StyleCache:
        """Return the caches for a printing style."""
        if style not in self.styles and len(self.styles) == MAX_STYLES:
            self.styles.clear()
        return self.styles.setdefault(style, StyleCache())
