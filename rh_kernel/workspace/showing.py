"""Outputs in an IPython notebook: the messages that the kernel would send, published by the shell that is there."""

import sys
import time
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, field
from typing import Any, Protocol, cast
from weakref import WeakKeyDictionary

from rh_kernel.session.results import Result, Shown
from rh_kernel.workspace.outputs import Bundle, Outputs, undressed
from rh_kernel.workspace.widgets import Widgets


class Shell(Protocol):
    """What is used of IPython's shell."""

    execution_count: int
    user_ns: dict[str, Any]

    @property
    def display_pub(self) -> "Publisher":
        """Where outputs go."""
        ...


class Publisher(Protocol):
    """Where IPython's shell sends outputs."""

    def publish(
        self, data: dict[str, Any], metadata: dict[str, Any] | None = None, *, transient: object = None, update: bool = False
    ) -> None:
        """Show a bundle, or put it in the place of an earlier one."""
        ...

    def clear_output(self, *, wait: bool) -> None:
        """Take away what the cell has shown so far, at once or when something follows."""
        ...


@dataclass(slots=True)
class _Live:
    """The widgets of one shell, and the number of the cell that the last of them belong to."""

    widgets: Widgets = field(default_factory=Widgets)
    count: int = -1


_LIVE: "WeakKeyDictionary[object, _Live]" = WeakKeyDictionary()


def shell() -> Shell | None:
    """The shell that one is in, if this is IPython."""
    from IPython.core.getipython import get_ipython

    return cast(Shell | None, get_ipython())


def sender(where: Shell) -> Callable[[str, dict[str, Any]], None]:
    """Sends the contents of the messages of ``Outputs`` to the notebook."""

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


def dressing(where: Shell) -> Callable[[Result, Bundle], Iterable[Bundle]]:
    """A result and its static form ↦ the outputs that show it: in a page with the widget, in a terminal without."""
    if not hasattr(where, "kernel"):
        return undressed
    live = _LIVE.setdefault(where, _Live())
    count, cell = where.execution_count, _cell(where)
    if live.count != count:
        live.count = count
        live.widgets.begin(cell)

    def dressed(result: Result, static: Bundle) -> Iterable[Bundle]:
        return live.widgets.outputs(cell, result, static)

    return dressed


def share_widgets(where: object, widgets: Widgets) -> None:
    """From now on ``widgets`` are those of a shell."""
    _LIVE[where] = _Live(widgets)


def cleared(where: object, *, wait: bool) -> None:
    """The outputs of the cell that runs in a shell are gone, with ``wait`` when the next one comes; so are their widgets."""
    live = _LIVE.get(where)
    if live is not None:
        live.widgets.clear(_cell(cast(Shell, where)), wait=wait)


def _cell(where: Shell) -> str:
    """What front ends call the cell, so that it is the same one when it is run again; else its number."""
    parent = cast(dict[str, Any], getattr(where, "parent_header", None) or {})
    return str(parent.get("metadata", {}).get("cellId") or where.execution_count)


def show(results: Sequence[Result]) -> None:
    """Display results as the kernel does; outside of IPython nothing is shown."""
    where = shell()
    if where is None:
        return
    outputs = Outputs(sender(where), where.execution_count, time.monotonic, dressing(where))
    for number, result in enumerate(results, start=1):
        outputs.take(Shown(number, result))
    outputs.finish()
