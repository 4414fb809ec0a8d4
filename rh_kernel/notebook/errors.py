"""A cell under ``%%rh`` that failed or was stopped, as IPython is told of it."""

from collections.abc import Sequence


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
