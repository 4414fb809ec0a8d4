"""The function and operation symbols of a tree: no variable in it is printed by the name of one of them."""

from rh_kernel.syntax.core import (
    RH,
    Bind,
    Bound,
    Call,
    Const,
    Defined,
    Function,
    Handle,
    Let,
    Node,
    Operation,
    OrdinaryHandler,
    Perform,
    Plus,
    Primitive,
    Proj,
    R,
    Rd,
    RdOf,
    Resume,
    Return,
    ReverseHandler,
    RevHandle,
    Tuple,
    Zero,
)

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
        name, parts = _opened(node)
        bits = 0 if name is None else 1 << self._bits.setdefault(name, len(self._bits))
        unknown: list[Node] = []
        for part in parts:
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


def _opened(node: Node) -> tuple[str | None, tuple[Node, ...]]:
    """The symbol at the root of ``node``, and its parts."""
    match node:
        case Bound() | Const() | Zero():
            return None, ()
        case Call(f, M):
            return _symbol(f), (M,)
        case Plus(M, N):
            return None, (M, N)
        case Tuple(items):
            return None, items
        case Proj(_, _, M) | Return(M) | Resume(_, _, M):
            return None, (M,)
        case Let(M, scope) | Bind(M, scope):
            return None, (M, scope.body)
        case Rd(W, scope, V):
            return None, (W, scope.body, V)
        case R(W, scope, V, known):
            return None, (W, scope.body, V, *(known or ()))
        case Operation(family, indices):
            return family.name, tuple([i for i in indices if isinstance(i, Node)])
        case Perform(op, M):
            return None, (op, M)
        case RevHandle(M, scope, H) | RH(M, scope, H):
            return None, (M, scope.body, H)
        case Handle(P, H):
            return None, (P, H)
        case ReverseHandler(_, returns, clauses):
            return None, (returns.body, *[scope.body for c in clauses for scope in (c.forward, c.backward)])
        case OrdinaryHandler(_, _, returns, clauses):
            return None, (returns.body, *[c.scope.body for c in clauses])
        case Node():
            raise TypeError(f"{type(node).__name__} is not printed by itself")


def _symbol(f: Function) -> str:
    while isinstance(f, RdOf):
        f = f.of
    match f:
        case Primitive(name) | Defined(name):
            return name
