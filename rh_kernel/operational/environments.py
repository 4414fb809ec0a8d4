"""Environments ``ρ = V1/x1, …, Vn/xn`` of closed values, and ``M[ρ]``: substitutions that wait.

A rule that binds a variable extends ρ and leaves the body as it is; what a step has to say of the body is written out when
somebody asks. Index 0 is the value that came last. An environment is a skew-binary list: to extend it takes one cell, to look
a value up takes as many steps as its index has bits, and environments share what they have in common.
"""

from dataclasses import dataclass
from typing import Any, TypeAlias, TypeVar

from rh_kernel.source.diagnostic import KernelBug
from rh_kernel.syntax.core import Bind, Bound, Call, Const, Let, Node, Plus, Proj, R, Rd, Return, Scope, Term, Tuple, Zero
from rh_kernel.syntax.rebuild import Walk, rebuild

Tree: TypeAlias = "Term | tuple[Term, Tree, Tree]"

Environment: TypeAlias = "tuple[int, Tree, Environment] | None"
"""How many values the first tree holds, that tree, and the rest.

A tree of one value is that value; a larger one is its first value and two trees of half as many.
"""

AnyNode = TypeVar("AnyNode", bound=Node)


def extended(rho: Environment, V: Term) -> Environment:
    """``ρ, V/x`` with x for index 0; what was index i is then i + 1."""
    if rho is not None:
        size, tree, rest = rho
        if rest is not None and rest[0] == size:
            return 2 * size + 1, (V, tree, rest[1]), rest[2]
    return 1, V, rho


def value_at(rho: Environment, index: int) -> Term:
    """``ρ(x)`` for the variable with that index."""
    while rho is not None:
        size, tree, rest = rho
        if index < size:
            return _in_tree(tree, size, index)
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


def value(M: Term, rho: Environment) -> Term | None:
    """``M[ρ]`` if it is a value, else ``None``."""
    match M:
        case Const() | Zero():
            return M
        case Bound(index):
            return value_at(rho, index)
        case Call() | Plus() | Let():
            return None
        case Tuple():
            return written_out(M, rho) if M.of_values else None
        case Proj() | Rd() | R():
            return None


def written_out(node: AnyNode, rho: Environment) -> AnyNode:
    """``M[ρ]``, for a node whose loose variables ρ has; what has none is shared."""
    return _rebuilt(node, _visited(node), rho) if rho is not None and node.loose else node


def written_within(node: AnyNode, rho: Environment, most: int) -> tuple[AnyNode | None, int]:
    """``M[ρ]``, if no more than ``most`` nodes have to be made for it, and how many were looked for."""
    if rho is None or not node.loose:
        return node, 0
    visits = _visited(node, most)
    return (None, most) if len(visits) > most else (_rebuilt(node, visits, rho), len(visits))


_Visit: TypeAlias = tuple[Node, int]
"""A node with loose variables, and how many binders there are around it."""


def _visited(root: Node, most: int | None = None) -> list[_Visit]:
    """The nodes that mention what is loose in the root, each before its children; of more than ``most`` only the first ones."""
    found: list[_Visit] = []
    todo: list[_Visit] = [(root, 0)]
    while todo and (most is None or len(found) <= most):
        visit = todo.pop()
        found.append(visit)
        node, depth = visit
        match node:
            case Bound():
                pass
            case Plus(M, N):
                if M.loose >> depth:
                    todo.append((M, depth))
                if N.loose >> depth:
                    todo.append((N, depth))
            case Let(M, scope) | Bind(M, scope):
                if M.loose >> depth:
                    todo.append((M, depth))
                if scope.loose >> depth:
                    todo.append((scope.body, depth + 1))
            case Call(_, M) | Proj(_, _, M) | Return(M):
                todo.append((M, depth))
            case Tuple(items):
                todo += [(M, depth) for M in items if M.loose >> depth]
            case Rd(W, scope, V) | R(W, scope, V):
                todo += [(M, depth) for M in (W, scope, V) if M.loose >> depth]
            case Scope(hints, body):
                todo.append((body, depth + len(hints)))
            case _:
                pass
    return found


def _rebuilt(root: AnyNode, visits: list[_Visit], rho: Environment) -> AnyNode:
    """The image of the root of the visits: the images of the children of a node are there before its own."""
    done: list[Any] = []
    take = done.pop
    for node, depth in reversed(visits):
        span = node.span
        match node:
            case Bound(index):
                done.append(value_at(rho, index - depth))
            case Plus(M, N):
                N = take() if N.loose >> depth else N
                M = take() if M.loose >> depth else M
                done.append(Plus(M, N, span=span))
            case Let(M, scope):
                scope = Scope(scope.hints, take(), span=scope.span) if scope.loose >> depth else scope
                done.append(Let(take() if M.loose >> depth else M, scope, span=span))
            case Bind(P, scope):
                scope = Scope(scope.hints, take(), span=scope.span) if scope.loose >> depth else scope
                done.append(Bind(take() if P.loose >> depth else P, scope, span=span))
            case Call(f):
                done.append(Call(f, take(), span=span))
            case Proj(i, n):
                done.append(Proj(i, n, take(), span=span))
            case Return():
                done.append(Return(take(), span=span))
            case Tuple(items):
                images = [take() if M.loose >> depth else M for M in reversed(items)]
                done.append(Tuple(tuple(reversed(images)), span=span))
            case Rd(W, scope, V) | R(W, scope, V):
                V = take() if V.loose >> depth else V
                scope = take() if scope.loose >> depth else scope
                done.append(type(node)(take() if W.loose >> depth else W, scope, V, span=span))
            case Scope(hints):
                done.append(Scope(hints, take(), span=span))
            case _:
                done.append(rebuild(node, depth, _Values(rho)))
    return done[0]


@dataclass(frozen=True, slots=True)
class _Values(Walk):
    rho: Environment
    into_functions = False

    def skips(self, node: Node, depth: int) -> bool:
        return not node.loose >> depth

    def variable(self, x: Bound, depth: int) -> Term:
        return value_at(self.rho, x.index - depth)
