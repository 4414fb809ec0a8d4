"""Standard output of Python cells, cut off after a limit per cell, with a line that says so."""

import threading
from typing import Any

from ipykernel.iostream import OutStream

from rh_kernel.session.limits.bounds import DEFAULT, EVERYTHING

MAX_CHARACTERS = 1_000_000
"""Characters that a cell may print on both streams together, unless `%limit output` is set."""

CELLS = 100
"""Requests whose output is counted; an older one that prints again starts from zero."""


class Allowance:
    """What each request may still print, by message id; ``silent`` is the request that may print nothing."""

    def __init__(self, most: int = MAX_CHARACTERS) -> None:
        self.silent: str | None = None
        self._most = most
        self._left: dict[str, int | None] = {}
        self._lock = threading.Lock()

    def set_limit(self, limit: int | None) -> None:
        """Set the limit from `%limit output`, or to ``MAX_CHARACTERS`` if that is at its default."""
        self._most = EVERYTHING if limit is None else MAX_CHARACTERS if limit == DEFAULT.output else limit

    def reset(self, request: str) -> None:
        """Reset the count of a request whose output has been cleared."""
        with self._lock:
            self._left.pop(request, None)

    def spend(self, request: str, text: str) -> str:
        """Return the part of ``text`` that the request may print, with a note when it is first cut off."""
        if request == self.silent:
            return ""
        with self._lock:
            left = self._left.setdefault(request, self._most)
            over = left is None or len(text) > left
            self._left[request] = None if left is None or over else left - len(text)
            for oldest in [*self._left][:-CELLS]:
                del self._left[oldest]
        if left is None:
            return ""
        return f"{text[:left]}\n[more than {self._most:,} characters: the rest is not shown]\n" if over else text


ALLOWANCE = Allowance()
"""The allowance of this process."""


def request_of(header: Any) -> str:
    """Return the message id in a header."""
    return str(header.get("msg_id", ""))


class Stream(OutStream):
    """``sys.stdout`` and ``sys.stderr`` of the kernel."""

    def write(self, string: str) -> int | None:
        """Print ``string`` as far as allowed; returns its length, like any file."""
        shown = ALLOWANCE.spend(request_of(self.parent_header), string)
        if shown:
            super().write(shown)
        return len(string)
