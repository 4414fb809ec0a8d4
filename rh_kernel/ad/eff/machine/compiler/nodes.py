"""Nodes one after another, and trees of decisions as nodes."""

from collections.abc import Callable, Mapping
from functools import partial

from rh_kernel.ad.eff.machine.compiler.decision_trees import Decision, Leaf, Nothing, Tree, Unfold
from rh_kernel.ad.eff.machine.compiler.expressions import Computed, Expression, Slot, gather, reader
from rh_kernel.ad.eff.machine.ir import BRANCH, ENUMERATION, EXTEND, SWITCH, Compute, Environment, Node
from rh_kernel.ad.eff.machine.values import FALSE, TRUE
from rh_kernel.source.diagnostic import KernelBug


def decided(tree: Tree, leaf: Callable[[Leaf], Node], otherwise: Node) -> Node:
    """The nodes of a tree, given those of its leaves, and the one for what fits no row."""
    match tree:
        case Nothing():
            return otherwise
        case Leaf():
            return leaf(tree)
        case Unfold(value, is_alone, inner):
            return _before(opening(value, is_alone=is_alone), decided(inner, leaf, otherwise))
        case Decision(value, cases, grows, left, is_literal):
            table = {K: decided(inner, leaf, otherwise) for K, inner in cases.items()}
            return _deciding(value, table, grows, decided(left, leaf, otherwise), is_literal=is_literal)


def _deciding(
    value: Expression, table: Mapping[object, Node], grows: frozenset[object], rest: Node, *, is_literal: bool
) -> Node:
    f = reader(value)
    if is_literal:
        return Node(ENUMERATION, value=gather([value]), table=table, then=rest)
    if isinstance(value, Computed) and value.test is not None:
        return Node(BRANCH, value=value.test, table=(table.get(TRUE[0], rest), table.get(FALSE[0], rest)))
    if not grows:
        return Node(ENUMERATION, value=f, table=table, then=rest)
    return Node(SWITCH, value=f, table={K: (node, K in grows) for K, node in table.items()}, then=(rest, False))


def opening(value: Expression, *, is_alone: bool) -> Compute:
    """``ρ ↦ ρ, V``, with the components of V if it does not go to its place alone."""
    f = reader(value)
    match value:
        case Slot(i) if not is_alone:
            return lambda e: e + e[i]
        case _ if not is_alone:
            return lambda e: e + f(e)
        case _:

            def extended(e: Environment) -> Environment:
                e += (f(e),)
                return e

            return extended


def _before(value: Compute, node: Node) -> Node:
    """ρ becomes this, and then the node."""
    if node.op != EXTEND:
        return Node(EXTEND, value=value, then=node)
    after: Compute = node.value

    def both(e: Environment) -> Environment:
        return after(value(e))

    return Node(EXTEND, value=both, then=node.then)


FUSED = 4
"""So many calculations after one another are one node at most."""


class Chain:
    """Nodes one after the other."""

    __slots__ = ("_attach", "_first", "_last")

    def __init__(self) -> None:
        self._first: Node | None = None
        self._last: Node | None = None
        self._attach: Callable[[Node], None] = self._begin

    def _begin(self, node: Node) -> None:
        self._first = node

    def add(self, node: Node) -> None:
        """And then this."""
        self._attach(node)
        self._follow(node)

    def _follow(self, node: Node) -> None:
        self._last = node
        self._attach = partial(setattr, node, "then")

    def extend(self, value: Compute) -> None:
        """ρ becomes this."""
        last = self._last
        if last is not None and last.op == EXTEND and last.count < FUSED:
            last.value = _after(last.value, value)
            last.count += 1
        else:
            self.add(Node(EXTEND, value=value))

    def act(self, function: Compute) -> None:
        """Something is done with ρ, and nothing comes of it."""

        def acted(e: Environment) -> Environment:
            function(e)
            return e

        self.extend(acted)

    def decide(self, tree: Tree, otherwise: Node) -> Leaf:
        """The decisions of a tree for one row; what is next is for where it fits."""
        while not isinstance(tree, Leaf):
            match tree:
                case Unfold(value, is_alone, tree):
                    self.extend(opening(value, is_alone=is_alone))
                case Decision(value, cases, grows, _, is_literal):
                    ((K, tree),) = cases.items()
                    fits = Node(EXTEND, value=_same)
                    self._attach(_deciding(value, {K: fits}, grows, otherwise, is_literal=is_literal))
                    self._follow(fits)
                case Nothing():
                    raise KernelBug("a row that nothing fits")
        return tree

    def ended(self, node: Node) -> Node:
        """All of them, with this one at the end."""
        self._attach(node)
        assert self._first is not None
        return self._first


def _same(e: Environment) -> Environment:
    return e


def _after(f: Compute, g: Compute) -> Compute:
    return lambda e: g(f(e))
