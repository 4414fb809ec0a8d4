"""A supply of fresh names: ``x``, ``x1``, ``x2``, …, and pairs ``x``, ``x'`` of a value and its derivative."""

from collections.abc import Iterable


class NameSupply:
    """Names that are not in use; none is returned twice."""

    __slots__ = ("_last", "_used")

    def __init__(self, used: Iterable[str]) -> None:
        self._used = set(used)
        self._last: dict[str, int] = {}

    def fresh(self, wanted: str) -> str:
        """Return ``wanted`` if it is not in use, otherwise its stem with the first free number."""
        if wanted in self._used:
            stem = wanted.rstrip("0123456789")
            i = self._last.get(stem, 0) + 1
            while f"{stem}{i}" in self._used:
                i += 1
            self._last[stem] = i
            wanted = f"{stem}{i}"
        self._used.add(wanted)
        return wanted

    def pair(self, wanted: str) -> tuple[str, str]:
        """Return ``x`` and ``x'``, for a value and for its linear function."""
        x = self.fresh(wanted)
        while f"{x}'" in self._used:
            x = self.fresh(wanted)
        return x, self.fresh(f"{x}'")
