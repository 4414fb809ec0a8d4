"""Names that are not in use: ``x``, ``x₁``, ``x₂``, …, and pairs, ``x₁`` and ``x₁′``, for a number and its backpropagator."""

from collections.abc import Iterable

_DIGITS = str.maketrans("0123456789", "₀₁₂₃₄₅₆₇₈₉")
_ENDINGS = "₀₁₂₃₄₅₆₇₈₉′'"


class NameSupply:
    """A supply of names, none of which is given out twice."""

    __slots__ = ("_last", "_used")

    def __init__(self, used: Iterable[str] = ()) -> None:
        self._used = set(used)
        self._last: dict[str, int] = {}

    def fresh(self, wanted: str) -> str:
        """The name itself, or with the first number that makes it new; a prime stays at its end."""
        prime = "′" if wanted.endswith("′") else ""
        return self._first(wanted.rstrip(_ENDINGS), (prime,))[0]

    def pair(self, wanted: str) -> tuple[str, str]:
        """``x`` and ``x′``, both new"""
        x, x_prime = self._first(wanted.rstrip(_ENDINGS), ("", "′"))
        return x, x_prime

    def _first(self, base: str, endings: tuple[str, ...]) -> tuple[str, ...]:
        key = base + "".join(endings)
        i = self._last.get(key, 0)
        while True:
            names = tuple(base + (str(i).translate(_DIGITS) if i else "") + ending for ending in endings)
            i += 1
            if self._used.isdisjoint(names):
                self._used.update(names)
                self._last[key] = i
                return names
