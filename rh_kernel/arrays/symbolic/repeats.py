"""Rounds of ``repeat``, unrolled one at a time, and the locations that their operations are at (LANGUAGE §9)."""

from collections.abc import Iterator

from rh_kernel.arrays.errors import ProgramTooLong
from rh_kernel.arrays.symbolic.builder import Builder
from rh_kernel.arrays.symbolic.tape import Names
from rh_kernel.source.diagnostic import KernelBug, Stuck
from rh_kernel.syntax.binding import Static, specialise
from rh_kernel.syntax.core import Call, Node, OrdinaryHandler, Perform, Repeat, ReverseHandler, Scope
from rh_kernel.syntax.dimensions import Dim, dim
from rh_kernel.syntax.runtime_errors import no_such_member
from rh_kernel.syntax.signature import Location, LocationFamily, LocationFamilyVar, LocFamily, Member, member
from rh_kernel.syntax.traversal import inside

_HINT = "these rounds differ and are unrolled: write fewer of them, or raise the limit with `%limit equations`"


def check_rounds(P: Repeat, b: Builder) -> None:
    """Raise ``Stuck`` at once if the rounds are certain to need more equations than the program may have."""
    if rounds_of(P) * max(1, sum(isinstance(node, Call | Perform) for node in _body(P.scope))) > b.options.longest:
        raise Stuck(ProgramTooLong(limit=b.options.longest, span=P.span, hint=_HINT))


def round_of(P: Repeat, k: int) -> Scope | None:
    """``s. P[k/i]``, or ``None`` after the last round."""
    return specialise(P.scope, Static({P.index: dim(k)}, {}, {})) if k < rounds_of(P) else None


def located(family: LocFamily, index: Dim, names: Names) -> Location:
    """The location ``ws[i]``. Raises ``Stuck`` if the family has no such location."""
    found = member(family_of(family, names), index)
    if isinstance(found, Member):
        raise no_such_member(found)
    return found


def family_of(family: LocFamily, names: Names) -> LocationFamily:
    """The declared family that a parameter of a clause stands for."""
    found = names.get(family.name) if isinstance(family, LocationFamilyVar) else family
    if not isinstance(found, LocationFamily):
        raise KernelBug(f"{family.name} stands for no family of locations")
    return found


def rounds_of(P: Repeat) -> int:
    """The number of rounds."""
    if P.count.constant is None:
        raise KernelBug(f"the number of rounds {P.count} is not known")
    return P.count.constant


def _body(scope: Scope) -> Iterator[Node]:
    """Yield the nodes of a round that every round runs: not those of its handlers."""
    todo: list[Node] = [scope]
    while todo:
        node = todo.pop()
        yield node
        todo += [part for part in inside(node) if not isinstance(part, ReverseHandler | OrdinaryHandler)]
