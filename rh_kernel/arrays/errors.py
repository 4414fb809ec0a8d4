"""Why a program that was accepted cannot be compiled (RH2xx)."""

from dataclasses import dataclass

from rh_kernel.source.diagnostic import Diagnostic


@dataclass(frozen=True, kw_only=True)
class ProgramTooLong(Diagnostic):
    """More equations than anybody has memory or patience for."""

    code, title = "RH231", "The compiled program is too long"
    label = "the straight-line program would have more than {limit} equations"
    hint: str = "a continuation used twice, or a function that calls another twice, doubles what stands below it"
    limit: int


@dataclass(frozen=True, kw_only=True)
class UnhandledOperation(Diagnostic):
    """``F^c[Op(V)]`` with no handler around that has a clause for ``Op``, which the heap does not answer either."""

    code, title = "RH232", "Operation without a handler"
    label = "`{operation}` reaches the outside, and no handler has a clause for it"
    hint: str = "put the command inside `handle … with` or `rev handle … with` a handler that has a clause for it"
    operation: str
