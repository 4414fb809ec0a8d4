"""Supplies of fresh names."""

from collections.abc import Callable, Iterable


class Names:
    """A supply of names, none of which is returned twice: the one that is wanted, with as many primes as are needed."""

    __slots__ = ("_next", "_used")

    def __init__(self, used: Iterable[str] = ()) -> None:
        self._used = set(used)
        self._next: dict[str, int] = {}

    def fresh(self, wanted: str) -> str:
        """Return the first unused name of ``x``, ``x'``, ``x''``, ``x'''``, ``x'4``, ``x'5``, …"""
        base = wanted.rstrip("'0123456789") if "'" in wanted else wanted
        return self.first_unused(base, lambda i: (base + ("'" * i if i < 4 else f"'{i}"),))[0]

    def first_unused(self, key: str, spell: Callable[[int], tuple[str, ...]]) -> tuple[str, ...]:
        """Return the first of ``spell(0)``, ``spell(1)``, … without used names; the next call for ``key`` goes on there."""
        i = self._next.get(key, 0)
        while not self._used.isdisjoint(names := spell(i)):
            i += 1
        self._used.update(names)
        self._next[key] = i + 1
        return names
