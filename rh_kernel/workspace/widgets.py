"""The widgets of the cells: made for the results of a cell, closed when the cell is run again."""

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

from rh_kernel.display.live.views import view_of
from rh_kernel.session.results import Result

if TYPE_CHECKING:
    from rh_kernel.display.live.widget import Live

MOST = 100
"""So many cells keep their widgets, and each so many of them; a page loaded anew shows the static form of older ones."""


class Widgets:
    """The live widgets by cell; the libraries that make them are imported with the first one."""

    def __init__(self) -> None:
        self._cells: dict[str, list[Live]] = {}

    def begin(self, cell: str) -> None:
        """The cell runs, perhaps again: what it has shown is gone from the page."""
        self._close(cell)
        self._cells[cell] = []
        for oldest in [*self._cells][:-MOST]:
            self._close(oldest)

    def outputs(self, cell: str, result: Result, static: Mapping[str, Any]) -> tuple[Mapping[str, Any], ...]:
        """What is shown for a result: its static form, and if it has a view before that the widget."""
        view = view_of(result)
        if view is None:
            return (static,)
        from rh_kernel.display.live.widget import live

        widget = live(view)
        alive = self._cells.setdefault(cell, [])
        alive.append(widget)
        if len(alive) > MOST:
            alive.pop(0).close()
        return widget.beside(static)

    def _close(self, cell: str) -> None:
        for widget in self._cells.pop(cell, ()):
            widget.close()
