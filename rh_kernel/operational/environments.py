"""Environments ``ρ = V1/x1, …, Vn/xn`` of closed values, and ``M[ρ]``: delayed substitution.

A rule that binds a variable extends ρ and leaves the body as it is; ρ is substituted only when a step is displayed. Index 0 is
the last value. An environment is a skew-binary list: extending it takes one cell, a lookup takes time logarithmic in the index,
and environments share their tails.
"""

from typing import TypeAlias

from rh_kernel.source.diagnostic import KernelBug
from rh_kernel.syntax.core import Term

Tree: TypeAlias = "Term | tuple[Term, Tree, Tree]"

Environment: TypeAlias = "tuple[int, Tree, Environment] | None"
"""The size of the first tree, that tree, and the rest.

A tree of one value is that value; a larger one is its first value and two trees of half the size.
"""


def extended(rho: Environment, V: Term) -> Environment:
    """Return ``ρ, V/x``, where x gets index 0 and other indices grow by one."""
    if rho is not None:
        size, tree, rest = rho
        if rest is not None and rest[0] == size:
            return 2 * size + 1, (V, tree, rest[1]), rest[2]
    return 1, V, rho


def length(rho: Environment) -> int:
    """Return the number of values in ρ."""
    count = 0
    while rho is not None:
        count, rho = count + rho[0], rho[2]
    return count


def without(rho: Environment, count: int) -> Environment:
    """Drop the last ``count`` values of ρ; ``None`` if none remain."""
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
    """Whether both consist of the same trees, by identity, and so of the same values; values are not compared."""
    while rho is not other:
        if rho is None or other is None or rho[0] != other[0] or rho[1] is not other[1]:
            return False
        rho, other = rho[2], other[2]
    return True


def value_at(rho: Environment, index: int) -> Term:
    """Return ``ρ(x)`` for the variable with this index."""
    while rho is not None:
        size, tree, rest = rho
        if index < size:
            return _in_tree(tree, size, index) if isinstance(tree, tuple) else tree
        index -= size
        rho = rest
    raise KernelBug("a free variable is at an evaluation position")


def _in_tree(tree: Tree, size: int, index: int) -> Term:
    while isinstance(tree, tuple):
        V, left, right = tree
        if not index:
            return V
        size >>= 1
        tree, index = (left, index - 1) if index <= size else (right, index - 1 - size)
    return tree
