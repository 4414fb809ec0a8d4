"""What Python prints: so many characters a cell, then a line that says so, and nothing more of that cell."""

import threading
from typing import Any

from ipykernel.iostream import OutStream

from rh_kernel.session.limits.bounds import DEFAULT, EVERYTHING

MOST = 1_000_000
"""Characters that a cell may print, on both streams together, where `%limit output` was not set to anything else."""

CELLS = 100
"""Of so many cells it is known what they have printed; threads of older ones begin anew."""


class Allowance:
    """What each request may still print, by the number of its message; ``silent`` is the one that may show nothing at all."""

    def __init__(self, most: int = MOST) -> None:
        self.silent: str | None = None
        self._most = most
        self._left: dict[str, int | None] = {}
        self._lock = threading.Lock()

    def follow(self, limit: int | None) -> None:
        """Print as much as `%limit output` says from now on, and where nobody has set it, ``MOST``."""
        self._most = EVERYTHING if limit is None else MOST if limit == DEFAULT.output else limit

    def renew(self, request: str) -> None:
        """What the request has printed is gone from the page, so it may print as much again."""
        with self._lock:
            self._left.pop(request, None)

    def spend(self, request: str, text: str) -> str:
        """What of ``text`` the request may print; where that is less than all of it for the first time, a line says so."""
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
"""That of this process."""


def request_of(header: Any) -> str:
    """The number of the message that has this header."""
    return str(header.get("msg_id", ""))


class Stream(OutStream):
    """``sys.stdout`` and ``sys.stderr`` of the kernel."""

    def write(self, string: str) -> int | None:
        """Print ``string`` as far as it is allowed; returns its length, like any file."""
        shown = ALLOWANCE.spend(request_of(self.parent_header), string)
        if shown:
            super().write(shown)
        return len(string)
