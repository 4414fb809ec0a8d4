"""Names with numbers: ``y1``, ``y2``, …, as the paper has them."""

from collections.abc import Iterable

from rh_kernel.ad.language.names import Names


class Numbered(Names):
    """A supply of names, none of which is given out twice: what is wanted, with the next number."""

    __slots__ = ("_next", "_taken")

    def __init__(self, used: Iterable[str] = ()) -> None:
        super().__init__()
        self._taken = set(used)
        self._next: dict[str, int] = {}

    def fresh(self, wanted: str) -> str:
        """``x1``, ``x2``, …: the first of these that is not in use, and was not."""
        base = wanted.rstrip("0123456789'") or wanted
        i = self._next.get(base, 1)
        while (name := f"{base}{i}") in self._taken:
            i += 1
        self._next[base] = i + 1
        self._taken.add(name)
        return name
