"""``.csv``: text in UTF-8 whose first line names the columns; ``x0 x1 … t`` form the arrays ``x`` and ``t``.

The file is read twice: first to count its lines, and so find the size of the table, and then for its numbers, block by block.
A cell is a decimal number, in quotes or not, and does not continue on the next line. Blank lines are skipped.
"""

import csv
import io
import math
import re
from collections import Counter
from collections.abc import Generator, Iterator, Sequence
from pathlib import Path
from typing import IO, TypeAlias

import numpy as np

from rh_kernel.source.diagnostic import Rejected
from rh_kernel.source.trampoline import exhaust
from rh_kernel.syntax.core import Array
from rh_kernel.training.errors import BadColumns, NoSamples, NotANumber, NotFinite, RaggedRow
from rh_kernel.training.reading.format import Format
from rh_kernel.training.reading.reader import Blocks, Damaged, Header, error_text, first_names, shortened
from rh_kernel.training.reading.sequential import SequentialReader

COUNTED = 1 << 22
"""Bytes per block when lines are counted."""

READ = 1 << 16
"""Bytes per block when lines are parsed."""

CELLS = 1 << 15
"""Cells per block of a very long line."""

LONGEST_LINE = 1 << 25
"""The most bytes of a line."""

_NUMBER = re.compile(r"[+-]?(?:[0-9]+\.?[0-9]*|\.[0-9]+)(?:[eE][+-]?[0-9]+)?|[+-]?(?:nan|inf|infinity)", re.IGNORECASE)
_END = re.compile(rb"\r\n|\r|\n")
_BLANK = re.compile(rb'^(?:[ \t\v\f]*|"[ \t\v\f]*"[ \t\v\f]*)$', re.MULTILINE)
"""A line without entries, possibly with an empty one in quotes."""

_MAY_BE_BLANK = re.compile(rb'\n[\n \t\v\f"]')
"""The start of what may be a blank line, which takes less time to look for."""

_MARK = "\ufeff".encode()

_Places: TypeAlias = "slice | list[int]"


def open_csv(file: Path) -> Blocks["Table"]:
    """Count the lines of a table and return its reader.

    The separator is the first of comma, semicolon and tab that occurs in the first line. Raises ``Damaged`` if the file is not
    text, and ``Rejected`` if its columns do not form arrays.
    """
    with file.open("rb") as stream:
        blocks = _blocks(stream, COUNTED)
        _, first = next(blocks, (1, b""))
        end = _END.search(first)
        line = _text(first[: end.start() if end else None].removeprefix(_MARK), 1)
        names, separator = _header(line, file.name)
        lines = _count(first) - 1 - _count_blank(first)
        for _, block in blocks:
            lines += _count(block) - _count_blank(block)
            yield
    if not lines:
        raise Rejected(_no_rows())
    return Table(file, names, separator, lines)


class Table(SequentialReader):
    """A ``.csv`` file with ``lines`` lines of numbers."""

    def __init__(self, file: Path, columns: list[str], separator: str, lines: int) -> None:
        super().__init__()
        self._file = file
        self._columns = columns
        self._separator = separator
        self._lines = lines
        self._columns_of = array_columns(columns)
        self.names: Sequence[str] = tuple(self._columns_of)

    def header(self, name: str) -> Header:
        """Return the shape, and float64."""
        return Header((self._lines, len(self._columns_of[name])), np.dtype(np.float64))

    def first_row(self, name: str, row: int) -> int:
        """Return 0: lines can be found by reading from the start only."""
        return 0

    def blocks(self, name: str, row: int) -> Generator[Array, None, None]:
        """Yield the rows in blocks. Raises ``Damaged``, and ``Rejected`` for a row that is not finite numbers."""
        places, size = _slice(self._columns_of[name]), 0
        with self._file.open("rb") as stream:
            for number, block in _blocks(stream, READ):
                rows = exhaust(self._rows(block, number))
                size = self._grown(size, len(rows))
                if len(rows):
                    yield rows[:, places]

    def read(self, names: Sequence[str]) -> Blocks[dict[str, Array]]:
        """Return the arrays of these names, which are read together. Raises as ``blocks`` does."""
        arrays = {name: np.empty(self.header(name).shape) for name in names}
        places = {name: _slice(self._columns_of[name]) for name in names}
        size = 0
        with self._file.open("rb") as stream:
            for number, block in _blocks(stream, READ):
                rows = yield from self._rows(block, number)
                end = self._grown(size, len(rows))
                for name, array in arrays.items():
                    array[size:end] = rows[:, places[name]]
                size = end
                yield
        if not size:
            raise Rejected(_no_rows())
        return {name: array[:size] for name, array in arrays.items()}

    def _grown(self, size: int, more: int) -> int:
        """Return the sum. Raises ``Damaged`` if there were fewer lines when the file was opened."""
        if size + more > self._lines:
            raise Damaged("it has grown while it was read")
        return size + more

    def _rows(self, block: bytes, number: int) -> Blocks[Array]:
        """Parse whole lines, of which the first is line ``number`` of the file.

        A block that NumPy's parser rejects is parsed again by a slower one that finds the place of the error.
        """
        lines = io.StringIO(_text(block, number), newline="").readlines()
        if number == 1:
            del lines[0]
            number = 2
        rows = (yield from self._wide(lines)) if len(block) > 2 * READ else _fast(lines, self._separator)
        if rows is not None and rows.shape[1] == len(self._columns) and np.isfinite(rows).all():
            return rows
        return np.array(list(self._slow(lines, number)), np.float64).reshape(-1, len(self._columns))

    def _wide(self, lines: list[str]) -> Blocks[Array | None]:
        """Parse very long lines like ``_fast``, some cells at a time."""
        rows: list[Array] = []
        for line in lines:
            cells = line.split(self._separator)
            if len(cells) != len(self._columns):
                return None
            row = np.empty(len(cells))
            for start in range(0, len(cells), CELLS):
                part = _fast(cells[start : start + CELLS], self._separator)
                if part is None or part.size != len(row[start : start + CELLS]):
                    return None
                row[start : start + CELLS] = part[:, 0]
                yield
            rows.append(row)
        return np.array(rows).reshape(-1, len(self._columns))

    def _slow(self, lines: list[str], number: int) -> Iterator[list[float]]:
        for line, text in enumerate(lines, start=number):
            if text.count('"') % 2:
                raise Damaged(f"a quote that begins on line {line} does not end there")
            row = _cells(text, self._separator, line)
            if len(row) < 2 and not any(cell.strip() for cell in row):
                continue
            if len(row) != len(self._columns):
                found, expected = f"{len(row)} entries", str(len(self._columns))
                hint = "every line needs one entry for each column; put an entry that contains a separator in quotes"
                raise Rejected(RaggedRow(line=line, found=found, expected=expected, hint=hint))
            yield [_cell(cell, line, name) for cell, name in zip(row, self._columns, strict=True)]


def _blocks(stream: IO[bytes], size: int) -> Iterator[tuple[int, bytes]]:
    """Yield blocks of whole lines of about so many bytes, each with the number of its first line.

    Raises ``Damaged`` for a zero byte or a line longer than ``LONGEST_LINE``.
    """
    number, parts, waiting = 1, list[bytes](), 0
    while chunk := stream.read(size):
        # Do not split a CRLF.
        while chunk.endswith(b"\r") and (more := stream.read(1)):
            chunk += more
        if (zero := chunk.find(b"\0")) >= 0:
            line = number + _count(b"".join([*parts, chunk[:zero]]) + b"0") - 1
            raise Damaged(f"line {line} contains a zero byte, so this is not a text file")
        cut = max(chunk.rfind(b"\n"), chunk.rfind(b"\r")) + 1
        if cut:
            block = b"".join([*parts, chunk[:cut]])
            parts, waiting = [chunk[cut:]], len(chunk) - cut
            yield number, block
            number += _count(block)
        else:
            parts.append(chunk)
            waiting += len(chunk)
        if waiting > LONGEST_LINE:
            raise Damaged(f"line {number} is longer than {LONGEST_LINE:,} bytes")
    if last := b"".join(parts):
        yield number, last


def _count(block: bytes) -> int:
    """Count lines; the last one may lack its line end."""
    ends = block.count(b"\n")
    if b"\r" in block:
        ends += block.count(b"\r") - block.count(b"\r\n")
    return ends + (0 if block.endswith((b"\n", b"\r")) or not block else 1)


def _count_blank(block: bytes) -> int:
    """Count blank lines; the last one may lack its line end."""
    if b"\r" in block:
        block = block.replace(b"\r\n", b"\n").replace(b"\r", b"\n")
    block = b"\n" + block.removesuffix(b"\n")
    if len(block) > 1 and not _MAY_BE_BLANK.search(block):
        return 0
    return sum([1 for _ in _BLANK.finditer(block, 1)])


def _text(block: bytes, number: int) -> str:
    try:
        return block.decode("utf-8")
    except UnicodeDecodeError as failure:
        line = number + _count(block[: failure.start] + b"0") - 1
        raise Damaged(f"line {line} contains the byte 0x{block[failure.start]:02x}, which is not UTF-8") from None


def _cells(text: str, separator: str, line: int) -> list[str]:
    try:
        return next(csv.reader([text], delimiter=separator), [])
    except csv.Error as failure:  # a cell of more than 131,072 characters
        raise Damaged(f"line {line}: {error_text(failure)}") from None


def _header(line: str, file: str) -> tuple[list[str], str]:
    """Parse the first line: the names of the columns, and the separator."""
    separator = next((s for s in ",;\t" if s in line), ",")
    names = [name.strip() for name in _cells(line, separator, 1)]
    hint = "the first line names the columns, for instance x0,x1,t"
    if not any(names):
        found, expected = "an empty first line", "the names of the columns"
        raise Rejected(NoSamples(what=f'"{file}"', found=found, expected=expected, hint=hint))
    if all(_number(name) is not None for name in names):
        raise Rejected(BadColumns(why="the first line of the file contains numbers", expected="names of columns", hint=hint))
    if "" in names:
        why = f"column {names.index('') + 1} of the file has no name"
        raise Rejected(BadColumns(why=why, hint=hint))
    again = [name for name, count in Counter(names).items() if count > 1]
    if again:
        raise Rejected(BadColumns(why=f"two columns of the file are called `{shortened(again[0])}`", hint=hint))
    return names, separator


def array_columns(columns: list[str]) -> dict[str, list[int]]:
    """Return the indices of the columns of each array, ordered by number; a column without a number is an array of its own.

    Raises ``Rejected`` if the numbers of the columns of an array are not 0, 1, 2, …
    """
    places: dict[str, list[int]] = {}
    numbered: dict[str, list[tuple[int, int]]] = {}
    for place, name in enumerate(columns):
        stem = name.rstrip("0123456789")
        number = name[len(stem) :]
        if not stem or not number:
            places[name] = [place]
        else:
            places.setdefault(stem, [])
            # Too large a number is invalid, whatever its value.
            numbered.setdefault(stem, []).append((int(number) if len(number) < 20 else len(columns), place))
    alone = set(columns)
    for stem, pairs in numbered.items():
        pairs.sort()
        if stem in alone:
            why = f"`{shortened(stem)}` is both a column and the name of numbered columns"
            found = first_names([stem, *[columns[place] for _, place in pairs]])
            hint = f"rename the column to `{shortened(stem)}0`, or to something else"
            raise Rejected(BadColumns(why=why, found=found, hint=hint))
        if [number for number, _ in pairs] != list(range(len(pairs))):
            why = f"the columns of `{shortened(stem)}` are not numbered consecutively from 0"
            expected = f"{stem}0" if len(pairs) == 1 else f"{stem}0 to {stem}{len(pairs) - 1}"
            found, written = first_names([columns[place] for _, place in pairs]), shortened(stem)
            hint = f"The columns `{written}0`, `{written}1`, … form the array `{written}`, so none can be missing."
            raise Rejected(BadColumns(why=why, found=found, expected=expected, hint=hint))
        places[stem] = [place for _, place in pairs]
    return places


def _no_rows() -> NoSamples:
    found, hint = "only a first line", "after the line of column names, write one line for each sample"
    return NoSamples(what="the file", found=found, expected="a line for each sample", hint=hint)


def _slice(places: list[int]) -> _Places:
    """Return adjacent columns as a slice, which needs no copy."""
    start, stop = places[0], places[0] + len(places)
    return slice(start, stop) if places == list(range(start, stop)) else places


def _fast(lines: list[str], separator: str) -> Array | None:
    """Parse lines by NumPy, including infinite numbers; return ``None`` if it fails, or takes several lines for one."""
    lines = [line for line in lines if not line.isspace()]
    if not lines:
        return None
    try:
        rows = np.loadtxt(lines, delimiter=separator, comments=None, ndmin=2, quotechar='"')
    except ValueError:
        return None
    return rows if len(rows) == len(lines) and lines[-1].count('"') % 2 == 0 else None


def _cell(cell: str, line: int, column: str) -> float:
    value = _number(cell)
    if value is None:
        found = f"`{shortened(cell)}`" if cell.strip() else "nothing"
        problem = NotANumber(line=line, column=shortened(column), found=found, expected="a number", hint=_hint(cell))
        raise Rejected(problem)
    if not math.isfinite(value):
        place = f"line {line} of the file, in the column `{shortened(column)}`,"
        hint = "remove or repair the samples with missing numbers; they would spread to every weight"
        raise Rejected(NotFinite(place=place, found=str(value), expected="a finite number", hint=hint))
    return value


def _hint(cell: str) -> str:
    if any(character.isdigit() for character in cell):
        return "numbers have only digits and a decimal point, for example 1000, 0.5 or 1e-3"
    return "one-hot encode a class, for example in columns t0, t1, …" if cell else ""


def _number(cell: str) -> float | None:
    """Parse a number in ASCII digits without underscores, ``nan`` or ``inf``; return ``None`` if it is none."""
    cell = cell.strip()
    return float(cell) if _NUMBER.fullmatch(cell) else None


CSV = Format("csv", (".csv",), "a table in UTF-8 with commas", open_csv)

FORMATS = (CSV,)
