"""Exceptions for a ``%%rh`` cell that failed or was interrupted."""

from collections.abc import Sequence


class CellFailed(Exception):
    """A ``%%rh`` cell failed. IPython shows ``lines`` instead of a traceback, since the error is not in Python code."""

    def __init__(self, summary: str, lines: Sequence[str]) -> None:
        super().__init__(summary)
        self.lines = tuple(lines)

    def _render_traceback_(self) -> list[str]:
        return [*self.lines]


class CellStopped(KeyboardInterrupt):
    """A ``%%rh`` cell was interrupted; IPython shows ``lines`` instead of a traceback."""

    def __init__(self, summary: str, lines: Sequence[str]) -> None:
        super().__init__(summary)
        self.lines = tuple(lines)

    def _render_traceback_(self) -> list[str]:
        return [*self.lines]
