"""Run-time errors of well-typed programs, the same for all evaluators: an unhandled operation (RH Def. 5.10), an undefined
point, an impossible or excessive size.
"""

from dataclasses import replace
from typing import ClassVar

from rh_kernel.source.diagnostic import Diagnostic, Note, Stuck
from rh_kernel.source.records import frozen_kw_only
from rh_kernel.source.span import Span
from rh_kernel.syntax.core import Operation
from rh_kernel.syntax.dimensions import dim
from rh_kernel.syntax.signature import Member
from rh_kernel.syntax.types import Type

BYTES = 8  # per float64
COMPONENTS = 100_000
"""The maximum number of components of a tuple, nested ones included."""

_USED = "used here"
_OTHER_SIZE = "a handler's clause, or a function, was used at a size for which it is not defined"


@frozen_kw_only
class Unhandled(Diagnostic):
    """``F^c[Op(V)]`` where no enclosing handler has a clause for ``Op``, and it is not an operation of the heap."""

    code, title = "RH201", "Unhandled operation"
    label = "no enclosing handler has a clause for `{operation}`; only built-in operations need none"
    operation: str


@frozen_kw_only
class NotSmooth(Diagnostic):
    """``f(V)`` or ``rd[f](W, V)`` is undefined in PSmooth (RH Def. E.4); only strict evaluation stops there."""

    code, title = "RH203", "Undefined point"
    label = "{function} is not smooth at {point}"
    function: str
    point: str


@frozen_kw_only
class NumberNotFinite(Diagnostic):
    """``1 / 0``; a warning"""

    code, title = "RH219", "Not a finite number"
    label = "{part} {what}"
    is_warning: ClassVar[bool] = True
    part: str
    what: str


@frozen_kw_only
class ImpossibleSize(Diagnostic):
    """A clause that is correct for most sizes of its operation is used at one where an array would have ``-1`` entries."""

    code, title = "RH205", "Impossible size"
    label = "this leads to {what}"
    what: str


@frozen_kw_only
class NoSuchMember(Diagnostic):
    """``Get[ws[i + 1]]()`` in the last round of a ``repeat`` over ws, in a clause."""

    code, title = "RH211", "Index out of range"
    label = "`{family}` has no location `{location}`"
    family: str
    location: str


@frozen_kw_only
class NoSuchRow(Diagnostic):
    """``take([1, 2, 3], 3)``, ``one_hot[3](0.5)``: an index that is computed as the program runs."""

    code, title = "RH212", "No such row"
    label = "there is no row {index}"
    index: str


@frozen_kw_only
class TooManyNodes(Diagnostic):
    """A net that calls a net twice that calls a net twice …"""

    code, title = "RH206", "Node limit reached"
    label = "with its nets and handlers unfolded, this has more than {limit:,} nodes"
    limit: int


@frozen_kw_only
class TooLarge(Diagnostic):
    """``loc w : Real(1000000, 1000000) = zeros``"""

    code, title = "RH241", "Too large for the memory"
    label = "{what} would need {needed} of memory"
    what: str
    needed: str


def unhandled(op: Operation) -> Stuck:
    """The error for an unhandled ``op``, located at its use."""
    name = op.family.name
    hint = f"handle it with `rev handle (M) <x>. … with H` or `handle … with H`, where H has a clause for `{name}`"
    return Stuck(Unhandled(span=op.span, operation=name, hint=hint))


def not_smooth(function: str, point: str, entry: str, span: Span | None) -> Stuck:
    """The error for ``function`` at a non-smooth point; ``entry`` names the component of a long point."""
    hint = "with `%strict off` the program continues here"
    return Stuck(NotSmooth(span=span, function=function, point=point, found=entry, hint=hint))


@frozen_kw_only
class MeanInBranch(Diagnostic):
    """``if x > 0 then BatchMean(x) else return x`` in a batch"""

    code, title = "RH213", "Mean in a branch"
    label = "`BatchMean` is in a branch, and some samples of a batch may take the other one"


def impossible_size(A: Type, span: Span | None = None) -> Stuck:
    """The error for an array of type A with a dimension that is negative or a quotient by 0."""
    return Stuck(ImpossibleSize(span=span, what=f"an array of type {A}, which does not exist", hint=_OTHER_SIZE))


def impossible_member(f: str, domain: str, need: str, span: Span | None = None) -> Stuck:
    """The error for a function symbol ``f`` that is undefined on ``domain``, since it needs ``need``."""
    return Stuck(ImpossibleSize(span=span, what=f"`{f}` of {domain}, which needs {need}", hint=_OTHER_SIZE))


def mean_in_branch(span: Span | None = None) -> Stuck:
    """The error for ``BatchMean`` in a branch, in a batch."""
    hint = "take the mean before the `if`, and let the branches use it"
    return Stuck(MeanInBranch(span=span, expected="a place that every sample of a batch reaches", hint=hint))


def no_such_member(loc: Member, span: Span | None = None) -> Stuck:
    """The error for ``ws[i]`` with an i that is not in 0, …, n - 1."""
    n = loc.family.length
    expected = "no index: it has no locations" if n.constant == 0 else f"an index from 0 to {n - dim(1)}"
    hint = "let the number of rounds follow from the length of the family: `ws : Loc(n)[k]` and `repeat i < k`"
    return Stuck(NoSuchMember(span=span, family=loc.family.name, location=loc.name, expected=expected, hint=hint))


def no_such_row(index: float, rows: int, span: Span | None) -> Stuck:
    """The error for a row number that is not one of 0, …, rows − 1."""
    expected = (
        f"a whole number from 0 to {rows - 1}" if rows > 1 else "0, the only row" if rows else "no number: it has no rows"
    )
    hint = "rows are counted from 0" if index == rows else "`round(i)` is the nearest whole number" if index % 1 else ""
    return Stuck(NoSuchRow(span=span, index=f"{index:.15g}", expected=expected, hint=hint))


def too_many_nodes(limit: int, span: Span) -> Stuck:
    """The error for a program that exceeds the node limit after unfolding."""
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
    """The error that ``what`` needs ``reals`` reals (8 bytes each), where at most ``limit`` are allowed.

    ``by`` names what sets the limit; ``at_least`` says that even more may be needed.
    """
    expected = f"at most {readable(limit * BYTES)} {by}"
    needed = f"{'at least ' if at_least else ''}{readable(reals * BYTES)}"
    return Stuck(TooLarge(span=span, what=what, needed=needed, expected=expected, hint=hint))


def too_many_components(components: int, span: Span) -> Stuck:
    """The error for a tuple of ``components`` components, nested ones included."""
    what, expected = f"a tuple of {components:,} components", f"at most {COMPONENTS:,} components"
    hint = "a tuple that contains a variable twice is twice as large as its value"
    return Stuck(TooLarge(span=span, what=what, needed=readable(components * BYTES), expected=expected, hint=hint))


def placed(failure: Stuck, span: Span | None) -> Stuck:
    """Locate the failure at ``span``, or note ``span`` as the place of use if it is located elsewhere."""
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
