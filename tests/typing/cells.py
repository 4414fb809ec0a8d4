"""Texts run as cells: what their last item gives, and what is wrong with them."""

from pathlib import Path
from typing import Any

from rh_kernel.display.data import value as as_data
from rh_kernel.session.results import ItemFailed, Result, Shown, ValueFound, Warned
from rh_kernel.session.session import Session, execute
from rh_kernel.source.diagnostic import Diagnostic
from rh_kernel.source.span import Source

HERE = Path(__file__).parent


def run(text: str, session: Session | None = None, cell: str = "cell") -> tuple[list[Result], Session]:
    """The results of the items of the cell of that name, and the session after it."""
    events = execute(session or Session.start(HERE), Source(cell, text))
    found: list[Result] = []
    while True:
        try:
            event = next(events)
        except StopIteration as stop:
            return found, stop.value
        if isinstance(event, Shown):
            found.append(event.result)


def wrong(text: str, session: Session | None = None, cell: str = "cell") -> list[Diagnostic]:
    """All diagnostics about a cell."""
    return [d for r in run(text, session, cell)[0] if isinstance(r, ItemFailed) for d in r.diagnostics]


def last(text: str, session: Session | None = None) -> Result:
    """What the last item gives, in a cell without errors."""
    results, _ = run(text, session)
    assert not any(isinstance(r, ItemFailed) for r in results), results
    return results[-1]


def value(text: str, session: Session | None = None) -> tuple[str, Any]:
    """Type and value of the last item, in a cell without errors; there may be a warning about it."""
    results, _ = run(text, session)
    assert not any(isinstance(r, ItemFailed) for r in results), results
    found = [r for r in results if not isinstance(r, Warned)][-1]
    assert isinstance(found, ValueFound)
    return str(found.type), as_data(found.value)
