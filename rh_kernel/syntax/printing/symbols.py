"""The function and operation symbols of a tree, which the names of variables in it must avoid."""

from rh_kernel.syntax.core import Bound, Call, Const, Node, Operation, RdOf, Scope, Zero
from rh_kernel.syntax.traversal import inside

MOST = 50_000
"""Capacity of the cache in nodes, unless three times the size of the current tree is more."""


def symbols(root: Node) -> frozenset[str]:
    """The names of the functions and operations in ``root``."""
    return Symbols().of(root)


class Symbols:
    """The symbols of many trees that share nodes: each node is visited once, and kept alive while it is cached."""

    def __init__(self) -> None:
        self._bits: dict[str, int] = {}
        self._sets: dict[int, frozenset[str]] = {}
        self._known: dict[int, tuple[Node, int]] = {}
        self._capacity = MOST

    def of(self, root: Node) -> frozenset[str]:
        """The names of the functions and operations in ``root``."""
        is_full = len(self._known) > self._capacity
        if is_full:
            self._known.clear()
        todo = [root]
        while todo:
            bits, unknown = self._scan(todo[-1])
            if unknown:
                todo += unknown
            else:
                node = todo.pop()
                self._known[id(node)] = node, bits
        if is_full:
            self._capacity = max(MOST, 3 * len(self._known))
        return self._set(self._known[id(root)][1])

    def _scan(self, node: Node) -> tuple[int, list[Node]]:
        """The bitset of the symbols known to be in ``node``, and its children that are not in the cache yet."""
        bits = 0
        name = _symbol(node)
        if name is not None:
            bits = 1 << self._bits.setdefault(name, len(self._bits))
        unknown: list[Node] = []
        for part in inside(node):
            part = part.body if isinstance(part, Scope) else part
            known = self._known.get(id(part))
            if known is not None:
                bits |= known[1]
            elif not isinstance(part, Bound | Const | Zero):
                unknown.append(part)
        return bits, unknown

    def _set(self, bits: int) -> frozenset[str]:
        if bits not in self._sets:
            self._sets[bits] = frozenset([name for name, bit in self._bits.items() if bits >> bit & 1])
        return self._sets[bits]


def _symbol(node: Node) -> str | None:
    """The symbol at the root of ``node``, or ``None``."""
    if isinstance(node, Operation):
        return node.family.name
    if not isinstance(node, Call):
        return None
    f = node.function
    while isinstance(f, RdOf):
        f = f.of
    return f.name
