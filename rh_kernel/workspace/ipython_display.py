"""Send outputs to an IPython notebook through its shell, as the messages that the kernel would send."""

import sys
import time
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, field
from functools import partial
from typing import Any, Protocol, cast
from weakref import WeakKeyDictionary

from rh_kernel.session.results import Event, Result, Running, Shown
from rh_kernel.workspace.outputs import AddWidgets, Bundle, Outputs, static_id, static_only
from rh_kernel.workspace.widgets import Widgets


class Shell(Protocol):
    """The part of IPython's shell used here."""

    execution_count: int
    user_ns: dict[str, Any]

    @property
    def display_pub(self) -> "Publisher":
        """The display publisher."""
        ...


class Publisher(Protocol):
    """The part of IPython's display publisher used here."""

    def publish(
        self, data: dict[str, Any], metadata: dict[str, Any] | None = None, *, transient: object = None, update: bool = False
    ) -> None:
        """Display a bundle, or update an earlier one."""
        ...

    def clear_output(self, *, wait: bool) -> None:
        """Clear the output of the cell, at once or with ``wait`` at the next output."""
        ...


class Following(Protocol):
    """The part of the knobs of a notebook used here."""

    def clear(self, cell: str) -> None:
        """Forget the outputs of a cell that runs again."""
        ...

    def adding(self, widgets: Widgets, cell: str) -> AddWidgets:
        """Return what adds widgets to the outputs of a cell."""
        ...

    def display_of(self, cell: str, event: Event) -> str | None:
        """Return the display id for an output that may change later, else ``None``."""
        ...


@dataclass(slots=True)
class _Live:
    """The widgets of one shell, its knobs if it has any, and the execution count of the cell that the latest belong to."""

    widgets: Widgets = field(default_factory=Widgets)
    knobs: Following | None = None
    count: int = -1


_LIVE: "WeakKeyDictionary[object, _Live]" = WeakKeyDictionary()


def shell() -> Shell | None:
    """Return the current IPython shell, or ``None`` outside IPython."""
    from IPython.core.getipython import get_ipython

    return cast(Shell | None, get_ipython())


def sender(where: Shell) -> Callable[[str, dict[str, Any]], None]:
    """Return a function that sends the messages of ``Outputs`` to the notebook."""

    def send(message: str, content: dict[str, Any]) -> None:
        if message == "stream":
            sys.stdout.write(content["text"])
            return
        if message == "clear_output":
            where.display_pub.clear_output(wait=content["wait"])
            return
        update = message == "update_display_data"
        transient = content.get("transient") or None
        where.display_pub.publish(content["data"], content["metadata"], transient=transient, update=update)

    return send


def widget_outputs(where: Shell) -> AddWidgets:
    """Return what adds widgets to static forms in this shell; a terminal shows the static forms alone."""
    if not hasattr(where, "kernel"):
        return static_only
    live, cell = _of_cell(where)

    def add_widgets(result: Result | Running, static: Bundle) -> Iterable[Bundle]:
        return live.widgets.outputs(cell, result, static)

    return add_widgets


def knob_outputs(where: Shell) -> tuple[AddWidgets, Callable[[Event], str | None]]:
    """Return the same with the knobs of this shell, and what gives the display id of an output that may follow one."""
    live, cell = _of_cell(where)
    if live.knobs is None or not hasattr(where, "kernel"):
        return widget_outputs(where), static_id
    return live.knobs.adding(live.widgets, cell), partial(live.knobs.display_of, cell)


def knobs_of(where: Shell) -> Following | None:
    """Return the knobs of a shell."""
    return _LIVE.setdefault(where, _Live()).knobs


def share_knobs(where: Shell, knobs: Following) -> None:
    """Make ``knobs`` those of a shell."""
    _LIVE.setdefault(where, _Live()).knobs = knobs


def updater(where: Shell) -> Callable[[str, Bundle], None]:
    """Return a function that replaces the output with a display id."""

    def update(display: str, data: Bundle) -> None:
        where.display_pub.publish(dict(data), {}, transient={"display_id": display}, update=True)

    return update


def _of_cell(where: Shell) -> tuple[_Live, str]:
    """Return the widgets and knobs of a shell, without those of an earlier run of this cell, and the id of the cell."""
    live, count, cell = _LIVE.setdefault(where, _Live()), where.execution_count, _cell(where)
    if live.count != count:
        live.count = count
        live.widgets.clear(cell)
        if live.knobs is not None:
            live.knobs.clear(cell)
    return live, cell


def share_widgets(where: object, widgets: Widgets) -> None:
    """Make ``widgets`` the widgets of a shell."""
    _LIVE[where] = _Live(widgets)


def clear_widgets(where: object, *, wait: bool) -> None:
    """Close the widgets of the cell running in a shell, whose output was cleared; with ``wait``, at its next output."""
    live = _LIVE.get(where)
    if live is not None:
        live.widgets.clear(_cell(cast(Shell, where)), wait=wait)


def _cell(where: Shell) -> str:
    """Return the front end's id of the cell, which is the same on every run, or else its execution count."""
    parent = cast(dict[str, Any], getattr(where, "parent_header", None) or {})
    return str(parent.get("metadata", {}).get("cellId") or where.execution_count)


def show(results: Sequence[Result]) -> None:
    """Display results as the kernel does; outside IPython, do nothing."""
    where = shell()
    if where is None:
        return
    outputs = Outputs(sender(where), where.execution_count, time.monotonic, widget_outputs(where))
    for number, result in enumerate(results, start=1):
        outputs.take(Shown(number, result))
    outputs.finish()
