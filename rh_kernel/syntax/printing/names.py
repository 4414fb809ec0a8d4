"""Names of bound variables: the hint from the source, primed only where two variables would be confused.

A hint is changed only if a visible variable of that name occurs under the binder. Every node knows its free indices, and of
several visible variables with one name only the innermost can be used, so a single lookup decides.
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

    ``outside`` is the name of all variables bound further out. ``bases`` are the names without primes and numbers that
    the names chosen here are made of. ``counted`` lists, in order, the bases of names with a number that depends on how many
    names share the base.
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
        """The name of the bound variable ``index``, or ``?i`` for the i-th unnamed variable outside."""
        level = len(self._visible) - 1 - index
        name = self._visible[level] if level >= 0 else self.outside
        return name if name is not None else f"?{index - len(self._visible)}"

    def of(self, loose: int) -> tuple[str, ...]:
        """The names of the bound variables in the bitset ``loose``."""
        found: list[str] = []
        while loose:
            lowest = loose & -loose
            found.append(self[lowest.bit_length() - 1])
            loose ^= lowest
        return tuple(found)

    def alike(self, stem: str) -> int:
        """The number of visible variables whose names have the base ``stem``."""
        return self._alike.get(stem, 0)

    def fresh(self, hint: str, loose: int, taken: set[str]) -> str:
        """Choose a name for a binder from its ``hint``, not in ``taken``, and add it to ``taken``.

        It differs from the names of the variables in ``loose``, the free indices of the binder's scope, seen from outside.
        """
        name = next(n for n in self._candidates(hint) if n not in taken and not self._is_used(n, loose))
        taken.add(name)
        return name

    def push(self, name: str | None) -> None:
        """Enter a binder."""
        if name is not None:
            self._levels.setdefault(name, []).append(len(self._visible))
            stem = base(name)
            self._alike[stem] = self.alike(stem) + 1
        self._visible.append(name)

    def pop(self, number: int) -> None:
        """Leave the last ``number`` binders."""
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
        # A number equal to the count of similar names is rarely taken, so the search is short even with many of them.
        for number in count(max(3, self.alike(short))):
            yield short + str(number).translate(_SUBSCRIPTS)


@lru_cache(maxsize=4096)
def is_name(text: str) -> bool:
    """Whether ``text`` is a valid variable name."""
    found = tokens(Span(Source("", text), 0, len(text)))
    return len(found) == 1 and found[0].kind is Kind.NAME and found[0].end == len(text)


def base(name: str) -> str:
    """Strip the primes and the number from a name."""
    return name.rstrip("'₀₁₂₃₄₅₆₇₈₉") or name
