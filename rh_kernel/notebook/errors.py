"""What Python is told when a program is wrong, is stuck, or was stopped."""

from collections.abc import Sequence

from rh_kernel.display.diagnostics import text
from rh_kernel.source.diagnostic import Diagnostic


class Wrong(Exception):
    """A program, or a value given from Python, is refused. The message is what the command line would print.

    ``diagnostics`` holds the complaints as data, at least one.
    """

    def __init__(self, *diagnostics: Diagnostic) -> None:
        super().__init__("\n".join([text(d) for d in diagnostics]))
        self.diagnostics = diagnostics


class Stopped(KeyboardInterrupt):
    """A person interrupted the program; ``kept`` tells whether what it did until then stays, as in a training run."""

    def __init__(self, *, kept: bool) -> None:
        super().__init__("What was done until then is kept." if kept else "Nothing of this program took effect.")
        self.kept = kept


class CellFailed(Exception):
    """A cell under ``%%rh`` has failed. IPython shows ``lines`` in the place of a traceback: the fault is in no Python code."""

    def __init__(self, summary: str, lines: Sequence[str]) -> None:
        super().__init__(summary)
        self.lines = tuple(lines)

    def _render_traceback_(self) -> list[str]:
        return [*self.lines]


class CellStopped(KeyboardInterrupt):
    """A cell under ``%%rh`` was interrupted; IPython shows ``lines`` in the place of a traceback."""

    def __init__(self, summary: str, lines: Sequence[str]) -> None:
        super().__init__(summary)
        self.lines = tuple(lines)

    def _render_traceback_(self) -> list[str]:
        return [*self.lines]
