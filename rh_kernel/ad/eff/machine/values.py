"""Values while the machine runs: what a tuple of Python begins with says what it is.

``V ::= r | n | "…" | (V, …, V) | (K, V, …, V) | (code, ρ) | [V, …]``: numbers and texts, tuples, constructed values, thunks,
and cells (arrays have several entries, references one). A tensor is an array of NumPy. Nothing but a cell is ever written to,
and tuples are what CPython makes and frees fastest, however deep they are.
"""

from collections.abc import Iterable
from typing import Any, TypeAlias

from rh_kernel.ad.eff.definitions import shown
from rh_kernel.ad.eff.frontend.texts import quoted

Value: TypeAlias = Any
"""One of the forms above. Programs are checked before they are run, so the machine does not look again."""


class Tag(str):
    """A constructor, at the head of a constructed value."""

    __slots__ = ()


class Cell(list[Value]):
    """A cell that is counted while it is alive; others are plain lists."""

    __slots__ = ("census",)

    census: "Census"

    def __del__(self) -> None:
        self.census.alive -= 1


class Census:
    """How many cells have been made, how many are alive, and the most that were at once."""

    __slots__ = ("alive", "made", "most")

    def __init__(self) -> None:
        self.made = self.alive = self.most = 0

    def cell(self, entries: Iterable[Value]) -> list[Value]:
        """A cell that is counted."""
        made = Cell(entries)
        made.census = self
        self.made += 1
        self.alive += 1
        if self.alive > self.most:
            self.most = self.alive
        return made


UNIT: Value = ()
TRUE: Value = (Tag("True"),)
FALSE: Value = (Tag("False"),)
NIL: Value = (Tag("Nil"),)
CONS = Tag("Cons")


def is_tuple(value: Value) -> bool:
    """Whether a value is a tuple, constructed, or a thunk."""
    return type(value) is tuple


def is_constructor(value: Value) -> bool:
    """Whether a value is a constructor that has no fields."""
    return is_tuple(value) and len(value) == 1 and isinstance(value[0], Tag)


def is_cell(value: Value) -> bool:
    """Whether a value is a reference or an array."""
    return isinstance(value, list)


def listed(value: Value) -> list[Value]:
    """The elements of a list."""
    found: list[Value] = []
    while len(value) == 3:
        _, head, value = value
        found.append(head)
    return found


def list_value(elements: Iterable[Value]) -> Value:
    """The list of these elements."""
    made = NIL
    for element in reversed(list(elements)):
        made = (CONS, element, made)
    return made


def text(value: Value) -> str:
    """The value as ``show`` gives it: as it would be written, and ``{…}`` for a thunk, ``⟨…⟩`` for a cell."""
    parts: list[str] = []
    pending: list[tuple[Value, bool]] = [(value, False)]
    while pending:
        one, inner = pending.pop()
        written = _atom(one)
        if written is not None:
            parts.append(written)
            continue
        if isinstance(one[0], str) and one[0] == CONS and isinstance(one[0], Tag):
            opening, separator, closing, inside, inner = "[", ", ", "]", listed(one), False
        elif isinstance(one[0], Tag):
            opening, separator, closing = ("(", " ", ")") if inner else ("", " ", "")
            opening, inside, inner = f"{opening}{shown(one[0])} ", one[1:], True
        else:
            opening, separator, closing, inside, inner = "(", ", ", ")", one, False
        pending.append((_Bare(closing), False))
        for n, component in enumerate(reversed(inside)):
            if n:
                pending.append((_Bare(separator), False))
            pending.append((component, inner))
        pending.append((_Bare(opening), False))
    return "".join(parts)


class _Bare(str):
    """A piece of text that stands as it is."""

    __slots__ = ()


def _atom(value: Value) -> str | None:
    """How a value is written that has no components, or whose components are not shown."""
    match value:
        case _Bare():
            return value
        case str():
            return quoted(value)
        case list():
            return "⟨…⟩"
        case _:
            return _closed(value) if is_tuple(value) else f"{value}"


def _closed(value: Value) -> str | None:
    if not value:
        return "()"
    head = value[0]
    if isinstance(head, Tag):
        return ("[]" if head == "Nil" else shown(head)) if len(value) == 1 else None
    return None if not isinstance(head, Head) else "{…}"


class Head:
    """What a thunk begins with: its code."""

    __slots__ = ()
