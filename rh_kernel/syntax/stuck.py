"""Why a command that was accepted has no next step, in any reading: an operation that nothing handles (RH Def. 5.10)."""

from dataclasses import dataclass
from typing import ClassVar

from rh_kernel.source.diagnostic import Diagnostic, Stuck
from rh_kernel.syntax.core import Operation


@dataclass(frozen=True, kw_only=True)
class Unhandled(Diagnostic):
    """``F^c[Op(V)]`` with no handler around that has a clause for ``Op``, and the heap does not answer it either."""

    code: ClassVar[str] = "RH201"
    title: ClassVar[str] = "Unhandled operation"
    label: ClassVar[str] = "no handler around this has a clause for `{operation}`, and only `Get` and `Put` do without"

    operation: str


def unhandled(op: Operation) -> Stuck:
    """The complaint about ``op``, at the place where it is used."""
    name = op.family.name
    hint = f"put it inside `rev handle (M) <x>. … with H` or `handle … with H`, where H has a clause for `{name}`"
    return Stuck(Unhandled(span=op.span, operation=name, hint=hint))
