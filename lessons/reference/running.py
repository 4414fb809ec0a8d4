"""Programs of the reference are run as cells, and what they show is what the reference shows."""

from collections.abc import Mapping
from dataclasses import dataclass, replace
from pathlib import Path

import numpy as np
import numpy.typing as npt

from rh_kernel.display.registry import text as result_text
from rh_kernel.display.view_files import encode_view
from rh_kernel.session.results import Event, ItemFailed, Result, Shown, Warned
from rh_kernel.session.session import Session, commit, execute
from rh_kernel.source.diagnostic import Diagnostic
from rh_kernel.source.span import Source

ROOT = Path(__file__).parents[2]
WRONG = ROOT / "tests" / "programs" / "bad"
"""The wrong programs that the tests keep beside their messages; their data is there too."""

WARNED = ROOT / "tests" / "programs" / "warned"
"""The programs that run with a warning."""

FIRST_PROGRAM = Path(__file__).with_name("first.rh").read_text(encoding="utf-8")
"""The program that the language reference begins with: a net, two handlers, and a pass with each."""

GIVEN: Mapping[str, Mapping[str, npt.NDArray[np.generic]]] = {
    "identifiers": {"x": np.array([1, 1 << 60])},
    "uneven": {"x": np.zeros((3, 2)), "t": np.zeros((4, 1))},
    "words": {"x": np.array(["red", "blue"])},
}
"""Data that examples have from Python."""


@dataclass(frozen=True, slots=True)
class Ran:
    """What a cell gave: the session after it, and its results in order."""

    session: Session
    results: tuple[Result, ...]

    @property
    def diagnostics(self) -> tuple[Diagnostic, ...]:
        """What was wrong with it."""
        return tuple([d for result in self.results if isinstance(result, ItemFailed) for d in result.diagnostics])

    @property
    def warnings(self) -> tuple[Diagnostic, ...]:
        """What it does and is probably not meant to."""
        return tuple([d for result in self.results if isinstance(result, Warned) for d in result.diagnostics])

    @property
    def text(self) -> str:
        """All that it shows, as a terminal shows it."""
        return "\n".join([result_text(result) for result in self.results])


def start(folder: Path = ROOT, *, given: bool = False) -> Session:
    """A new session, in which nothing is declared."""
    session = Session.start(folder, encode_view=encode_view)
    return replace(session, given=GIVEN) if given else session


def run(text: str, session: Session | None = None) -> Ran:
    """A cell, in a new session if none is given."""
    before = start() if session is None else session
    events = execute(before, Source("cell", text), cell="")
    results: list[Result] = []
    while True:
        try:
            event: Event = next(events)
        except StopIteration as stop:
            return Ran(commit(before, stop.value), tuple(results))
        if isinstance(event, Shown):
            results.append(event.result)
