"""Persistent tables with cheap insertion: a table with one more entry shares the others with the old table."""

from collections.abc import Iterator, Mapping
from threading import Lock
from typing import TypeVar, cast, overload

Key = TypeVar("Key")
Value = TypeVar("Value")
Other = TypeVar("Other")

_GROWING = Lock()


class Table(Mapping[Key, Value]):
    """The first ``count`` entries of a dictionary that newer tables share and extend; entries are never overwritten or removed.

    So n successive declarations take time proportional to n.
    """

    __slots__ = ("_count", "_entries")

    def __init__(self, entries: dict[Key, tuple[int, Value]], count: int) -> None:
        self._entries = entries
        self._count = count

    def __getitem__(self, key: Key) -> Value:
        place, V = self._entries[key]
        if place >= self._count:
            raise KeyError(key)
        return V

    @overload
    def get(self, key: Key, /) -> Value | None: ...
    @overload
    def get(self, key: Key, /, default: Value | Other) -> Value | Other: ...
    def get(self, key: Key, /, default: Value | Other | None = None) -> Value | Other | None:
        """Return the value of an entry, or the default."""
        found = self._entries.get(key)
        return default if found is None or found[0] >= self._count else found[1]

    def __contains__(self, key: object) -> bool:
        found = self._entries.get(cast(Key, key))
        return found is not None and found[0] < self._count

    def __iter__(self) -> Iterator[Key]:
        return iter(list(self._entries)[: self._count])

    def __len__(self) -> int:
        return self._count

    def __repr__(self) -> str:
        return f"table({dict(self.items())!r})"

    def with_(self, key: Key, value: Value) -> "Table[Key, Value]":
        """Return a table with this entry added or replaced. Replacing, or extending the same table twice, copies it."""
        with _GROWING:
            if len(self._entries) == self._count and key not in self._entries:
                self._entries[key] = (self._count, value)
                return Table(self._entries, self._count + 1)
        return table({**self, key: value})


def table(entries: Mapping[Key, Value]) -> Table[Key, Value]:
    """Return the same entries as a table."""
    if isinstance(entries, Table):
        return entries
    return Table({key: (place, V) for place, (key, V) in enumerate(entries.items())}, len(entries))
