"""``V ↦ V``: values of the machine as terms, for printing and for comparison. Nothing here calls itself along values."""

from rh_kernel.ad.eff import core
from rh_kernel.ad.eff.machine.builtins import bounded
from rh_kernel.ad.eff.machine.ir import Code, Machinery
from rh_kernel.ad.eff.machine.values import Head, Tag, Value, is_cell, is_tuple
from rh_kernel.ad.eff.traversal import value as substituted


def readback(value: Value) -> core.Value:
    """The term. Raises ``Stuck`` if there is an Int in it that is too long to be written.

    References are numbered as they are met; a continuation is the variable ``k``, as no program has it as text.
    """
    return _Reading().term(value)


class _Reading:
    __slots__ = ("_cells",)

    def __init__(self) -> None:
        self._cells: dict[int, int] = {}

    def term(self, value: Value) -> core.Value:
        """The term, made from those of its parts."""
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
            made.append(self._form(one, parts))
        return made[0]

    def _form(self, value: Value, parts: tuple[core.Value, ...]) -> core.Value:
        if is_cell(value):
            return core.Reference(self._cells.setdefault(id(value), len(self._cells)))
        if not is_tuple(value):
            return core.Literal(bounded(value))
        head = value[0] if value else None
        if isinstance(head, Tag):
            return core.Constructed(str(head), parts)
        if isinstance(head, Code):
            return _thunk(head, parts)
        return core.Variable("k") if isinstance(head, Machinery) else core.Tuple(parts)


def _inside(value: Value) -> tuple[Value, ...]:
    """The parts of a value of which its term is made."""
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
