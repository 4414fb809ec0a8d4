"""The function and operation symbols of a tree: no variable in it is printed by the name of one of them."""

from rh_kernel.syntax.core import Bound, Call, Const, Node, Operation, RdOf, Scope, Zero
from rh_kernel.syntax.traversal import inside

MOST = 50_000
"""The symbols of so many nodes are known at a time, or of three times as many as the tree has."""


def symbols(root: Node) -> frozenset[str]:
    """The names of the functions and operations that ``root`` uses."""
    return Symbols().of(root)


class Symbols:
    """The symbols of many trees that share nodes: each node is looked at once, and kept as long as its symbols are known."""

    def __init__(self) -> None:
        self._bits: dict[str, int] = {}
        self._sets: dict[int, frozenset[str]] = {}
        self._known: dict[int, tuple[Node, int]] = {}
        self._room = MOST

    def of(self, root: Node) -> frozenset[str]:
        """The names of the functions and operations that ``root`` uses."""
        is_full = len(self._known) > self._room
        if is_full:
            self._known.clear()
        todo = [root]
        while todo:
            bits, unknown = self._looked_at(todo[-1])
            if unknown:
                todo += unknown
            else:
                node = todo.pop()
                self._known[id(node)] = node, bits
        if is_full:
            self._room = max(MOST, 3 * len(self._known))
        return self._set(self._known[id(root)][1])

    def _looked_at(self, node: Node) -> tuple[int, list[Node]]:
        """A bit for each symbol that is known to be in ``node``, and the parts of it that are still to be looked at."""
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
    """The symbol at the root of ``node``, if it has one."""
    if isinstance(node, Operation):
        return node.family.name
    if not isinstance(node, Call):
        return None
    f = node.function
    while isinstance(f, RdOf):
        f = f.of
    return f.name
