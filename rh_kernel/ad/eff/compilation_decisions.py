"""Trees of decisions as nodes of the machine."""

from collections.abc import Callable, Mapping

from rh_kernel.ad.eff.compilation_matches import Decision, Leaf, Nothing, Tree, Unfold
from rh_kernel.ad.eff.compilation_values import Computed, Expression, Slot, gather, reader
from rh_kernel.ad.eff.machine_code import BRANCH, ENUMERATION, EXTEND, SWITCH, Compute, Environment, Node
from rh_kernel.ad.eff.values import FALSE, TRUE


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
