"""Names for bound variables: the hint that was written, primed only where two variables would be confused.

A hint needs another name only if a variable of that name is visible and used under the binder. Every node knows its
loose indices, and of several visible variables of one name only the innermost can be used, so one look decides.
"""

import re
from collections.abc import Iterable, Iterator
from itertools import count

_IDENTIFIER = re.compile(r"[^\W\d][\w']*")
_SUBSCRIPTS = str.maketrans("0123456789", "₀₁₂₃₄₅₆₇₈₉")
_WORDS = frozenset(
    "let in return rev handle with rd dim const loc fun op net handler train for epochs batch shuffle measure on".split()
)


class Names:
    """The visible variables from the outermost to the innermost; ``None`` stands for one that is never printed."""

    def __init__(self, reserved: Iterable[str] = ()) -> None:
        self._reserved = _WORDS | set(reserved)
        self._visible: list[str | None] = []
        self._levels: dict[str, list[int]] = {}
        self._alike: dict[str, int] = {}

    def __getitem__(self, index: int) -> str:
        """The name of the bound variable ``index``, or ``?i`` if it is bound outside of what is printed."""
        level = len(self._visible) - 1 - index
        name = self._visible[level] if level >= 0 else None
        return name if name is not None else f"?{index}"

    def fresh(self, hint: str, loose: int, taken: set[str]) -> str:
        """A name for a binder: of its ``hint``, not in ``taken``, and of no variable in ``loose``, which it adds to ``taken``.

        ``loose`` holds the indices that are free in the binder's scope, as seen from outside the binder.
        """
        for name in self._candidates(hint):
            levels = self._levels.get(name)
            is_used = bool(levels) and bool(loose >> (len(self._visible) - 1 - levels[-1]) & 1)
            if not is_used and name not in taken and name not in self._reserved:
                break
        else:
            raise AssertionError("there is always another name")
        taken.add(name)
        return name

    def push(self, name: str | None) -> None:
        """Go under a binder."""
        if name is not None:
            self._levels.setdefault(name, []).append(len(self._visible))
            base = _base(name)
            self._alike[base] = self._alike.get(base, 0) + 1
        self._visible.append(name)

    def pop(self, number: int = 1) -> None:
        """Come out from under the last ``number`` binders."""
        for _ in range(number):
            name = self._visible.pop()
            if name is not None:
                self._levels[name].pop()
                self._alike[_base(name)] -= 1

    def _candidates(self, hint: str) -> Iterator[str]:
        stem = hint if _IDENTIFIER.fullmatch(hint) and hint != "_" else "x"
        yield stem
        yield stem + "'"
        yield stem + "''"
        base = _base(stem)
        # As many as there are names alike: it is free, or all but free, however many there are.
        for number in count(max(3, self._alike.get(base, 0))):
            yield base + str(number).translate(_SUBSCRIPTS)


def _base(name: str) -> str:
    return name.rstrip("'₀₁₂₃₄₅₆₇₈₉") or name
