"""Why a program that was accepted cannot go on, in any reading: an operation that nothing handles (RH Def. 5.10), an array that
cannot be.
"""

from dataclasses import replace
from typing import ClassVar

from rh_kernel.source.diagnostic import Diagnostic, Note, Stuck
from rh_kernel.source.records import frozen_by_name
from rh_kernel.source.span import Span
from rh_kernel.syntax.core import Operation
from rh_kernel.syntax.types import Type

BYTES = 8  # of a float64
COMPONENTS = 100_000
"""So many components a tuple may have, with those of its components."""

_USED = "used here"
_OTHER_SIZE = "a handler's clause, or a function, was used at a size for which it is not defined"


@frozen_by_name
class Unhandled(Diagnostic):
    """``F^c[Op(V)]`` with no handler around that has a clause for ``Op``, and the heap does not answer it either."""

    code: ClassVar[str] = "RH201"
    title: ClassVar[str] = "Unhandled operation"
    label: ClassVar[str] = "no enclosing handler has a clause for `{operation}`; only `Get` and `Put` need none"

    operation: str


@frozen_by_name
class NotSmooth(Diagnostic):
    """``f(V)`` or ``rd[f](W, V)`` is undefined in PSmooth (RH Def. E.4); only strict evaluation stops there."""

    code: ClassVar[str] = "RH203"
    title: ClassVar[str] = "Undefined point"
    label: ClassVar[str] = "{function} is not smooth at {point}"

    function: str
    point: str


@frozen_by_name
class ImpossibleSize(Diagnostic):
    """A clause that is right for most sizes of its operation is used at one where an array in it would have ``-1`` entries."""

    code: ClassVar[str] = "RH205"
    title: ClassVar[str] = "Impossible size"
    label: ClassVar[str] = "this leads to {what}"

    what: str


@frozen_by_name
class TooManyNodes(Diagnostic):
    """A net that calls a net twice that calls a net twice …"""

    code: ClassVar[str] = "RH206"
    title: ClassVar[str] = "Node limit reached"
    label: ClassVar[str] = "with its nets and handlers unfolded, this has more than {limit:,} nodes"

    limit: int


@frozen_by_name
class TooLarge(Diagnostic):
    """``loc w : Real(1000000, 1000000) = zeros``"""

    code: ClassVar[str] = "RH241"
    title: ClassVar[str] = "Too large for the memory"
    label: ClassVar[str] = "{what} would need {needed} of memory"

    what: str
    needed: str


def unhandled(op: Operation) -> Stuck:
    """The complaint about ``op``, at the place where it is used."""
    name = op.family.name
    hint = f"handle it with `rev handle (M) <x>. … with H` or `handle … with H`, where H has a clause for `{name}`"
    return Stuck(Unhandled(span=op.span, operation=name, hint=hint))


def not_smooth(function: str, point: str, entry: str, span: Span | None) -> Stuck:
    """The complaint about a function at a point where it is not smooth; ``entry`` tells which part of a long point it is."""
    hint = "with `%strict off` the program continues here"
    return Stuck(NotSmooth(span=span, function=function, point=point, found=entry, hint=hint))


def impossible_size(A: Type, span: Span | None = None) -> Stuck:
    """The complaint about an array of type A, where a dimension is negative or a quotient by 0."""
    return Stuck(ImpossibleSize(span=span, what=f"an array of type {A}, which does not exist", hint=_OTHER_SIZE))


def impossible_member(f: str, domain: str, need: str, span: Span | None = None) -> Stuck:
    """The complaint about a function symbol ``f`` on ``domain``, which is not defined there: it has to be that ``need``."""
    return Stuck(ImpossibleSize(span=span, what=f"`{f}` of {domain}, which needs {need}", hint=_OTHER_SIZE))


def too_many_nodes(limit: int, span: Span) -> Stuck:
    """The complaint about a program that does not fit on any page."""
    hint = "a net that is used twice doubles everything inside it; raise the limit with `%limit nodes`"
    return Stuck(TooManyNodes(span=span, limit=limit, hint=hint))


def too_large(
    reals: int,
    limit: int,
    what: str,
    span: Span | None,
    by: str = "on this machine",
    hint: str = "reduce a dimension, or raise the limit with `%limit bytes`",
    *,
    at_least: bool = False,
) -> Stuck:
    """The complaint that so many reals, ``what`` they are, are more than ``limit``, which is set ``by`` something.

    There may be more of them if it is ``at_least`` so many.
    """
    expected = f"at most {readable(limit * BYTES)} {by}"
    needed = f"{'at least ' if at_least else ''}{readable(reals * BYTES)}"
    return Stuck(TooLarge(span=span, what=what, needed=needed, expected=expected, hint=hint))


def too_many_components(components: int, span: Span) -> Stuck:
    """The complaint about a tuple of so many components, those of its components counted."""
    what, expected = f"a tuple of {components:,} components", f"at most {COMPONENTS:,} components"
    hint = "a tuple that contains a variable twice is twice as large as its value"
    return Stuck(TooLarge(span=span, what=what, needed=readable(components * BYTES), expected=expected, hint=hint))


def placed(failure: Stuck, span: Span | None) -> Stuck:
    """The failure, with ``span`` for the place of what does not say where it is, and for the use of what is elsewhere."""
    return Stuck(*(_placed(d, span) for d in failure.diagnostics))


def _placed(d: Diagnostic, span: Span | None) -> Diagnostic:
    if d.span is None or span is None:
        return replace(d, span=d.span or span)
    is_inside = d.span.source is span.source and span.start <= d.span.start and d.span.end <= span.end
    if is_inside or any(note.text == _USED for note in d.notes):
        return d
    return replace(d, notes=(*d.notes, Note(span=span, text=_USED)))


def readable(size: int) -> str:
    """``8 TB``"""
    amount = float(size)
    for unit in ("B", "kB", "MB", "GB", "TB", "PB"):
        if amount < 1000:
            return f"{amount:.3g} {unit}"
        amount /= 1000
    return f"{amount:.3g} EB"
