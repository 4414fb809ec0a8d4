"""Notation for steps: ``w0[i, j] -= 0.1 · t9[i] · x[j]`` for all i and j; the indices summed over are written below Σ.

An array is named after the contents of its buffer: a location by its name, constants ``c1``, … and others ``t1``, ``t2``, ….
Indices are written unless the view is the whole buffer in order: ``x[i, j]`` if row-major, else the position, ``x[2 i + j]``.
"""

import re
from collections.abc import Collection, Iterator, Sequence
from dataclasses import dataclass
from itertools import count
from math import prod
from typing import TypeAlias

from rh_kernel.arrays.planning.dependence import writes
from rh_kernel.arrays.program import Extent
from rh_kernel.loops.ir import Buffer, Content, Input, Kept, Row, Scratch, Step, View, Views
from rh_kernel.loops.layouts import is_dense

LETTERS, BELOW = "ijklmnprsuv", "ᵢⱼₖₗₘₙₚᵣₛᵤᵥ"
"""The letters for indices, and their subscripts for Σ."""

SUM, PRODUCT, SIGN, CALL, NAME = range(5)
"""Binding strengths of formulas."""


@dataclass(frozen=True, slots=True)
class Text:
    """A formula as text, with its binding strength ``hold``."""

    text: str
    hold: int

    def within(self, hold: int) -> str:
        """The text, parenthesised if it binds less tightly than ``hold``."""
        return self.text if self.hold >= hold else f"({self.text})"


def number(value: float) -> Text:
    """Format a literal."""
    shown = f"{value:.6g}"
    return Text(shown, SIGN if shown.startswith("-") else CALL)


Indices: TypeAlias = Sequence[str]


def letters(axes: int) -> list[str]:
    """Return that many index letters."""
    return [LETTERS[i % len(LETTERS)] + "'" * (i // len(LETTERS)) for i in range(axes)]


def below(indices: Indices) -> str:
    """Format the indices as subscripts of Σ."""
    return "".join([BELOW[LETTERS.index(i[0])] + i[1:] for i in indices])


class Notation:
    """Names of buffers. A buffer keeps its name in all passes, because new buffers are numbered after the old ones.

    ``letter`` is the prefix of names for values that are not stored.
    """

    def __init__(self, buffers: Sequence[Buffer], steps: Sequence[Step]) -> None:
        self.buffers = buffers
        self.written = {view.buffer for step in steps for view in writes(step)}
        self._taken: set[str] = set()
        self._name = [self._given(buffer) for buffer in buffers]
        c, t, r, self.letter = [free_prefix(letter, self._taken) for letter in "ctrv"]
        constants, others, rows = count(1), count(1), count(1)
        for i, buffer in enumerate(buffers):
            match buffer:
                case Kept() if not self._is_literal(i):
                    self._name[i] = f"{c}{next(constants)}"
                case Scratch():
                    self._name[i] = f"{t}{next(others)}"
                case Row():
                    self._name[i] = f"{r}{next(rows)}"
                case Input() | Content() | Kept():
                    pass

    def name(self, buffer: int) -> str:
        """Return the name of a buffer."""
        return self._name[buffer]

    def constants(self, used: Collection[int]) -> Iterator[tuple[str, Kept]]:
        """Yield the constants among the used buffers with their names, except those written as literals."""
        for i, buffer in enumerate(self.buffers):
            if i in used and isinstance(buffer, Kept) and not self._is_literal(i):
                yield self._name[i], buffer

    def plain(self, view: View) -> bool:
        """Whether the view needs no indices: it is its whole buffer in order, or a single entry."""
        size = self.buffers[view.buffer].size
        whole = view.offset == 0 and is_dense(view) and prod(view.shape) == size
        return whole or not _axes(view, view.shape)

    def view(self, view: View, indices: Indices) -> Text:
        """Format the view at these indices, one for each axis; if there are none, by its name alone."""
        buffer, name = self.buffers[view.buffer], self._name[view.buffer]
        axes = _axes(view, indices) if indices else _axes(view, view.shape)
        if not axes:
            if self._is_literal(view.buffer) and isinstance(buffer, Kept):
                return number(float(buffer.array.flat[0]))
            return Text(name if buffer.size == 1 else f"{name}[{view.offset}]", CALL)
        return Text(f"{name}[{_place(view, axes, buffer.size)}]" if indices else name, CALL)

    def result(self, views: Views) -> str:
        """Format a result as a tuple of views."""
        if isinstance(views, tuple):
            return f"⟨{', '.join(map(self.result, views))}⟩"
        return self.whole(views)

    def whole(self, view: View) -> str:
        """Format the view as an array."""
        size = self.buffers[view.buffer].size
        if view.offset == 0 and is_dense(view) and prod(view.shape) == size:
            return self.view(view, ()).text
        return self.view(view, letters(len(view.shape))).text

    def _given(self, buffer: Buffer) -> str:
        match buffer:
            case Input(position, _, given):
                name = given or f"x{position + 1}"
            case Content(location):
                name = location.name
            case Kept() | Scratch() | Row():
                return ""
        while name in self._taken:
            name += "'"
        self._taken.add(name)
        return name

    def _is_literal(self, buffer: int) -> bool:
        return self.buffers[buffer].size == 1 and isinstance(self.buffers[buffer], Kept) and buffer not in self.written


def free_prefix(letter: str, taken: Collection[str]) -> str:
    """Extend the letter by underscores until no taken name is that prefix followed by a number."""
    while any(re.fullmatch(letter + r"\d+", name) for name in taken):
        letter += "_"
    return letter


def extent(shape: Extent, indices: Indices) -> str:
    """``i < 32, j < 16``"""
    return ", ".join([f"{i} < {n}" for i, n in zip(indices, shape, strict=True) if n != 1])


def _axes(view: View, indices: Sequence[str] | Extent) -> list[tuple[int, int, str]]:
    """Stride, extent and index of the axes that are not repeated, outermost first."""
    found = [(s, n, str(i)) for s, n, i in zip(view.strides, view.shape, indices, strict=True) if s and n != 1]
    return sorted(found, key=lambda axis: -abs(axis[0]))


def _place(view: View, axes: Sequence[tuple[int, int, str]], size: int) -> str:
    """The indices of a row-major array; otherwise the position of the entry."""
    stride = 1
    for s, n, _ in reversed(axes):
        if s != stride:
            break
        stride *= n
    else:
        if view.offset == 0 and stride == size:
            return ", ".join([i for _, _, i in axes])
    terms = [i if s == 1 else f"{s} {i}" for s, _, i in axes]
    terms += [str(view.offset)] if view.offset else []
    return " + ".join(terms).replace("+ -", "- ")
