"""The widgets of the cells: made for the results of a cell, closed when what it has shown is gone or there are too many."""

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

from rh_kernel.display.registry import live_view
from rh_kernel.session.results import Result

if TYPE_CHECKING:
    from rh_kernel.display.live.widget import Live

MOST = 100
"""So many widgets are open at once, over all cells. The oldest are closed first; a page shows their static form from then on.

A page does not tell the kernel that a cell was deleted or that its outputs were cleared, so there has to be a bound."""


class Widgets:
    """The open widgets with their cells, oldest first; the libraries that make them are imported with the first one."""

    def __init__(self) -> None:
        self._open: list[tuple[str, Live]] = []
        self._cleared: list[Live] = []

    def begin(self, cell: str) -> None:
        """The cell runs, perhaps again: what it has shown is gone from the page."""
        self.clear(cell)

    def clear(self, cell: str, *, wait: bool = False) -> None:
        """What the cell has shown is gone from the page; with ``wait`` when it shows something the next time."""
        gone = [widget for owner, widget in self._open if owner == cell]
        self._open = [(owner, widget) for owner, widget in self._open if owner != cell]
        self._cleared += gone
        if not wait:
            self._sweep()

    def outputs(self, cell: str, result: Result, static: Mapping[str, Any]) -> tuple[Mapping[str, Any], ...]:
        """What is shown for a result: its static form, and if it has a view before that the widget."""
        self._sweep()
        view = live_view(result)
        if view is None:
            return (static,)
        from rh_kernel.display.live.widget import live

        widget = live(view)
        # A page may have closed some of them, and a Python cell all.
        still = [(owner, earlier) for owner, earlier in self._open if earlier.is_open]
        self._open = [*still, (cell, widget)]
        while len(self._open) > MOST:
            _, oldest = self._open.pop(0)
            oldest.close()
        return widget.beside(static)

    def _sweep(self) -> None:
        cleared, self._cleared = self._cleared, []
        for widget in cleared:
            widget.close()
