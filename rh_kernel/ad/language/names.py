"""Names that are not in use: the one that is wanted, with as many primes as are needed."""

from collections.abc import Iterable


class Names:
    """A supply of names, none of which is given out twice."""

    __slots__ = ("_last", "_used")

    def __init__(self, used: Iterable[str] = ()) -> None:
        self._used = set(used)
        self._last: dict[str, int] = {}

    def fresh(self, wanted: str) -> str:
        """``x``, or ``x'``, ``x''``, or from the fourth on ``x'4``, ``x'5``, …: the first of these not in use."""
        base = wanted.rstrip("'0123456789") if "'" in wanted else wanted
        i = self._last.get(base, 0)
        while True:
            name = base + ("'" * i if i < 4 else f"'{i}")
            i += 1
            if name not in self._used:
                self._used.add(name)
                self._last[base] = i
                return name
