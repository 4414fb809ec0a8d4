"""The one traversal of core trees (RH Def. 3.4): a tree rebuilt from its leaves, with the binders around each node counted.

It keeps its own stack, so neither long chains of lets nor deep terms meet a limit of Python's.
"""

from collections.abc import Callable
from dataclasses import dataclass
from operator import is_
from typing import Any, TypeAlias, cast

from rh_kernel.syntax.core import (
    RH,
    Bind,
    Bound,
    Call,
    Command,
    Const,
    Defined,
    Function,
    Handle,
    Index,
    Let,
    Node,
    Operation,
    OrdinaryClause,
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
    ReverseClause,
    ReverseHandler,
    RevHandle,
    Scope,
    Term,
    Tuple,
    Zero,
)
from rh_kernel.syntax.dimensions import Dim
from rh_kernel.syntax.signature import Loc, Location, LocationVar, Pattern
from rh_kernel.syntax.types import Shape, ShapeMeta, ShapeVar, Type


class Walk:
    """What a traversal does at the leaves. ``into_functions`` says whether it visits function symbols too, which are closed."""

    into_functions = True

    def skips(self, node: Node, depth: int) -> bool:
        """Whether the traversal leaves ``node``, under ``depth`` binders, as it is."""
        raise NotImplementedError

    def variable(self, x: Bound, depth: int) -> Term:
        """The image of a variable under ``depth`` binders."""
        return x

    def constant(self, c: Const) -> Term:
        """The image of a constant."""
        return c

    def resume(self, k: Resume, argument: Term, depth: int) -> Command:
        """The image of ``k • M``, given the image of M."""
        return k if argument is k.argument else Resume(k.index, k.hint, argument, span=k.span)

    def type(self, A: Type) -> Type:
        """The image of a type."""
        return A

    def dim(self, d: Dim) -> Dim:
        """The image of a dimension."""
        return d

    def shape(self, s: Shape) -> Shape:
        """The image of a shape."""
        return s

    def location(self, loc: Loc) -> Loc:
        """The image of a location or of a location parameter."""
        return loc

    def under(self, pattern: Pattern) -> "tuple[Walk, Pattern]":
        """The walk inside a clause, and the clause's head: clauses bind dimension and location names."""
        return self, pattern


Visit: TypeAlias = tuple[Node, int, Walk]
Assemble: TypeAlias = Callable[[list[Any]], Node]
Opened: TypeAlias = tuple[tuple[Visit, ...], Assemble, bool]
"""The children of a node; how the node is made of their images; and whether what is no child is its own image."""


@dataclass(slots=True)
class _Pending:
    """A node that waits for its children to be done; if all ``is_same`` and so are they, it is its own image."""

    node: Node
    children: tuple[Visit, ...]
    assemble: Assemble
    is_same: bool


def rebuild(node: Node, depth: int, walk: Walk) -> Node:
    """The image of a node that stands under ``depth`` binders. What does not change is shared, not copied."""
    todo: list[Visit | _Pending] = [(node, depth, walk)]
    done: list[Node] = []
    while todo:
        task = todo.pop()
        if isinstance(task, _Pending):
            first = len(done) - len(task.children)
            images = done[first:]
            is_same = task.is_same and all(map(is_, images, [child for child, _, _ in task.children]))
            done[first:] = [task.node if is_same else task.assemble(images)]
            continue
        node, depth, walk = task
        if walk.skips(node, depth):
            done.append(node)
            continue
        if isinstance(node, Bound):
            done.append(walk.variable(node, depth))
            continue
        if isinstance(node, Const):
            done.append(walk.constant(node))
            continue
        children, assemble, is_same = _opened(node, depth, walk)
        todo.append(_Pending(node, children, assemble, is_same))
        todo.extend(reversed(children))
    return done[0]


def _opened(node: Node, depth: int, walk: Walk) -> Opened:
    """A node taken apart. What is no child is visited here, before the children."""
    span = node.span
    match node:
        case Scope(hints, body):
            return ((body, depth + len(hints), walk),), lambda c: Scope(hints, c[0], span=span), True
        case Bind(P, scope):
            return ((P, depth, walk), (scope, depth, walk)), lambda c: Bind(c[0], c[1], span=span), True
        case Bound() | Const() | Zero() | Call() | Plus() | Tuple() | Proj() | Let() | Rd() | R():
            return _opened_term(node, depth, walk)
        case Operation():
            return _operation(node, depth, walk)
        case Return(M):
            return ((M, depth, walk),), lambda c: Return(c[0], span=span), True
        case Perform(op, M):
            return ((op, depth, walk), (M, depth, walk)), lambda c: Perform(c[0], c[1], span=span), True
        case RevHandle(M, scope, H):
            visits = ((M, depth, walk), (scope, depth, walk), (H, depth, walk))
            return visits, lambda c: RevHandle(c[0], c[1], c[2], span=span), True
        case RH(V, scope, H):
            return ((V, depth, walk), (scope, depth, walk), (H, depth, walk)), lambda c: RH(c[0], c[1], c[2], span=span), True
        case Handle(P, H):
            return ((P, depth, walk), (H, depth, walk)), lambda c: Handle(c[0], c[1], span=span), True
        case Resume(_, _, M):
            return ((M, depth, walk),), lambda c: walk.resume(node, c[0], depth), False
        case ReverseHandler(A, returns, clauses, name):
            C = walk.type(A)
            visits = tuple([(c, depth, walk) for c in (returns, *clauses)])
            return visits, lambda c: ReverseHandler(C, c[0], tuple(c[1:]), name, span=span), C is A
        case OrdinaryHandler(A, B, returns, clauses, name):
            C, D = walk.type(A), walk.type(B)
            visits = tuple([(c, depth, walk) for c in (returns, *clauses)])
            return visits, lambda c: OrdinaryHandler(C, D, c[0], tuple(c[1:]), name, span=span), C is A and D is B
        case ReverseClause(pattern, forward, A, backward):
            inner, head = walk.under(pattern)
            D = inner.type(A)
            is_same = head is pattern and D is A
            return (
                ((forward, depth, inner), (backward, depth, inner)),
                lambda c: ReverseClause(head, c[0], D, c[1], span=span),
                is_same,
            )
        case OrdinaryClause(pattern, scope):
            inner, head = walk.under(pattern)
            return ((scope, depth, inner),), lambda c: OrdinaryClause(head, c[0], span=span), head is pattern
        case Node():
            raise TypeError(f"{type(node).__name__} is no node of the core")


def _opened_term(node: Term, depth: int, walk: Walk) -> Opened:
    span = node.span
    match node:
        case Call(f, M):
            g = function_image(f, walk)
            return ((M, depth, walk),), lambda c: Call(g, c[0], span=span), g is f
        case Let(M, scope):
            return ((M, depth, walk), (scope, depth, walk)), lambda c: Let(c[0], c[1], span=span), True
        case Plus(M, N, of_cotangents=flag):
            return ((M, depth, walk), (N, depth, walk)), lambda c: Plus(c[0], c[1], flag, span=span), True
        case Bound() | Const():
            return (), lambda _: node, True
        case Zero(A):
            B = walk.type(A)
            return (), lambda _: Zero(B, span=span), B is A
        case Tuple(items):
            return tuple([(M, depth, walk) for M in items]), lambda c: Tuple(tuple(c), span=span), True
        case Proj(i, n, M):
            return ((M, depth, walk),), lambda c: Proj(i, n, c[0], span=span), True
        case Rd(W, scope, V):
            return ((W, depth, walk), (scope, depth, walk), (V, depth, walk)), lambda c: Rd(c[0], c[1], c[2], span=span), True
        case R(W, scope, V, known):
            visits = tuple([(part, depth, walk) for part in (W, scope, V, *(known or ()))])
            return visits, lambda c: R(c[0], c[1], c[2], None if known is None else tuple(c[3:]), span=span), True


def _operation(op: Operation, depth: int, walk: Walk) -> Opened:
    fixed = [_index(i, walk) for i in op.indices]
    at = tuple([_extent(a, walk) for a in op.at])
    A, B = walk.type(op.domain), walk.type(op.codomain)

    def assemble(terms: list[Any]) -> Node:
        images = iter(terms)
        indices = tuple([next(images) if i is None else i for i in fixed])
        return Operation(op.family, indices, at, A, B, span=op.span)

    is_same = A is op.domain and B is op.codomain and at == op.at
    is_same = is_same and all(i is None or i is j for i, j in zip(fixed, op.indices, strict=True))
    return tuple([(i, depth, walk) for i in op.indices if isinstance(i, Node)]), assemble, is_same


def function_image(f: Function, walk: Walk) -> Function:
    """The image of a function symbol, with its types and the body that it stands for."""
    if not walk.into_functions:
        return f
    match f:
        case Primitive(name, at, A, B):
            new_at, C, D = tuple([_extent(a, walk) for a in at]), walk.type(A), walk.type(B)
            return f if C is A and D is B and new_at == at else Primitive(name, new_at, C, D)
        case Defined(is_generic=False):
            return f
        case Defined(name, A, B, body, own):
            new_own = None if own is None else cast(Scope, rebuild(own, 0, walk))
            C, D, new_body = walk.type(A), walk.type(B), cast(Scope, rebuild(body, 0, walk))
            is_same = new_own is own and new_body is body and C is A and D is B
            return f if is_same else Defined(name, C, D, new_body, new_own)
        case RdOf(g):
            h = function_image(g, walk)
            return f if h is g else RdOf(h)


def _index(i: Index, walk: Walk) -> Loc | Dim | None:
    """The image of a static index; ``None`` for a term, which is a child."""
    match i:
        case Location() | LocationVar():
            return walk.location(i)
        case Dim():
            return walk.dim(i)
        case _:
            return None


def _extent(a: Dim | Shape, walk: Walk) -> Dim | Shape:
    match a:
        case Dim():
            return walk.dim(a)
        case ShapeVar() | ShapeMeta() | tuple():
            return walk.shape(a)
