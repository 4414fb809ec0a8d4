"""Which results that nobody has named can be written where they are used: those that are used in the order of their making.

The lets of a row are read as a machine with a stack: one without a name puts its result on it, and what is computed next takes
those that it needs from the end.
"""

from typing import TypeVar

from rh_kernel.ad.eff.core import (
    SILENT,
    Adapt,
    Apply,
    Branch,
    BuiltIn,
    Computation,
    Constructed,
    ConstructorPattern,
    Force,
    Global,
    Handle,
    Lambda,
    Let,
    Literal,
    Match,
    Named,
    Pair,
    Pattern,
    Perform,
    Projection,
    Reference,
    Return,
    Thunk,
    Tuple,
    TuplePattern,
    Value,
    Variable,
)

Form = TypeVar("Form")


def strict(M: Computation) -> list[str]:
    """The names without a text that a computation needs at once, in the order in which what they name was computed."""
    match M:
        case Return(V) | Force(V) | Match(V, _) | Projection(_, Force(V)):
            return silent(V)
        case Apply():
            values: list[Value] = []
            head: Computation = M
            while isinstance(head, Apply):
                values.append(head.argument)
                head = head.function
            values.reverse()
            return silent(*values, *((head.value,) if isinstance(head, Force) else ()))
        case Perform(_, _, arguments) | BuiltIn(_, arguments) | Handle(_, Named(_, arguments)):
            return silent(*arguments)
        case Handle() | Lambda() | Pair() | Projection() | Adapt() | Let():
            return []


def silent(*values: Value) -> list[str]:
    """The silent names in values, in order, without those in thunks."""
    found: list[str] = []
    pending = [*reversed(values)]
    while pending:
        match pending.pop():
            case Variable(x) if x.startswith(SILENT):
                found.append(x)
            case Tuple(many) | Constructed(_, many):
                pending += reversed(many)
            case Variable() | Global() | Literal() | Thunk() | Reference():
                pass
    return found


def can_be_inlined(M: Computation) -> bool:
    """Whether what the silent lets of a row bind can stand where it is used, without a change of the order."""
    stack: list[str] = []
    waiting: set[str] = set()
    while True:
        match M:
            case Let(x, bound, rest):
                needed = strict(bound)
            case Match(V, (Branch(p, rest),)) if is_let(p):
                x, needed = "", silent(V)
            case _:
                return _pops(strict(M), stack, waiting) and not stack
        if not _pops(needed, stack, waiting):
            return False
        if x.startswith(SILENT) and x not in waiting:
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


def is_let(p: Pattern) -> bool:
    """Whether a match with this pattern alone is written as a let: if it takes something apart that is likely to fit."""
    match p:
        case TuplePattern() | ConstructorPattern(_, (_, *_)):
            return not isinstance(p, ConstructorPattern) or p.constructor != "Cons"
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
