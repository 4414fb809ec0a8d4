"""Built-in functions in a reduction: ``g c… ⇝ return c'`` (Sigal 2024, Fig. 7.20), computed with the values of the machine."""

from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import cast

from rh_kernel.ad.eff import core
from rh_kernel.ad.eff.machine.builtins import BuiltInFunction
from rh_kernel.ad.eff.machine.values import Head, Tag, Value, text
from rh_kernel.ad.eff.reduction.values import UNIT, Captured, Data, Known, Several, Suspended
from rh_kernel.source.diagnostic import Stuck

LONGEST = 60


class _Opaque(Head):
    """What no built-in function looks into."""

    __slots__ = ("known",)

    def __init__(self, known: Known) -> None:
        self.known = known


class _Cell(list[Value]):
    """A reference: the machine has a list where it has a cell, and no built-in function looks into that either."""

    __slots__ = ("known",)

    def __init__(self, known: core.Reference) -> None:
        super().__init__()
        self.known = known


def called(M: core.BuiltIn, arguments: Sequence[Known], built_ins: Mapping[str, BuiltInFunction]) -> Known:
    """``g V…``. Raises ``Stuck`` where g has no value."""
    try:
        return _known(built_ins[M.name].function(*map(_value, arguments)))
    except Stuck as stuck:
        raise Stuck(*[replace(found, span=found.span or M.span) for found in stuck.diagnostics]) from None


def told(V: Known) -> str:
    """V as text, for a complaint."""
    found = text(_value(V))
    return found if len(found) <= LONGEST else found[: LONGEST - 1] + "…"


def _value(V: Known) -> Value:
    """V as the machine has it; what is last in a value, such as the rest of a list, is followed in a loop."""
    around: list[list[Value]] = []
    while isinstance(V, Several | Data):
        inside = V.components if isinstance(V, Several) else V.fields
        around.append([*([Tag(V.constructor)] if isinstance(V, Data) else ()), *map(_value, inside[:-1])])
        if not inside:
            break
        V = inside[-1]
    made: Value
    match V:
        case Several() | Data():
            made = tuple(around.pop())
        case core.Literal(value):
            made = value
        case core.Reference():
            made = _Cell(V)
        case core.Global() | Suspended() | Captured():
            made = (_Opaque(V),)
    for front in reversed(around):
        made = (*front, made)
    return made


def _known(value: Value) -> Known:
    """What a built-in function gave; what it was given it may give back."""
    around: list[tuple[str | None, list[Known]]] = []
    while isinstance(value, tuple):
        parts = cast(tuple[Value, ...], value)
        if not parts or isinstance(parts[0], Head):
            break
        name = str(parts[0]) if isinstance(parts[0], Tag) else None
        inside = parts if name is None else parts[1:]
        around.append((name, [_known(one) for one in inside[:-1]]))
        if not inside:
            break
        value = inside[-1]
    made = _atom(value)
    for name, front in reversed(around):
        behind = (*front, *(() if made is None else (made,)))
        made = Several(behind) if name is None else Data(name, behind)
    assert made is not None
    return made


def _atom(value: Value) -> Known | None:
    """What has no parts; a constructor without fields is nothing but its name."""
    match value:
        case ():
            return UNIT
        case (_Opaque(known=V),):
            return V
        case _Cell() as cell:
            return cell.known
        case (Tag(),):
            return None
        case _:
            return core.Literal(value)
