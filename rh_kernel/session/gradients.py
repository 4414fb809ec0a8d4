"""``%gradient P``: a run of what P denotes (RH Def. 7.13) on the heap of the session, with every value kept."""

from collections.abc import Generator, Mapping, Sequence

from rh_kernel.denotational.arrows import Arrow
from rh_kernel.denotational.commands import interpret
from rh_kernel.denotational.recording import reals, record
from rh_kernel.denotational.wiring import Wires, nested
from rh_kernel.session.evaluating import explained, frozen, span_of
from rh_kernel.session.limits.budget import check_size
from rh_kernel.session.results import Change, Pass, Working
from rh_kernel.session.settings import Settings
from rh_kernel.source.diagnostic import Stuck
from rh_kernel.syntax.core import Array, Const, Return, Scope, Term
from rh_kernel.syntax.signature import Location
from rh_kernel.syntax.values import tuple_of
from rh_kernel.typing.elaboration.items import ClosedCommand, ClosedTerm


def recorded(
    subject: ClosedTerm | ClosedCommand, text: str, heap: Mapping[Location, Array], settings: Settings
) -> Generator[Working, None, Pass]:
    """The pass of ``subject``, which is written ``text``, from this heap.

    Raises ``Stuck``, with a place, where the run cannot go on, and if the diagram or its values are too large.
    """
    yield Working("making the string diagram")
    try:
        arrow = _denoted(subject)
        check_size(reals(arrow), "what the wires hold all together", span_of(subject), settings)
        run = record(arrow, (), heap, strict=settings.strict)
        done = 0
        while True:
            try:
                next(run)
            except StopIteration as end:
                recording = end.value
                break
            done += 1
            yield Working("running the string diagram", f"{done:,} of {len(arrow.boxes):,} boxes")
    except Stuck as failure:
        raise explained(failure, subject) from None
    value = _value(nested(subject.type, arrow.codomain), recording.values)
    return Pass(text, subject.type, arrow, recording, value, _changes(heap, recording.heap))


def _denoted(subject: ClosedTerm | ClosedCommand) -> Arrow:
    match subject:
        case ClosedTerm(M):
            return interpret((), Scope((), Return(M, span=M.span)))
        case ClosedCommand(P):
            return interpret((), Scope((), P))


def _value(wires: Wires, values: Sequence[Array]) -> Term:
    """The closed value on these wires."""
    if isinstance(wires, int):
        return Const(frozen(values[wires]))
    return tuple_of(tuple([_value(inner, values) for inner in wires]))


def _changes(before: Mapping[Location, Array], after: Mapping[Location, Array]) -> tuple[Change, ...]:
    found = [(location, before.get(location), content) for location, content in after.items()]
    return tuple([Change(location, old, frozen(content)) for location, old, content in found if old is not content])
