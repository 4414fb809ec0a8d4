"""What the text of a step says, done entry by entry: the formulas of ``arrays.planning.listing``, read as Python reads them."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator, Mapping
from functools import cache
from math import inf, nan, prod
from typing import Any

import numpy as np

from rh_kernel.arrays.planning.notation import BELOW, LETTERS
from rh_kernel.loops import scalars
from rh_kernel.syntax.core import Array
from tests.arrays.plans import ONE, TWO

FUNCTIONS = {
    "σ": ONE[scalars.SIGMOID],
    "round": ONE[scalars.RINT],
    **{f.name.lower(): g for f, g in (*ONE.items(), *TWO.items()) if f not in {scalars.MAX, scalars.MIN}},
    "max": TWO[scalars.MAX],
    "min": TWO[scalars.MIN],
}
INFIX = {"Add": scalars.ADD, "Sub": scalars.SUB, "Mult": scalars.MUL, "Div": scalars.DIV}
FOLDED = re.compile(rf"(?:(?P<scale>\S+) · )?(?P<fold>Σ|max|argmax)(?P<over>[{BELOW}]+) (?P<body>.*)")
ASSIGNED = re.compile(r"(?P<left>.+?) (?P<sign>=|\+=|-=) (?P<right>.*)")


class Reader:
    """Arrays by their names, as each buffer is: one entry after the other."""

    def __init__(self, arrays: Mapping[str, Array]) -> None:
        self.arrays = arrays

    def loop(self, text: str, shape: tuple[int, ...]) -> None:
        """A ``Map``: all its statements at each entry."""
        for n, index in enumerate(np.ndindex(shape)):
            known: dict[str, Any] = {}
            at = At(self.arrays, known, shape, index, n)
            for statement in text.split("; "):
                left, sign, value = at.assigned(statement)
                if left in known or (left not in self.arrays and "[" not in left):
                    known[left] = value
                else:
                    at.store(left, value, add=sign == "+=")

    def product(self, text: str, extents: tuple[int, ...]) -> None:
        """A ``Contract``."""
        *first, statement = text.split("; ")
        left, sign, right = parts(statement)
        assert first in ([], [f"{left} = 0"])
        folded = FOLDED.fullmatch(right)
        body, scale = right, 1.0
        if folded is not None:
            assert folded["fold"] == "Σ"
            body, scale = folded["body"], float(folded["scale"] or 1)
        for at in self._each(extents):
            if sign == "=" or first:
                at.store(left, 0.0, add=False)
        for at in self._each(extents):
            at.store(left, (-scale if sign == "-=" else scale) * at.value(body), add=True)

    def fold(self, text: str, shape: tuple[int, ...]) -> None:
        """A ``Reduce``."""
        left, _, right = parts(text)
        folded = FOLDED.fullmatch(right)
        assert folded is not None
        addends: dict[int, list[Any]] = {}
        places: dict[int, At] = {}
        for at in self._each(shape):
            place = at.place(left)[1]
            addends.setdefault(place, []).append(at.value(folded["body"]))
            places[place] = at
        result = {"Σ": np.sum, "max": np.max, "argmax": np.argmax}[folded["fold"]]
        for place, values in addends.items():
            places[place].store(left, float(folded["scale"] or 1) * result(values), add=False)

    def _each(self, shape: tuple[int, ...]) -> Iterator[At]:
        for n, index in enumerate(np.ndindex(shape)):
            yield At(self.arrays, {}, shape, index, n)


def parts(statement: str) -> tuple[str, str, str]:
    """Left, sign and right of an assignment."""
    found = ASSIGNED.fullmatch(statement)
    assert found is not None
    return found["left"], found["sign"], found["right"]


class At:
    """An index into a loop: there each formula has a value. ``number`` counts the indices in row-major order."""

    def __init__(
        self, arrays: Mapping[str, Array], known: Mapping[str, Any], shape: tuple[int, ...], index: tuple[int, ...], number: int
    ) -> None:
        self.arrays = arrays
        self.known = known
        self.extents = dict(zip(LETTERS, shape, strict=False))
        self.letters = dict(zip(LETTERS, index, strict=False))
        self.number = number

    def assigned(self, statement: str) -> tuple[str, str, Any]:
        left, sign, right = parts(statement)
        return left, sign, self.value(right)

    def store(self, left: str, value: Any, *, add: bool) -> None:
        name, place = self.place(left)
        self.arrays[name][place] = value + (self.arrays[name][place] if add else 0)

    def place(self, left: str) -> tuple[str, int]:
        """The array and the entry that are written there."""
        return self._place(tree(left))

    def value(self, text: str) -> Any:
        return self._value(tree(text))

    def _place(self, e: ast.expr) -> tuple[str, int]:
        match e:
            case ast.Name(name):
                return name, self.number if self.arrays[name].size > 1 else 0
            case ast.Subscript(ast.Name(name), ast.Tuple(letters)):
                place = 0
                for letter in letters:
                    assert isinstance(letter, ast.Name)
                    place = place * self.extents[letter.id] + self.letters[letter.id]
                assert prod(self.extents[x.id] for x in letters if isinstance(x, ast.Name)) == self.arrays[name].size
                return name, place
            case ast.Subscript(ast.Name(name), index):
                return name, self._number(index)
            case _:
                raise AssertionError(ast.dump(e))

    def _number(self, e: ast.expr) -> int:
        match e:
            case ast.Constant(int(n)):
                return n
            case ast.Name(letter):
                return self.letters[letter]
            case ast.UnaryOp(ast.USub(), x):
                return -self._number(x)
            case ast.BinOp(x, sign, y):
                m, n = self._number(x), self._number(y)
                return m + n if isinstance(sign, ast.Add) else m - n if isinstance(sign, ast.Sub) else m * n
            case _:
                raise AssertionError(ast.dump(e))

    def _value(self, e: ast.expr) -> Any:
        match e:
            case ast.Constant(x):
                return np.float64(float(str(x)))
            case ast.Name("inf" | "nan" as name):
                return np.float64(inf if name == "inf" else nan)
            case ast.Name(name) if name in self.known:
                return self.known[name]
            case ast.Name() | ast.Subscript():
                name, place = self._place(e)
                return self.arrays[name][place]
            case ast.UnaryOp(ast.USub(), x):
                return -self._value(x)
            case ast.BinOp(x, sign, y):
                return TWO[INFIX[type(sign).__name__]](self._value(x), self._value(y))
            case ast.Call(ast.Name(f), arguments):
                return FUNCTIONS[f](*map(self._value, arguments))
            case ast.List([ast.Compare(x, [ast.Gt()], [_])]):
                return np.float64(ONE[scalars.STEP](self._value(x)))
            case ast.List([ast.Compare(x, [ast.Eq()], [y])]):
                return np.float64(TWO[scalars.EQUAL](self._value(x), self._value(y)))
            case _:
                raise AssertionError(ast.dump(e))


@cache
def tree(text: str) -> ast.expr:
    """The text as an expression of Python."""
    plain = re.sub(rf"(\d) ([{LETTERS}])\b", r"\1 * \2", text.replace("·", "*").replace(" = ", " == "))
    return ast.parse(plain, mode="eval").body
