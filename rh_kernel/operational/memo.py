"""A memo table keyed by identity, for facts about a symbol, or a handler and an operation, that every step asks for."""

from collections.abc import Callable, Hashable
from typing import Any, Generic, TypeVar

Found = TypeVar("Found")


class Memo(Generic[Found]):
    """Memoizes a function for up to ``most`` arguments, compared by identity and kept alive while they are in the table."""

    def __init__(self, find: Callable[..., Found], most: int) -> None:
        self._find = find
        self._most = most
        self._known: dict[object, tuple[object, Found]] = {}

    def of(self, *of: object, named: tuple[Hashable, ...] = ()) -> Found:
        """Return the function's value, cached; the arguments ``named`` are compared by equality."""
        key: Any = id(of[0]) if len(of) == 1 and not named else (*map(id, of), *named)
        known = self._known.get(key)
        if known is None:
            if len(self._known) >= self._most:
                self._known.clear()
            known = self._known[key] = of, self._find(*of, *named)
        return known[1]
