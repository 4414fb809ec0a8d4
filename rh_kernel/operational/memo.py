"""A memo table keyed by identity, for facts about a symbol, or a handler and an operation, that every step asks for."""

from collections.abc import Callable
from typing import Generic, TypeVar

Found = TypeVar("Found")


class Memo(Generic[Found]):
    """Memoizes a function for up to ``most`` arguments, compared by identity and kept alive while they are in the table."""

    def __init__(self, find: Callable[..., Found], most: int) -> None:
        self._find = find
        self._most = most
        self._known: dict[object, tuple[object, Found]] = {}

    def of(self, *of: object) -> Found:
        """Return the function's value, cached."""
        known = self._known.get(id(of[0]) if len(of) == 1 else tuple(map(id, of)))
        if known is None:
            if len(self._known) >= self._most:
                self._known.clear()
            known = self._known[id(of[0]) if len(of) == 1 else tuple(map(id, of))] = of, self._find(*of)
        return known[1]
