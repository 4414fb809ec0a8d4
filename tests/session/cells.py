"""Run cells one after the other, without a kernel."""

from collections.abc import Generator

from rh_kernel.session.results import Event, ItemFailed, Result, Shown
from rh_kernel.session.session import Session, execute
from rh_kernel.source.span import Source


def run(session: Session, text: str, *, keep_going: bool = False) -> tuple[list[Result], Session]:
    """Return the results of a cell, or a file with ``keep_going``, and the session after it."""
    found, after = run_to_end(execute(session, Source("cell", text), keep_going=keep_going))
    return [shown.result for shown in found], after


def run_to_end(events: Generator[Event, None, Session]) -> tuple[list[Shown], Session]:
    """Return the results among the events, with the numbers of their items, and the session after them."""
    found: list[Shown] = []
    while True:
        try:
            event = next(events)
        except StopIteration as stop:
            return found, stop.value
        if isinstance(event, Shown):
            found.append(event)


def codes(results: list[Result]) -> list[str]:
    """Return the codes of the diagnostics among the results."""
    return [d.code for r in results if isinstance(r, ItemFailed) for d in r.diagnostics]
