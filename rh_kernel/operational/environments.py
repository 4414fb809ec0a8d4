"""Environments ``ρ = V1/x1, …, Vn/xn`` of closed values, and ``M[ρ]``: substitutions that wait.

A rule that binds a variable extends ρ and leaves the body as it is; what a step has to say of the body is written out when
somebody asks. Index 0 is the value that came last. An environment is a skew-binary list: to extend it takes one cell, to look
a value up takes as many steps as its index has bits, and environments share what they have in common.
"""

from typing import TypeAlias

from rh_kernel.source.diagnostic import KernelBug
from rh_kernel.syntax.core import Term

Tree: TypeAlias = "Term | tuple[Term, Tree, Tree]"

Environment: TypeAlias = "tuple[int, Tree, Environment] | None"
"""How many values the first tree holds, that tree, and the rest.

A tree of one value is that value; a larger one is its first value and two trees of half as many.
"""


def extended(rho: Environment, V: Term) -> Environment:
    """``ρ, V/x`` with x for index 0; what was index i is then i + 1."""
    if rho is not None:
        size, tree, rest = rho
        if rest is not None and rest[0] == size:
            return 2 * size + 1, (V, tree, rest[1]), rest[2]
    return 1, V, rho


def length(rho: Environment) -> int:
    """How many values ρ has."""
    count = 0
    while rho is not None:
        count, rho = count + rho[0], rho[2]
    return count


def without(rho: Environment, count: int) -> Environment:
    """ρ as it was before its last ``count`` values came, or ``None`` if it has no more than these."""
    while count and rho is not None:
        size, tree, rest = rho
        count -= 1
        if not isinstance(tree, tuple):
            rho = rest
        else:
            _, left, right = tree
            rho = size >> 1, left, (size >> 1, right, rest)
    return rho


def are_same(rho: Environment, other: Environment) -> bool:
    """Whether one of them was made of the other by extending it and going back, if at all: it takes no look at the values."""
    while rho is not other:
        if rho is None or other is None or rho[0] != other[0] or rho[1] is not other[1]:
            return False
        rho, other = rho[2], other[2]
    return True


def value_at(rho: Environment, index: int) -> Term:
    """``ρ(x)`` for the variable with that index."""
    while rho is not None:
        size, tree, rest = rho
        if index < size:
            return _in_tree(tree, size, index) if isinstance(tree, tuple) else tree
        index -= size
        rho = rest
    raise KernelBug("a free variable stands at an evaluation position")


def _in_tree(tree: Tree, size: int, index: int) -> Term:
    while isinstance(tree, tuple):
        V, left, right = tree
        if not index:
            return V
        size >>= 1
        tree, index = (left, index - 1) if index <= size else (right, index - 1 - size)
    return tree
