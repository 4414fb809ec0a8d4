"""What was entered, as ``history_request`` asks for it: the last cells, a range of them, or those that fit a pattern."""

from dataclasses import dataclass
from fnmatch import fnmatchcase
from typing import TypeAlias

Entry: TypeAlias = tuple[int, int, str] | tuple[int, int, tuple[str, str | None]]
"""Session, number and text of a cell, or its text with the text of its last value."""


@dataclass(frozen=True, slots=True)
class Cell:
    """A cell that was run under ``number``, and the text of its last value if it had one."""

    number: int
    text: str
    value: str | None


class History:
    """The cells of one kernel, from its start on. Its session is 0; there are no older ones."""

    def __init__(self) -> None:
        self._cells: list[Cell] = []

    def add(self, cell: Cell) -> None:
        """Keep a cell."""
        self._cells.append(cell)

    def tail(self, n: int, *, output: bool) -> list[Entry]:
        """The last n cells."""
        return _entries(self._cells[max(len(self._cells) - n, 0) :], output=output)

    def between(self, session: int, start: int, stop: int | None, *, output: bool) -> list[Entry]:
        """The cells numbered ``start <= i < stop``; negative sessions count back from the running one."""
        if session > 0 or session < 0:
            return []
        found = [cell for cell in self._cells if cell.number >= start and (stop is None or cell.number < stop)]
        return _entries(found, output=output)

    def search(self, pattern: str, n: int | None, *, output: bool, unique: bool) -> list[Entry]:
        """The last n cells that fit a pattern with ``*`` and ``?``; with ``unique`` each text once, the latest."""
        found: dict[str, Cell] | list[Cell] = [cell for cell in self._cells if fnmatchcase(cell.text, pattern)]
        if unique:
            latest = {cell.text: cell for cell in found}
            found = sorted(latest.values(), key=lambda cell: cell.number)
        return _entries(found if n is None else found[max(len(found) - n, 0) :], output=output)


def _entries(cells: list[Cell], *, output: bool) -> list[Entry]:
    if output:
        return [(0, cell.number, (cell.text, cell.value)) for cell in cells]
    return [(0, cell.number, cell.text) for cell in cells]
