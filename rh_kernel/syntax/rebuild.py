"""Rebuild core trees (RH Def. 3.4) from the images of their leaves, counting binders.

It uses an explicit stack, so that long chains of lets and deep terms do not hit Python's recursion limit.
"""

from collections.abc import Callable
from dataclasses import dataclass
from functools import cache
from itertools import islice
from operator import is_
from typing import Any, TypeAlias, cast

from rh_kernel.source.children import classes, getter, items
from rh_kernel.syntax.core import (
    Bound,
    Call,
    Command,
    Const,
    Defined,
    Function,
    Index,
    Node,
    Operation,
    OrdinaryClause,
    Primitive,
    RdOf,
    Repeat,
    Resume,
    ReverseClause,
    Scope,
    Term,
)
from rh_kernel.syntax.dimensions import Dim
from rh_kernel.syntax.signature import (
    Loc,
    Location,
    LocationFamily,
    LocationFamilyVar,
    LocationVar,
    LocFamily,
    Member,
    Pattern,
    StateOf,
)
from rh_kernel.syntax.traversal import CORE
from rh_kernel.syntax.types import Shape, ShapeMeta, ShapeVar, Type


class Transform:
    """The images of the leaves. ``into_functions``: whether function symbols, which are closed, are transformed as well."""

    into_functions = True

    def skips(self, node: Node, depth: int) -> bool:
        """Whether to keep ``node``, which is under ``depth`` binders, unchanged."""
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

    def location_family(self, family: LocFamily) -> LocFamily:
        """The image of a family of locations or of a parameter for one."""
        return family

    def under_index(self, index: str) -> "tuple[Transform, str]":
        """The transform in the rounds of a ``repeat``, and the new name of its index."""
        return self, index

    def under(self, pattern: Pattern) -> "tuple[Transform, Pattern]":
        """The transform inside a clause, and the new head of the clause: clauses bind dimension and location names."""
        return self, pattern


Visit: TypeAlias = tuple[Node, int, Transform]
Assemble: TypeAlias = Callable[[list[Any]], Node]
Opened: TypeAlias = tuple[tuple[Visit, ...], Assemble, bool]
"""The children of a node; a function that builds the node from their images; whether all other fields are unchanged."""


@dataclass(slots=True)
class _Pending:
    """A node whose children are being rebuilt; it is unchanged if ``is_same`` and its children are unchanged."""

    node: Node
    children: tuple[Visit, ...]
    assemble: Assemble
    is_same: bool


def rebuild(node: Node, depth: int, transform: Transform) -> Node:
    """Return the image of a node that is under ``depth`` binders. Unchanged parts are shared, not copied."""
    todo: list[Visit | _Pending] = [(node, depth, transform)]
    done: list[Node] = []
    while todo:
        task = todo.pop()
        if isinstance(task, _Pending):
            first = len(done) - len(task.children)
            images = done[first:]
            is_same = task.is_same and all(map(is_, images, [child for child, _, _ in task.children]))
            done[first:] = [task.node if is_same else task.assemble(images)]
            continue
        node, depth, transform = task
        if transform.skips(node, depth):
            done.append(node)
            continue
        if isinstance(node, Bound):
            done.append(transform.variable(node, depth))
            continue
        if isinstance(node, Const):
            done.append(transform.constant(node))
            continue
        children, assemble, is_same = _opened(node, depth, transform)
        todo.append(_Pending(node, children, assemble, is_same))
        todo.extend(reversed(children))
    return done[0]


def _opened(node: Node, depth: int, transform: Transform) -> Opened:
    """Take a node apart. Fields that are not children are rebuilt here, before the children."""
    span = node.span
    match node:
        case Scope(hints, body):
            return ((body, depth + len(hints), transform),), lambda c: Scope(hints, c[0], span=span), True
        case Call(f, M):
            g = function_image(f, transform)
            return ((M, depth, transform),), lambda c: Call(g, c[0], span=span), g is f
        case Operation():
            return _operation(node, depth, transform)
        case Resume(_, _, M):
            return ((M, depth, transform),), lambda c: transform.resume(node, c[0], depth), False
        case ReverseClause(pattern, forward, A, backward):
            inner, head = transform.under(pattern)
            D = inner.type(A)
            is_same = head is pattern and D is A
            return (
                ((forward, depth, inner), (backward, depth, inner)),
                lambda c: ReverseClause(head, c[0], D, c[1], span=span),
                is_same,
            )
        case Repeat(index, first, count, M, scope):
            inner, new_index = transform.under_index(index)
            new_count = transform.dim(count)
            return (
                ((M, depth, transform), (scope, depth, inner)),
                lambda c: Repeat(new_index, first, new_count, c[0], c[1], span=span),
                new_index == index and new_count is count,
            )
        case OrdinaryClause(pattern, scope):
            inner, head = transform.under(pattern)
            return ((scope, depth, inner),), lambda c: OrdinaryClause(head, c[0], span=span), head is pattern
        case _:
            return _derived(type(node))(node, depth, transform)


@cache
def _derived(kind: type[Any]) -> Callable[[Any, int, Transform], Opened]:
    """How to take apart nodes of a class that binds nothing itself, derived from its fields: children, types, and others."""
    form = CORE.form(kind)
    names = tuple(f for f in form.fields if f != "span")
    children = [i for i, f in enumerate(names) if f in form.nodes]
    types = [i for i, f in enumerate(names) if form.holds[f] & classes(Type)]
    get = getter(names)

    def all_children(node: Node, depth: int, transform: Transform) -> Opened:
        span = node.span
        return tuple([(child, depth, transform) for child in get(node)]), lambda c: kind(*c, span=span), True

    def mixed(node: Node, depth: int, transform: Transform) -> Opened:
        span, values, is_same = node.span, [*get(node)], True
        for i in types:
            image = transform.type(values[i])
            is_same = is_same and image is values[i]
            values[i] = image
        visits = tuple([(cast(Node, child), depth, transform) for i in children for child in items(values[i])])

        def assemble(c: list[Node]) -> Node:
            images = iter(c)
            for i in children:
                inner = tuple(islice(images, len(items(values[i]))))
                values[i] = inner if isinstance(values[i], tuple) else inner[0] if inner else None
            return kind(*values, span=span)

        return visits, assemble, is_same

    return all_children if form.single.issuperset(names) else mixed


def _operation(op: Operation, depth: int, transform: Transform) -> Opened:
    fixed = [_index(i, transform) for i in op.indices]
    at = tuple([_extent(a, transform) for a in op.at])
    A, B = transform.type(op.domain), transform.type(op.codomain)

    def assemble(terms: list[Any]) -> Node:
        images = iter(terms)
        indices = tuple([next(images) if i is None else i for i in fixed])
        return Operation(op.family, indices, at, A, B, span=op.span)

    is_same = A is op.domain and B is op.codomain and at == op.at
    is_same = is_same and all(i is None or i is j for i, j in zip(fixed, op.indices, strict=True))
    return tuple([(i, depth, transform) for i in op.indices if isinstance(i, Node)]), assemble, is_same


def function_image(f: Function, transform: Transform) -> Function:
    """The image of a function symbol, with its types and the body of its definition."""
    if not transform.into_functions:
        return f
    match f:
        case Primitive(name, at, A, B):
            new_at, C, D = tuple([_extent(a, transform) for a in at]), transform.type(A), transform.type(B)
            return f if C is A and D is B and new_at == at else Primitive(name, new_at, C, D)
        case Defined(is_generic=False):
            return f
        case Defined(name, A, B, body, own):
            new_own = None if own is None else cast(Scope, rebuild(own, 0, transform))
            C, D, new_body = transform.type(A), transform.type(B), cast(Scope, rebuild(body, 0, transform))
            is_same = new_own is own and new_body is body and C is A and D is B
            return f if is_same else Defined(name, C, D, new_body, new_own)
        case RdOf(g):
            h = function_image(g, transform)
            return f if h is g else RdOf(h)


def _index(i: Index, transform: Transform) -> Loc | LocFamily | Dim | None:
    """The image of a static index; ``None`` for a term, which is a child."""
    match i:
        case Location() | LocationVar() | Member() | StateOf():
            return transform.location(i)
        case LocationFamily() | LocationFamilyVar():
            return transform.location_family(i)
        case Dim():
            return transform.dim(i)
        case _:
            return None


def _extent(a: Dim | Shape, transform: Transform) -> Dim | Shape:
    match a:
        case Dim():
            return transform.dim(a)
        case ShapeVar() | ShapeMeta() | tuple():
            return transform.shape(a)
