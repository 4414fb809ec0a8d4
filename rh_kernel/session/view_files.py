"""Files of views: which results ``%save-view`` saves, and the encoder that the front end gives to a session.

A session computes results and renders nothing, so its creator says how a result becomes a file.
"""

from collections.abc import Generator
from types import TracebackType
from typing import Protocol, TypeVar

from rh_kernel.session.results import CheckPassed, DeclarationMade, Event, ItemFailed, Notice, Result, Shown, Warned

S = TypeVar("S")

SUFFIXES = (".html", ".svg")
"""What the name of a file may end in."""

_MESSAGES = (Notice, Warned, ItemFailed, DeclarationMade, CheckPassed)


class NoSuchPicture(Exception):
    """A result has no picture of the kind that was asked for; the text says why."""


class ViewEncoder(Protocol):
    """Renders a result as a file."""

    def __call__(self, result: Result, suffix: str, *, title: str, animated: bool) -> str:
        """Return the text of an ``.html`` or ``.svg`` file. Raises ``NoSuchPicture``."""
        ...


def has_view(result: Result) -> bool:
    """Whether ``%save-view`` saves this result, rather than the one before it: it is more than a message."""
    return not isinstance(result, _MESSAGES)


class WatchedRun(Generator[Event, None, S]):
    """A run of an item that remembers the last result with a view among its events; otherwise it is that run."""

    def __init__(self, run: Generator[Event, None, S]) -> None:
        self.shown: Result | None = None
        self._run = run

    def send(self, value: None, /) -> Event:
        """Proceed to the next event."""
        return self._watched(self._run.send(value))

    def throw(
        self,
        typ: "type[BaseException] | BaseException",
        val: object = None,
        tb: TracebackType | None = None,
        /,
    ) -> Event:
        """Raise an exception in the run."""
        del val, tb
        return self._watched(self._run.throw(typ if isinstance(typ, BaseException) else typ()))

    def _watched(self, event: Event) -> Event:
        if isinstance(event, Shown) and has_view(event.result):
            self.shown = event.result
        return event
