"""Construction of IR nodes: decision trees as nodes, and sequences of nodes in which adjacent calculations are fused."""

from collections.abc import Callable, Mapping
from functools import partial

from rh_kernel.ad.eff.machine.compiler.decision_trees import Decision, Extend, Leaf, Tree, Unmatched
from rh_kernel.ad.eff.machine.compiler.expressions import Computed, Expression, Slot, closure, gather
from rh_kernel.ad.eff.machine.ir import BRANCH, ENUMERATION, EXTEND, SWITCH, Compute, Environment, Node
from rh_kernel.ad.eff.machine.values import FALSE, TRUE
from rh_kernel.source.diagnostic import KernelBug


def tree_node(tree: Tree, leaf: Callable[[Leaf], Node], otherwise: Node) -> Node:
    """The nodes of a decision tree, given those of its leaves, and the node for a value that no row matches."""
    match tree:
        case Unmatched():
            return otherwise
        case Leaf():
            return leaf(tree)
        case Extend(value, is_whole, inner):
            return _before(extension(value, is_whole=is_whole), tree_node(inner, leaf, otherwise))
        case Decision():
            table = {K: tree_node(inner, leaf, otherwise) for K, inner in tree.cases.items()}
            return _branch(tree, table, tree_node(tree.otherwise, leaf, otherwise))


def _branch(tree: Decision, table: Mapping[object, Node], rest: Node) -> Node:
    """The node that goes on with the node of the case, or with ``rest``."""
    value, f = tree.value, closure(tree.value)
    if tree.is_literal:
        return Node(ENUMERATION, value=gather([value]), table=table, then=rest)
    if isinstance(value, Computed) and value.test is not None:
        return Node(BRANCH, value=value.test, table=(table.get(TRUE[0], rest), table.get(FALSE[0], rest)))
    if not tree.grows:
        return Node(ENUMERATION, value=f, table=table, then=rest)
    return Node(SWITCH, value=f, table={K: (node, K in tree.grows) for K, node in table.items()}, then=(rest, False))


def extension(value: Expression, *, is_whole: bool) -> Compute:
    """``ρ ↦ ρ, V`` if V ``is_whole``, or else ρ with the components of V appended."""
    f = closure(value)
    match value:
        case Slot(i) if not is_whole:
            return lambda e: e + e[i]
        case _ if not is_whole:
            return lambda e: e + f(e)
        case _:

            def extended(e: Environment) -> Environment:
                e += (f(e),)
                return e

            return extended


def _before(value: Compute, node: Node) -> Node:
    """Change ρ by a function and go on with a node; two functions in a row are composed."""
    if node.op != EXTEND:
        return Node(EXTEND, value=value, then=node)
    return Node(EXTEND, value=_compose(value, node.value), then=node.then)


FUSED = 4
"""The largest number of calculations that are fused into one node."""


class Chain:
    """A sequence of nodes under construction."""

    __slots__ = ("_attach", "_first", "_last")

    def __init__(self) -> None:
        self._first: Node | None = None
        self._last: Node | None = None
        self._attach: Callable[[Node], None] = self._begin

    def _begin(self, node: Node) -> None:
        self._first = node

    def add(self, node: Node) -> None:
        """Append a node."""
        self._attach(node)
        self._follow(node)

    def _follow(self, node: Node) -> None:
        self._last = node
        self._attach = partial(setattr, node, "then")

    def extend(self, value: Compute) -> None:
        """Append a function that computes the next ρ, in the last node if there is space in it."""
        last = self._last
        if last is not None and last.op == EXTEND and last.count < FUSED:
            last.value = _compose(last.value, value)
            last.count += 1
        else:
            self.add(Node(EXTEND, value=value))

    def act(self, function: Compute) -> None:
        """Append a function of ρ whose result is not needed."""

        def acted(e: Environment) -> Environment:
            function(e)
            return e

        self.extend(acted)

    def decide(self, tree: Tree, otherwise: Node) -> Leaf:
        """Append the decisions of a tree for one row, and return its leaf; the chain continues where the row matches."""
        while not isinstance(tree, Leaf):
            match tree:
                case Extend(value, is_whole, then):
                    self.extend(extension(value, is_whole=is_whole))
                    tree = then
                case Decision():
                    ((K, inner),) = tree.cases.items()
                    match_node = Node(EXTEND, value=_identity)
                    self._attach(_branch(tree, {K: match_node}, otherwise))
                    self._follow(match_node)
                    tree = inner
                case Unmatched():
                    raise KernelBug("a single row that never matches")
        return tree

    def end(self, node: Node) -> Node:
        """Append the last node and return the first one."""
        self._attach(node)
        assert self._first is not None
        return self._first


def _identity(e: Environment) -> Environment:
    return e


def _compose(f: Compute, g: Compute) -> Compute:
    return lambda e: g(f(e))
