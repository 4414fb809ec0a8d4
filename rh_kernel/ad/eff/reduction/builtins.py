"""Built-in functions in a reduction: ``g c… ⇝ return c'`` (Sigal 2024, Fig. 7.20), computed on values of the machine."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import cast

from rh_kernel.ad.eff import core
from rh_kernel.ad.eff.machine.builtins import BuiltInFunction
from rh_kernel.ad.eff.machine.values import Head, Tag, Value, text
from rh_kernel.ad.eff.reduction.values import UNIT, Closure, Continuation, DataValue, RuntimeValue, TupleValue
from rh_kernel.source.diagnostic import Stuck
from rh_kernel.source.trampoline import Descent, descend

LONGEST = 60


@dataclass(slots=True, eq=False, repr=False)
class _Opaque(Head):
    """The head of a thunk, which no built-in function inspects."""

    original: RuntimeValue


class _Cell(list[Value]):
    """A reference: a cell of the machine is a list, which no built-in function inspects."""

    __slots__ = ("original",)

    def __init__(self, original: core.Reference) -> None:
        super().__init__()
        self.original = original


def apply_builtin(M: core.BuiltIn, arguments: Sequence[RuntimeValue], built_ins: Mapping[str, BuiltInFunction]) -> RuntimeValue:
    """``g V…``. Raises ``Stuck`` where g is undefined."""
    try:
        result = built_ins[M.name].function(*[descend(_to_machine(V)) for V in arguments])
    except Stuck as stuck:
        raise Stuck(*[replace(found, span=found.span or M.span) for found in stuck.diagnostics]) from None
    return descend(_from_machine(result))


def short_text(V: RuntimeValue) -> str:
    """The text of a value, cut to ``LONGEST`` characters."""
    found = text(descend(_to_machine(V)))
    return found if len(found) <= LONGEST else found[: LONGEST - 1] + "…"


def _to_machine(V: RuntimeValue) -> Descent[Value]:
    """V as a value of the machine."""
    made: list[Value] = []
    match V:
        case core.Literal(value):
            return value
        case core.Reference():
            return _Cell(V)
        case core.Global() | Closure() | Continuation():
            return (_Opaque(V),)
        case TupleValue(components=inside):
            pass
        case DataValue(constructor=K, fields=inside):
            made.append(Tag(K))
    for W in inside:
        part = yield _to_machine(W)
        made.append(part)
    return tuple(made)


def _from_machine(value: Value) -> Descent[RuntimeValue]:
    """The value of the reduction for a result of a built-in function, which may contain its arguments."""
    match value:
        case _Cell():
            return value.original
        case (_Opaque(original=V),):
            return V
        case ():
            return UNIT
        case tuple():
            parts = cast(tuple[Value, ...], value)
        case _:
            return core.Literal(value)
    constructor = parts[0] if isinstance(parts[0], Tag) else None
    made: list[RuntimeValue] = []
    for inner in parts if constructor is None else parts[1:]:
        part = yield _from_machine(inner)
        made.append(part)
    return TupleValue(tuple(made)) if constructor is None else DataValue(str(constructor), tuple(made))
