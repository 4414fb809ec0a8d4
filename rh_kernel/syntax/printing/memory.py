"""What a printer remembers of the terms of a trace: from one step to the next almost all nodes are the same objects.

How a node without marks is written depends on the names of its loose variables, on the symbols that no variable may be
called like, and, where very many names are alike, on their number. If one of these differs it is written anew, so nothing is
printed otherwise than without a memory.
"""

from dataclasses import field
from typing import Generic, TypeVar

from rh_kernel.source.records import frozen
from rh_kernel.syntax.core import Node
from rh_kernel.syntax.printing.doc import Doc
from rh_kernel.syntax.printing.names import Names, base
from rh_kernel.syntax.printing.symbols import Symbols

MOST = 20_000
"""So many nodes are remembered, and as many of those before them."""

NAMINGS = 4
"""Of a node it is remembered how it is written under so many namings of its variables."""

MANNERS = 4
"""So many manners of writing are remembered."""

LOOSE = 100
"""Nodes with more loose variables are not remembered: to compare their names takes longer than to write them."""

Writing = TypeVar("Writing")


@frozen
class _Written(Generic[Writing]):
    """How ``node`` is written where its loose variables have these names; ``alike`` says what else the names in it rest on."""

    node: Node
    names: tuple[str, ...]
    alike: tuple[tuple[str, int], ...]
    writing: Writing


class Known(Generic[Writing]):
    """How nodes were written. A node is known by its identity, and kept as long as it is known."""

    def __init__(self) -> None:
        self._new: dict[int, list[_Written[Writing]]] = {}
        self._old: dict[int, list[_Written[Writing]]] = {}

    def find(self, node: Node, names: Names) -> Writing | None:
        """How the node is written under these names, if that is known."""
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
        """Remember how the node is written; before it was, ``names.counted`` had ``counted`` entries."""
        if node.loose.bit_count() > LOOSE:
            return
        alike = tuple([(b, names.alike(b)) for b in dict.fromkeys(names.counted[counted:])])
        others = self._new.get(id(node), [])
        self._put(node, [_Written(node, names.of(node.loose), alike, writing), *others[: NAMINGS - 1]])

    def forget(self) -> None:
        """Nothing is known any more."""
        self._new, self._old = {}, {}

    def _put(self, node: Node, known: list[_Written[Writing]]) -> None:
        if len(self._new) >= MOST:
            self._new, self._old = {}, self._new
        self._new[id(node)] = known


@frozen
class Link:
    """Of ``let x ← M in N`` what does not depend on M: ``head`` is ``let x ←``, ``body`` is N."""

    head: Doc
    body: Doc


class Shelf:
    """What was written in one manner: terms and commands, and the scopes of lets."""

    def __init__(self) -> None:
        self.docs = Known[Doc]()
        self.links = Known[Link]()
        self._symbols: frozenset[str] = frozenset()
        self._bases: set[str] = set()

    def names(self, symbols: frozenset[str]) -> Names:
        """The names for a document with these symbols in it."""
        if not self._bases.isdisjoint(map(base, symbols ^ self._symbols)):
            self.docs.forget()
            self.links.forget()
            self._bases.clear()
        self._symbols = symbols
        return Names(symbols, self._bases)


@frozen
class Memory:
    """What the documents of one trace have in common: a shelf for each manner of writing, and the symbols of all nodes."""

    symbols: Symbols = field(default_factory=Symbols)
    shelves: dict[object, Shelf] = field(default_factory=dict[object, Shelf])

    def shelf(self, manner: object) -> Shelf:
        """What was written in a manner."""
        if manner not in self.shelves and len(self.shelves) == MANNERS:
            self.shelves.clear()
        return self.shelves.setdefault(manner, Shelf())
