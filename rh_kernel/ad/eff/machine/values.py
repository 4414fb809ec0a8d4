"""Values of the machine, as tuples of Python whose first component says of which form they are.

``V ::= r | n | "…" | (V, …, V) | (K, V, …, V) | (code, ρ) | [V, …]``: numbers and texts, tuples, constructed values, thunks,
and cells (an array has several entries, a reference one). A tensor holds a NumPy array. All but cells are immutable. CPython
allocates and frees tuples fastest, at any depth of nesting.
"""

from collections.abc import Iterable
from typing import Any, TypeAlias

from rh_kernel.ad.eff.definitions import shown
from rh_kernel.ad.eff.frontend.texts import quoted

Value: TypeAlias = Any
"""One of the forms above. Programs are type checked before they run, so the machine does not check values."""


class Tag(str):
    """The constructor of a constructed value."""

    __slots__ = ()


class Cell(list[Value]):
    """A cell that is counted as long as it is alive; other cells are plain lists."""

    __slots__ = ("counter",)

    counter: "LiveCounter"

    def __del__(self) -> None:
        self.counter.alive -= 1


class LiveCounter:
    """Counts objects: how many were made, how many are alive, and the most that were alive at once."""

    __slots__ = ("alive", "made", "peak")

    def __init__(self) -> None:
        self.made = self.alive = self.peak = 0

    def cell(self, entries: Iterable[Value]) -> list[Value]:
        """A cell that is counted."""
        made = Cell(entries)
        made.counter = self
        self.made += 1
        self.alive += 1
        if self.alive > self.peak:
            self.peak = self.alive
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
    """The elements of a list value."""
    found: list[Value] = []
    while len(value) == 3:
        _, head, value = value
        found.append(head)
    return found


def list_value(elements: Iterable[Value]) -> Value:
    """The list value of these elements."""
    made = NIL
    for element in reversed(list(elements)):
        made = (CONS, element, made)
    return made


def text(value: Value) -> str:
    """The text of a value for ``show``: its syntax, with ``{…}`` for a thunk and ``⟨…⟩`` for a cell."""
    parts: list[str] = []
    pending: list[tuple[Value, bool]] = [(value, False)]
    while pending:
        one, inner = pending.pop()
        written = _atom(one)
        if written is not None:
            parts.append(written)
            continue
        if isinstance(one[0], Tag) and one[0] == CONS:
            opening, separator, closing, inside, inner = "[", ", ", "]", listed(one), False
        elif isinstance(one[0], Tag):
            opening, separator, closing = ("(", " ", ")") if inner else ("", " ", "")
            opening, inside, inner = f"{opening}{shown(one[0])} ", one[1:], True
        else:
            opening, separator, closing, inside, inner = "(", ", ", ")", one, False
        pending.append((_Raw(closing), False))
        for n, component in enumerate(reversed(inside)):
            if n:
                pending.append((_Raw(separator), False))
            pending.append((component, inner))
        pending.append((_Raw(opening), False))
    return "".join(parts)


class _Raw(str):
    """A piece of the output."""

    __slots__ = ()


def _atom(value: Value) -> str | None:
    """The text of a value without components, or whose components are not shown; ``None`` for other values."""
    match value:
        case _Raw():
            return value
        case str():
            return quoted(value)
        case list():
            return "⟨…⟩"
        case _:
            return _tuple_atom(value) if is_tuple(value) else f"{value}"


def _tuple_atom(value: Value) -> str | None:
    if not value:
        return "()"
    head = value[0]
    if isinstance(head, Tag):
        return ("[]" if head == "Nil" else shown(head)) if len(value) == 1 else None
    return None if not isinstance(head, Head) else "{…}"


class Head:
    """The code of a thunk, its first component."""

    __slots__ = ()
