"""Readback: the term of a value of the machine, for printing and for comparison. It does not recurse, as values may be deep."""

from rh_kernel.ad.eff import core
from rh_kernel.ad.eff.machine.builtins import bounded
from rh_kernel.ad.eff.machine.ir import Code, InternalCode
from rh_kernel.ad.eff.machine.values import Head, Tag, Value, is_cell, is_tuple
from rh_kernel.ad.eff.traversal import value as substituted


def readback(value: Value) -> core.Value:
    """The term of a value. Raises ``Stuck`` if it contains an Int that is too long to be printed.

    References are numbered in the order of their first occurrence. A continuation is the variable ``k``, as it has no syntax.
    """
    cells: dict[int, int] = {}
    made: list[core.Value] = []
    pending: list[tuple[Value, bool]] = [(value, False)]
    while pending:
        one, is_ready = pending.pop()
        inside = _inside(one)
        if inside and not is_ready:
            pending.append((one, True))
            pending += [(V, False) for V in reversed(inside)]
            continue
        parts = tuple(made[len(made) - len(inside) :]) if inside else ()
        if inside:
            del made[len(made) - len(inside) :]
        made.append(_term(one, parts, cells))
    return made[0]


def _term(value: Value, parts: tuple[core.Value, ...], cells: dict[int, int]) -> core.Value:
    """The term of a value, given those of its parts."""
    if is_cell(value):
        return core.Reference(cells.setdefault(id(value), len(cells)))
    if not is_tuple(value):
        return core.Literal(bounded(value))
    head = value[0] if value else None
    if isinstance(head, Tag):
        return core.Constructed(str(head), parts)
    if isinstance(head, Code):
        return _thunk(head, parts)
    return core.Variable("k") if isinstance(head, InternalCode) else core.Tuple(parts)


def _inside(value: Value) -> tuple[Value, ...]:
    """The parts of a value whose terms are parts of its term."""
    if not is_tuple(value) or not value:
        return ()
    if isinstance(value[0], Tag):
        return value[1:]
    if isinstance(value[0], Code):
        return value[1]
    return () if isinstance(value[0], Head) else value


def _thunk(code: Code, captured: tuple[core.Value, ...]) -> core.Value:
    if code.key:
        return core.Global(code.key)
    names = code.whole.names
    return substituted(code.thunk, dict(zip(names, captured, strict=False)), closed=True)
