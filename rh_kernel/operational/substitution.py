"""Substitution for reduction: ``M[ρ]``, and ``body[V1/x1, …, Vn/xn]`` as in ``syntax.binding``.

It takes two passes without recursion: down to the substituted variables, skipping subterms that do not mention them, and back.
"""

from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from typing import Any, TypeAlias, TypeVar, cast

from rh_kernel.operational.environments import Environment, value_at
from rh_kernel.operational.memo import Memo
from rh_kernel.syntax.binding import instantiate, instantiate_clause, shift
from rh_kernel.syntax.core import (
    RH,
    Bind,
    Bound,
    Call,
    Command,
    Const,
    Handle,
    If,
    IfCommand,
    Let,
    Map,
    Node,
    Perform,
    Plus,
    Proj,
    R,
    Rd,
    Repeat,
    Resume,
    Return,
    RevHandle,
    Scan,
    Scope,
    Term,
    Tuple,
    Unary,
    Zero,
)
from rh_kernel.syntax.rebuild import Transform, rebuild
from rh_kernel.syntax.values import tuple_of_values

AnyNode = TypeVar("AnyNode", bound=Node)
Image: TypeAlias = Callable[[Bound, int], Term]
"""The image of a variable under this many binders."""

Resumed: TypeAlias = Callable[[Resume, Term, int], Command]
"""The image of ``k • M`` under this many binders, given the image of M."""

_Visit: TypeAlias = tuple[Node, int]
"""A node with loose variables, and the number of binders around it."""


def value(M: Term, rho: Environment) -> Term | None:
    """``M[ρ]`` if it is a value, else ``None``."""
    # This is called in every step: comparing classes takes a third of the time of `match`.
    if type(M) is Bound:
        return value_at(rho, M.index)
    if type(M) is Const:
        return M
    if type(M) is not Tuple:
        return M if type(M) is Zero else None
    if not M.of_values:
        return None
    if rho is None or not M.loose:
        return M
    images: list[Term] = []
    for N in M.items:
        if type(N) is Bound:
            images.append(value_at(rho, N.index))
        elif N.loose:
            return substituted(M, rho)
        else:
            images.append(N)
    return tuple_of_values(tuple(images), M.span)


def substituted(node: AnyNode, rho: Environment) -> AnyNode:
    """Return ``M[ρ]``, for a node whose loose variables are all in ρ; closed nodes are shared."""
    return _rebuilt(node, _visited(node)[0], _values(rho)) if rho is not None and node.loose else node


def free_variables(loose: int) -> tuple[int, ...]:
    """Return the indices in a set of free indices, the largest one first: in the order of an environment."""
    return tuple([i for i in reversed(range(loose.bit_length())) if loose >> i & 1]) if loose else ()


def renumbered(node: AnyNode, numbers: Mapping[int, int]) -> AnyNode:
    """Return a node with other indices of its free variables."""
    if all(number == index for index, number in numbers.items()):
        return node
    return _rebuilt(node, _visited(node)[0], lambda x, depth: Bound(numbers[x.index - depth] + depth, x.hint, span=x.span))


def renamed(M: Term, image: Callable[[Bound], Term]) -> Term:
    """Return a term M without binders, with each variable replaced by its image."""
    return _rebuilt(M, _visited(M)[0], lambda x, _: image(x)) if M.loose else M


def instantiated(scope: Scope, *values: Term) -> Term | Command:
    """The same as ``instantiate`` of a scope; the V may be open."""
    n, body = len(values), scope.body
    if not body.loose:
        return body
    visits, is_plain, resumes = _visited(body)
    if not is_plain or resumes or n != scope.arity:
        return instantiate(scope, values)

    def image(x: Bound, depth: int) -> Term:
        i = x.index - depth
        return shift(values[n - 1 - i], depth) if i < n else Bound(x.index - n, x.hint, span=x.span)

    return _rebuilt(body, visits, image)


def handled(clause: Scope, V: Term, continuation: Scope) -> Command:
    """``Q[V/x, k]`` for the clause ``x, k. Q``, as ``instantiate_clause`` computes it"""
    body, n = clause.body, clause.arity
    visits, is_plain, _ = _visits.of(body)
    if not is_plain or n != 2:
        return instantiate_clause(clause, (V,), continuation)

    def image(x: Bound, depth: int) -> Term:
        i = x.index - depth
        return shift(V, depth) if i < n else Bound(x.index - n, x.hint, span=x.span)

    def resume(k: Resume, M: Term, depth: int) -> Command:
        if k.index == depth:
            return Bind(Return(M, span=k.span), shift(continuation, depth), span=k.span)
        return Resume(k.index - n if k.index > depth else k.index, k.hint, M, span=k.span)

    return cast(Command, _rebuilt(body, visits, image, resume))


def _values(rho: Environment) -> Image:
    return lambda x, depth: value_at(rho, x.index - depth)


def _visited(root: Node) -> tuple[list[_Visit], bool, bool]:
    """Return the nodes that mention loose variables of the root, parents first.

    Also return whether no open operation or handler is among them, which ``_rebuilt`` handles differently, and whether any
    ``Resume`` is.
    """
    is_plain, resumes = True, False
    found: list[_Visit] = []
    todo: list[_Visit] = [(root, 0)]
    while todo:
        visit = todo.pop()
        found.append(visit)
        node, depth = visit
        if type(node) is Bound:
            continue
        if type(node) is Call:
            todo.append((node.argument, depth))
        elif isinstance(node, Unary):
            todo.append((node.of, depth))
        elif type(node) is Return:
            todo.append((node.term, depth))
        elif type(node) is Tuple:
            todo += [(M, depth) for M in node.items if M.loose >> depth]
        elif type(node) is Plus:
            todo += [(M, depth) for M in (node.left, node.right) if M.loose >> depth]
        elif type(node) is Let or type(node) is Bind:
            if node.bound.loose >> depth:
                todo.append((node.bound, depth))
            if node.scope.loose >> depth:
                todo.append((node.scope.body, depth + 1))
        elif (children := _children(node, depth)) is not None:
            todo += children
            resumes = resumes or type(node) is Resume
        else:
            is_plain = False
    return found, is_plain, resumes


def _children(node: Node, depth: int) -> list[_Visit] | None:
    """Return the children that ``_visited`` continues with for the rarer forms; ``None`` for an open operation or handler."""
    match node:
        case Scope(hints, body):
            return [(body, depth + len(hints))]
        case Perform(op, M) if not op.loose:
            return [(M, depth)]
        case Handle(P, H) if not H.loose:
            return [(P, depth)]
        case Rd(W, scope, V):
            parts: tuple[Node, ...] = (W, scope, V)
        case R(W, scope, V, known):
            parts = (W, scope, V, *(known or ()))
        case Resume(_, _, M):
            parts = (M,)
        case Repeat(_, _, _, M, scope):
            parts = (M, scope)
        case If(_, L, M, N) | IfCommand(_, L, M, N):
            parts = (L, M, N)
        case RevHandle(M, scope, H) | RH(M, scope, H) if not H.loose:
            parts = (M, scope)
        case Map(M, scope) | Scan(M, scope):
            parts = (M, scope)
        case _:
            return None
    return [(part, depth) for part in parts if part.loose >> depth]


def _rebuilt(root: AnyNode, visits: list[_Visit], image: Image, resume: Resumed | None = None) -> AnyNode:
    """Return the image of the root of the visits; images of children are computed before that of their parent."""
    done: list[Any] = []
    take = done.pop
    for node, depth in reversed(visits):
        if type(node) is Bound:
            done.append(image(node, depth))
        elif type(node) is Call:
            done.append(Call(node.function, take(), span=node.span))
        elif type(node) is Proj:
            done.append(Proj(node.index, node.arity, take(), span=node.span))
        elif isinstance(node, Unary):
            done.append(replace(node, of=take()))
        elif type(node) is Return:
            done.append(Return(take(), span=node.span))
        elif type(node) is Tuple:
            images = [take() if M.loose >> depth else M for M in reversed(node.items)]
            images.reverse()
            done.append(Tuple(tuple(images), span=node.span))
        elif type(node) is Plus:
            N = take() if node.right.loose >> depth else node.right
            done.append(Plus(take() if node.left.loose >> depth else node.left, N, node.of_cotangents, span=node.span))
        elif type(node) is Let or type(node) is Bind:
            scope = node.scope
            scope = Scope(scope.hints, take(), span=scope.span) if scope.loose >> depth else scope
            bound: Any = take() if node.bound.loose >> depth else node.bound
            done.append(type(node)(bound, scope, span=node.span))
        else:
            done.append(_rebuilt_form(node, depth, take, image, resume))
    return cast(AnyNode, done[0])


def _rebuilt_form(node: Node, depth: int, take: Callable[[], Any], image: Image, resume: Resumed | None) -> Node:
    """Return the image of one of the rarer forms."""
    span = node.span
    match node:
        case Scope(hints):
            return Scope(hints, take(), span=span)
        case Rd(W, scope, V):
            V = take() if V.loose >> depth else V
            scope = take() if scope.loose >> depth else scope
            return Rd(take() if W.loose >> depth else W, scope, V, span=span)
        case R(W, scope, V, known):
            backwards = [take() if U.loose >> depth else U for U in reversed(known or ())]
            V = take() if V.loose >> depth else V
            scope = take() if scope.loose >> depth else scope
            W = take() if W.loose >> depth else W
            return R(W, scope, V, None if known is None else tuple(reversed(backwards)), span=span)
        case Perform(op) if not op.loose:
            return Perform(op, take(), span=span)
        case Handle(_, H) if not H.loose:
            return Handle(take(), H, span=span)
        case RevHandle(M, scope, H) | RH(M, scope, H) if not H.loose:
            scope = take() if scope.loose >> depth else scope
            return type(node)(take() if M.loose >> depth else M, scope, H, span=span)
        case Map(M, scope, source, target) | Scan(M, scope, source, target):
            scope = take() if scope.loose >> depth else scope
            return type(node)(take() if M.loose >> depth else M, scope, source, target, span=span)
        case Repeat(index, first, count, M, scope):
            scope = take() if scope.loose >> depth else scope
            return Repeat(index, first, count, take() if M.loose >> depth else M, scope, span=span)
        case If(condition, L, M, N) | IfCommand(condition, L, M, N):
            N = take() if N.loose >> depth else N
            M = take() if M.loose >> depth else M
            kind: Any = type(node)
            return kind(condition, take() if L.loose >> depth else L, M, N, span=span)
        case Resume(index, hint, M):
            M = take() if M.loose >> depth else M
            return Resume(index, hint, M, span=span) if resume is None else resume(node, M, depth)
        case _:
            return rebuild(node, depth, _Images(image))


@dataclass(frozen=True, slots=True)
class _Images(Transform):
    image: Image
    into_functions = False

    def skips(self, node: Node, depth: int) -> bool:
        return not node.loose >> depth

    def variable(self, x: Bound, depth: int) -> Term:
        return self.image(x, depth)


_visits = Memo(_visited, 64)
