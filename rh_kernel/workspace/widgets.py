"""The open widgets of all cells: created with results, closed when their output is gone or there are too many."""

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

from rh_kernel.display.live.view import View
from rh_kernel.display.registry import live_view
from rh_kernel.session.results import Result, Running

if TYPE_CHECKING:
    from rh_kernel.display.live.widget import Live

MAX_OPEN = 100
"""The most widgets open at once, over all cells. The oldest are closed first; the page then shows their static form.

The bound is needed because a page does not tell the kernel that a cell was deleted or its output cleared.
"""


def saved(result: Result | Running) -> Mapping[str, Any]:
    """Return the form of the view of a result that stays in the notebook, for an export without a kernel."""
    view = None if isinstance(result, Running) else live_view(result)
    if view is None:
        return {}
    from rh_kernel.display.live.saved import notebook_form

    return notebook_form(view)


class Widgets:
    """The open widgets with their cells, oldest first; the widget libraries are imported with the first one."""

    def __init__(self) -> None:
        self._open: list[tuple[str, Live]] = []
        self._cleared: list[Live] = []
        self._running: tuple[str, Live] | None = None
        self.latest: Live | None = None

    def clear(self, cell: str, *, wait: bool = False) -> None:
        """Close the widgets of a cell that is run again or whose output was cleared; with ``wait``, at its next output."""
        outdated = [widget for owner, widget in self._open if owner == cell]
        self._open = [(owner, widget) for owner, widget in self._open if owner != cell]
        self._cleared += outdated
        if not wait:
            self._sweep()

    def outputs(
        self, cell: str, result: Result | Running, static: Mapping[str, Any], view: View | None = None
    ) -> tuple[Mapping[str, Any], ...]:
        """Return the outputs for a result: its static form, preceded by a widget if it has a view, ``latest`` then.

        The widget of a sweep that is running is that of its result as well. ``view`` is one that the result itself has not.
        """
        self._sweep()
        self.latest = None
        view = live_view(result) if view is None else view
        if view is None:
            return (static,)
        running, self._running = self._running, None
        if running is not None and running[0] == cell and running[1].is_open and running[1].kind == view.kind:
            widget = running[1]
            widget.show(view)
        else:
            widget = self._opened(cell, view)
        if isinstance(result, Running) and not result.ended:
            self._running = (cell, widget)
        self.latest = widget
        return widget.beside({**static, **saved(result)})

    def _opened(self, cell: str, view: View) -> "Live":
        """Open a widget."""
        from rh_kernel.display.live.widget import live

        widget = live(view)
        # The page may have closed some, and a Python cell may have closed all.
        still_open = [(owner, earlier) for owner, earlier in self._open if earlier.is_open]
        self._open = [*still_open, (cell, widget)]
        while len(self._open) > MAX_OPEN:
            _, oldest = self._open.pop(0)
            oldest.close()
        return widget

    def _sweep(self) -> None:
        cleared, self._cleared = self._cleared, []
        for widget in cleared:
            widget.close()
