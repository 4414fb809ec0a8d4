"""Names for bound variables: the hint that was written, primed only where two variables would be confused.

A hint needs another name only if a variable of that name is visible and used under the binder. Every node knows its
loose indices, and of several visible variables of one name only the innermost can be used, so one look decides.
"""

from collections.abc import Iterable, Iterator
from functools import lru_cache
from itertools import count

from rh_kernel.source.span import Source, Span
from rh_kernel.syntax.parsing.lexer import tokens
from rh_kernel.syntax.parsing.tokens import Kind

_SUBSCRIPTS = str.maketrans("0123456789", "₀₁₂₃₄₅₆₇₈₉")


class Names:
    """The visible variables from the outermost to the innermost; ``None`` stands for one that is never printed.

    ``outside`` is what all variables are called that are bound further out. ``bases`` are names without primes and numbers: the
    names chosen here are made of them. ``counted`` tells, in order, of which of them a name has a number that depends on how
    many are alike.
    """

    def __init__(self, reserved: Iterable[str] = (), bases: set[str] | None = None) -> None:
        self.bases = set[str]() if bases is None else bases
        self.counted: list[str] = []
        self.outside: str | None = None
        self._reserved = frozenset(reserved)
        self._visible: list[str | None] = []
        self._levels: dict[str, list[int]] = {}
        self._alike: dict[str, int] = {}

    def __getitem__(self, index: int) -> str:
        """The name of the bound variable ``index``, or ``?i`` for the i-th of those outside that have none."""
        level = len(self._visible) - 1 - index
        name = self._visible[level] if level >= 0 else self.outside
        return name if name is not None else f"?{index - len(self._visible)}"

    def of(self, loose: int) -> tuple[str, ...]:
        """The names of the bound variables in ``loose``."""
        found: list[str] = []
        while loose:
            lowest = loose & -loose
            found.append(self[lowest.bit_length() - 1])
            loose ^= lowest
        return tuple(found)

    def alike(self, stem: str) -> int:
        """How many visible variables have names that are made of ``stem``, a base."""
        return self._alike.get(stem, 0)

    def fresh(self, hint: str, loose: int, taken: set[str]) -> str:
        """A name for a binder, made of its ``hint`` and added to ``taken``, in which it was not.

        It is no name of a variable in ``loose``, the indices free in the binder's scope as seen from outside of it.
        """
        name = next(n for n in self._candidates(hint) if n not in taken and not self._is_used(n, loose))
        taken.add(name)
        return name

    def push(self, name: str | None) -> None:
        """Go under a binder."""
        if name is not None:
            self._levels.setdefault(name, []).append(len(self._visible))
            stem = base(name)
            self._alike[stem] = self.alike(stem) + 1
        self._visible.append(name)

    def pop(self, number: int) -> None:
        """Come out from under the last ``number`` binders."""
        for _ in range(number):
            name = self._visible.pop()
            if name is not None:
                self._levels[name].pop()
                self._alike[base(name)] -= 1

    def _is_used(self, name: str, loose: int) -> bool:
        levels = self._levels.get(name)
        return name in self._reserved or bool(levels and loose >> (len(self._visible) - 1 - levels[-1]) & 1)

    def _candidates(self, hint: str) -> Iterator[str]:
        stem = hint if hint != "_" and is_name(hint) else "x"
        short = base(stem)
        self.bases.add(short)
        yield stem
        yield stem + "'"
        yield stem + "''"
        self.counted.append(short)
        # The number of names alike is rarely taken, so the search is short however many there are.
        for number in count(max(3, self.alike(short))):
            yield short + str(number).translate(_SUBSCRIPTS)


@lru_cache(maxsize=4096)
def is_name(text: str) -> bool:
    """Whether ``text`` can be written for a variable."""
    found = tokens(Span(Source("", text), 0, len(text)))
    return len(found) == 1 and found[0].kind is Kind.NAME and found[0].end == len(text)


def base(name: str) -> str:
    """A name without its primes and numbers."""
    return name.rstrip("'₀₁₂₃₄₅₆₇₈₉") or name
