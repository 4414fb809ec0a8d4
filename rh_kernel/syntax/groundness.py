"""A quick test whether a core tree contains metavariables of inference or variables of a generic definition."""

from rh_kernel.syntax.core import (
    Bind,
    Bound,
    Call,
    Const,
    Function,
    If,
    IfCommand,
    Let,
    Map,
    Node,
    Operation,
    Perform,
    Plus,
    Primitive,
    RdOf,
    Repeat,
    Return,
    Scan,
    Scope,
    Tuple,
    Unary,
    Zero,
)
from rh_kernel.syntax.dimensions import Dim
from rh_kernel.syntax.signature import Location, LocationFamily
from rh_kernel.syntax.traversal import children
from rh_kernel.syntax.types import Shape, is_known


def is_ground(node: Node) -> bool:
    """Whether all types, dimensions and locations in ``node`` are certainly known, so that rebuilding it changes nothing.

    Handlers, derivatives and generic definitions are not searched: the result is ``False`` if ``node`` contains one.
    """
    todo: list[Node] = [node]
    seen: set[int] = set()
    while todo:
        node = todo.pop()
        if isinstance(node, Bound | Const):
            continue
        if isinstance(node, Bind | Let):
            todo.append(node.scope)
            todo.append(node.bound)
        elif isinstance(node, Scope):
            if node.is_generic:
                todo.append(node.body)
        elif isinstance(node, Call):
            f = node.function
            if id(f) not in seen:
                if not _is_ground_symbol(f):
                    return False
                seen.add(id(f))
            todo.append(node.argument)
        elif isinstance(node, Return):
            todo.append(node.term)
        elif isinstance(node, Perform):
            todo.append(node.argument)
            op = node.operation
            if not _is_ground_operation(op):
                return False
        elif isinstance(node, Tuple):
            todo.extend(node.items)
        elif isinstance(node, Plus):
            todo.append(node.left)
            todo.append(node.right)
        elif isinstance(node, Unary):
            todo.append(node.of)
        elif isinstance(node, Map | Scan | Repeat | If | IfCommand):
            if not _has_ground_types(node):
                return False
            todo += [child for child, _ in children(node)]
        elif not (isinstance(node, Zero) and node.type.is_concrete):
            return False
    return True


def _has_ground_types(node: Map | Scan | Repeat | If | IfCommand) -> bool:
    match node:
        case Map(_, _, source, target) | Scan(_, _, source, target):
            return source.is_concrete and target.is_concrete
        case Repeat():
            return node.count.constant is not None
        case If() | IfCommand():
            return True


def _is_ground_symbol(f: Function) -> bool:
    while isinstance(f, RdOf):
        f = f.of
    if isinstance(f, Primitive):
        return f.domain.is_concrete and f.codomain.is_concrete and all(_is_known(a) for a in f.at)
    return not f.is_generic


def _is_ground_operation(op: Operation) -> bool:
    if not (op.domain.is_concrete and op.codomain.is_concrete):
        return False
    return all(isinstance(i, Location | LocationFamily) for i in op.indices) and all(_is_known(a) for a in op.at)


def _is_known(a: Dim | Shape) -> bool:
    return a.constant is not None if isinstance(a, Dim) else is_known(a)
