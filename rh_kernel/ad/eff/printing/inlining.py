"""Which results that nobody has named can be written where they are used: those that are used in the order of their making.

The lets of a row are read as a machine with a stack: one without a name puts its result on it, and what is computed next takes
those that it needs from the end.
"""

from typing import TypeVar

from rh_kernel.ad.eff import core

Form = TypeVar("Form")


def strict(M: core.Computation) -> list[str]:
    """The names without a text that a computation needs at once, in the order in which what they name was computed."""
    match M:
        case core.Return(V) | core.Force(V) | core.Match(V, _) | core.Projection(_, core.Force(V)):
            return silent(V)
        case core.Apply():
            values: list[core.Value] = []
            head: core.Computation = M
            while isinstance(head, core.Apply):
                values.append(head.argument)
                head = head.function
            values.reverse()
            return silent(*values, *((head.value,) if isinstance(head, core.Force) else ()))
        case core.Perform(_, _, arguments) | core.BuiltIn(_, arguments) | core.Handle(_, core.Named(_, arguments)):
            return silent(*arguments)
        case core.Handle() | core.Lambda() | core.Pair() | core.Projection() | core.Adapt() | core.Let():
            return []


def silent(*values: core.Value) -> list[str]:
    """The silent names in values, in order, without those in thunks."""
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
    """Whether what the silent lets of a row bind can stand where it is used, without a change of the order."""
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
    """What is needed of what is pending, from whose end it is taken."""
    found: dict[str, Form] = {}
    for x in reversed(needed):
        if pending and pending[-1][0] == x:
            found[x] = pending.pop()[1]
    return found


def is_let(p: core.Pattern) -> bool:
    """Whether a match with this pattern alone is written as a let: if it takes something apart that is likely to fit."""
    match p:
        case core.TuplePattern() | core.ConstructorPattern(_, (_, *_)):
            return not isinstance(p, core.ConstructorPattern) or p.constructor != "Cons"
        case _:
            return False


def _pops(needed: list[str], stack: list[str], waiting: set[str]) -> bool:
    """Whether what is needed is at the end of the stack, from which it is taken. Names from further out do not count."""
    for x in reversed(needed):
        if x in waiting:
            if stack[-1] != x:
                return False
            waiting.remove(stack.pop())
    return True
