"""What was found out about a symbol, or about a handler and an operation, and will be asked again at the next step."""

from collections.abc import Callable, Hashable
from typing import Any, Generic, TypeVar

Found = TypeVar("Found")


class Known(Generic[Found]):
    """Up to ``most`` answers of a function. What it was asked of is known by its identity, and kept as long as it is known."""

    def __init__(self, find: Callable[..., Found], most: int) -> None:
        self._find = find
        self._most = most
        self._known: dict[object, tuple[object, Found]] = {}

    def of(self, *of: object, named: tuple[Hashable, ...] = ()) -> Found:
        """What the function says, now or before; ``named`` are more arguments, which are compared."""
        key: Any = id(of[0]) if len(of) == 1 and not named else (*map(id, of), *named)
        known = self._known.get(key)
        if known is None:
            if len(self._known) >= self._most:
                self._known.clear()
            known = self._known[key] = of, self._find(*of, *named)
        return known[1]
