"""Which intermediate results without a name can be printed at their use: those that are used in the order of computation.

A sequence of lets is simulated on a stack: a let with a silent name pushes its result, and the next computation pops those that
it uses.
"""

from typing import TypeVar

from rh_kernel.ad.eff import core
from rh_kernel.ad.eff.traversal import spine

Form = TypeVar("Form")


def strict(M: core.Computation) -> list[str]:
    """The silent names that a computation uses immediately, in the order in which their results were computed."""
    match M:
        case core.Return(V) | core.Force(V) | core.Match(V, _) | core.Projection(_, core.Force(V)):
            return silent(V)
        case core.Apply():
            head, arguments = spine(M)
            return silent(*arguments, *((head.value,) if isinstance(head, core.Force) else ()))
        case core.Perform(_, _, arguments) | core.BuiltIn(_, arguments) | core.Handle(_, core.Named(_, arguments)):
            return silent(*arguments)
        case core.Handle() | core.Lambda() | core.Pair() | core.Projection() | core.Adapt() | core.Let():
            return []


def silent(*values: core.Value) -> list[str]:
    """The silent names in values, from left to right, without those in thunks."""
    found: list[str] = []
    pending = [*reversed(values)]
    while pending:
        match pending.pop():
            case core.Variable(x) if x.startswith(core.SILENT):
                found.append(x)
            case core.Tuple(many) | core.Constructed(_, many):
                pending += reversed(many)
            case core.Variable() | core.Global() | core.Literal() | core.Thunk() | core.Reference():
                pass
    return found


def can_be_inlined(M: core.Computation) -> bool:
    """Whether the bound computations of all silent lets in M can be printed at their use without a change of the order."""
    stack: list[str] = []
    waiting: set[str] = set()
    while True:
        match M:
            case core.Let(x, bound, rest):
                needed = strict(bound)
            case core.Match(V, (core.Branch(p, rest),)) if is_let(p):
                x, needed = "", silent(V)
            case _:
                return _pops(strict(M), stack, waiting) and not stack
        if not _pops(needed, stack, waiting):
            return False
        if x.startswith(core.SILENT) and x not in waiting:
            stack.append(x)
            waiting.add(x)
        elif stack:
            return False
        M = rest


def popped(needed: list[str], pending: list[tuple[str, Form]]) -> dict[str, Form]:
    """The pending forms of the names needed, which are removed from the end."""
    found: dict[str, Form] = {}
    for x in reversed(needed):
        if pending and pending[-1][0] == x:
            found[x] = pending.pop()[1]
    return found


def is_let(p: core.Pattern) -> bool:
    """Whether a match with this pattern alone is printed as a let: a tuple, or a constructor with fields but ``Cons``."""
    match p:
        case core.TuplePattern() | core.ConstructorPattern(_, (_, *_)):
            return not isinstance(p, core.ConstructorPattern) or p.constructor != "Cons"
        case _:
            return False


def _pops(needed: list[str], stack: list[str], waiting: set[str]) -> bool:
    """Whether the needed names are on top of the stack, and pop them. Names that are not ``waiting`` are ignored."""
    for x in reversed(needed):
        if x in waiting:
            if stack[-1] != x:
                return False
            waiting.remove(stack.pop())
    return True
