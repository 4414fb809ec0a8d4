"""Cells run one after the other, without a kernel."""

from rh_kernel.session.results import Event, ItemFailed, Result, Shown
from rh_kernel.session.session import Session, execute
from rh_kernel.source.span import Source


def run(session: Session, text: str) -> tuple[list[Result], Session]:
    """The results of a cell, and the session after it."""
    events = execute(session, Source("cell", text))
    found: list[Result] = []
    while True:
        try:
            event: Event = next(events)
        except StopIteration as stop:
            return found, stop.value
        if isinstance(event, Shown):
            found.append(event.result)


def codes(results: list[Result]) -> list[str]:
    """The codes of the complaints among the results."""
    return [d.code for r in results if isinstance(r, ItemFailed) for d in r.diagnostics]
