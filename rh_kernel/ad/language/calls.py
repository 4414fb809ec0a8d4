"""``f(M)`` for a declared function f: its body, under ``let``, in the place of the call."""

from dataclasses import dataclass

from rh_kernel.ad.language.binding import count, renaming
from rh_kernel.ad.language.core import Let, Program, Projection, Term, Tuple, Variable
from rh_kernel.ad.language.names import Names
from rh_kernel.source.diagnostic import Rejected
from rh_kernel.source.span import Span
from rh_kernel.syntax.runtime_errors import TooManyNodes

MOST = 100_000
"""As many nodes all the bodies may have that are put into one item: functions that call functions twice double."""


def in_place(f: Program, argument: Term, names: Names) -> Term:
    """The body of a declared function, under names of its own, with the parameters bound to the argument's parts."""
    arguments = argument.components if isinstance(argument, Tuple) and len(f.parameters) != 1 else (argument,)
    bound: list[tuple[str, Term]] = []
    if len(arguments) != len(f.parameters):
        p = argument.name if isinstance(argument, Variable) else names.fresh("p")
        if not isinstance(argument, Variable):
            bound.append((p, argument))
        arguments = tuple(Projection(i, Variable(p)) for i in range(1, len(f.parameters) + 1))
    renamed: dict[str, str] = {}
    for (x, _), M in zip(f.parameters, arguments, strict=True):
        renamed[x] = M.name if isinstance(M, Variable) else names.fresh(x)
        if not isinstance(M, Variable):
            bound.append((renamed[x], M))
    body = renaming(f.body, renamed, names)
    for x, M in reversed(bound):
        body = Let(x, M, body)
    return body


@dataclass(slots=True)
class Room:
    """How many nodes may still be put into an item."""

    left: int = MOST

    def place(self, f: Program, argument: Term, names: Names, span: Span) -> Term:
        """``in_place``, for the call at ``span``. Raises ``Rejected`` where there is no room for the body."""
        self.left -= count(f.body)
        if self.left < 0:
            hint = "calls are inlined: use let to name what is used twice"
            raise Rejected(TooManyNodes(span=span, limit=MOST, hint=hint))
        return in_place(f, argument, names)
