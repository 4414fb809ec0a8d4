"""Data from a file: ``.npz``, one array a name, and ``.csv``, whose columns ``x0 x1 … t`` form the arrays ``x`` and ``t``."""

import csv
import math
import re
import zipfile
import zlib
from collections.abc import Iterator
from functools import lru_cache
from io import StringIO
from pathlib import Path

import numpy as np

from rh_kernel.source.diagnostic import Rejected
from rh_kernel.syntax.core import Array
from rh_kernel.training.errors import BadColumns, NoSamples, NotANumber, NotFinite, RaggedRow, UnreadableFile
from rh_kernel.training.samples import DataSet, data_set

SUFFIXES = (".npz", ".csv")


def read(file: Path, name: str) -> DataSet:
    """The data in a file that exists, under the name by which it was asked for. Raises ``Rejected`` if it cannot be used."""
    try:
        stat = file.stat()
        return _read(file, name, stat.st_mtime_ns, stat.st_size)
    except (OSError, ValueError, EOFError, csv.Error, zipfile.BadZipFile, zlib.error, MemoryError, RuntimeError) as error:
        csv_file = file.suffix.lower() == ".csv"
        kind = "a table in UTF-8 with commas" if csv_file else "an archive of arrays"
        hint = "" if csv_file else "write it with numpy.savez(file, x=…, t=…), without Python objects"
        found = str(error) if csv_file or isinstance(error, OSError) else "another kind of file, or Python objects"
        raise Rejected(UnreadableFile(name=name, kind=kind, found=found, hint=hint)) from None


@lru_cache(maxsize=4)
def _read(file: Path, name: str, changed: int, size: int) -> DataSet:
    """The file as it was when it was last changed, so that a run does not read it again for each of its measures."""
    del changed, size
    return data_set(name, read_csv(file) if file.suffix.lower() == ".csv" else read_npz(file))


def read_npz(file: Path) -> dict[str, Array]:
    """The arrays of an archive by ``numpy.savez``. Raises ``ValueError`` for Python objects, which are not unpickled."""
    with file.open("rb") as opened:
        archive = np.load(opened, allow_pickle=False)
        if isinstance(archive, np.ndarray):
            raise ValueError("a single array, without a name")
        return {name: archive[name] for name in archive.files}


def read_csv(file: Path) -> dict[str, Array]:
    """The arrays that the columns form. The separator is a comma, or else a semicolon or tab if the first line has one."""
    with file.open(encoding="utf-8-sig", newline="") as text:
        names, separator = _header(text.readline(), file.name)
        columns = _columns(names)
        table = _table(text.read(), names, separator)
    return {name: table[:, places] for name, places in columns.items()}


def _header(line: str, file: str) -> tuple[list[str], str]:
    separator = next((s for s in ",;\t" if s in line), ",")
    names = [name.strip() for name in next(csv.reader([line], delimiter=separator), [])]
    hint = "the first line names the columns, for instance x0,x1,t"
    if not any(names):
        found, expected = "an empty first line", "the names of the columns"
        raise Rejected(NoSamples(what=f'"{file}"', found=found, expected=expected, hint=hint))
    if all(_number(name) is not None for name in names):
        raise Rejected(BadColumns(why="the first line of the file holds numbers", expected="names of columns", hint=hint))
    if "" in names:
        why = f"column {names.index('') + 1} of the file has no name"
        raise Rejected(BadColumns(why=why, hint=hint))
    again = [name for i, name in enumerate(names) if name in names[:i]]
    if again:
        raise Rejected(BadColumns(why=f"two columns of the file are called `{again[0]}`", hint=hint))
    return names, separator


def _columns(names: list[str]) -> dict[str, list[int]]:
    """The columns of each array, in the order of their numbers. A column without a number is an array of its own."""
    numbered: dict[str, list[tuple[int, int]]] = {}
    columns: dict[str, list[int]] = {}
    for place, name in enumerate(names):
        found = re.fullmatch(r"(.*[^0-9])([0-9]+)", name)
        if found is None:
            columns[name] = [place]
        else:
            columns.setdefault(found[1], [])
            numbered.setdefault(found[1], []).append((int(found[2]), place))
    for stem, pairs in numbered.items():
        pairs.sort()
        written = ", ".join(names[place] for _, place in pairs)
        if stem in names:
            why = f"`{stem}` is a column and has numbered columns beside it"
            hint = f"Name the first column `{stem}0`, or call it something else."
            raise Rejected(BadColumns(why=why, found=f"{stem}, {written}", hint=hint))
        if [number for number, _ in pairs] != list(range(len(pairs))):
            why = f"the columns of `{stem}` are not numbered one by one from 0"
            expected = f"{stem}0" if len(pairs) == 1 else f"{stem}0 to {stem}{len(pairs) - 1}"
            hint = f"The columns `{stem}0`, `{stem}1`, … form the array `{stem}`, so none may be missing."
            raise Rejected(BadColumns(why=why, found=written, expected=expected, hint=hint))
        columns[stem] = [place for _, place in pairs]
    return columns


def _table(text: str, names: list[str], separator: str) -> Array:
    """The numbers, one row a sample. What NumPy's reader does not like is read again by a slower one that says where it is."""
    if not text.strip():
        found, hint = "its first line alone", "Below the names of the columns stands a line for each sample."
        raise Rejected(NoSamples(what="the file", found=found, expected="a line for each sample", hint=hint))
    try:
        table = np.loadtxt(StringIO(text, newline=""), delimiter=separator, comments=None, ndmin=2, quotechar='"')
    except ValueError:
        table = None
    if table is not None and table.shape[1] == len(names) and np.isfinite(table).all():
        return table
    return np.array(list(_rows(text, names, separator))).reshape(-1, len(names))


def _rows(text: str, names: list[str], separator: str) -> Iterator[list[float]]:
    reader = csv.reader(StringIO(text, newline=""), delimiter=separator)
    for row in reader:
        line = reader.line_num + 1
        if not any(cell.strip() for cell in row) and len(row) < 2:
            continue
        if len(row) != len(names):
            hint = "Every line has one entry for each column; an entry with a separator in it stands in quotes."
            raise Rejected(RaggedRow(line=line, found=f"{len(row)} entries", expected=str(len(names)), hint=hint))
        yield [_cell(cell, line, name) for cell, name in zip(row, names, strict=True)]


def _cell(cell: str, line: int, column: str) -> float:
    value = _number(cell)
    if value is None:
        found = f"`{cell.strip()}`" if cell.strip() else "nothing"
        hint = "write a class as numbers, for instance columns t0, t1, … with 1 at its place and 0 elsewhere"
        raise Rejected(NotANumber(line=line, column=column, found=found, expected="a number", hint=hint if cell else ""))
    if not math.isfinite(value):
        place = f"line {line} of the file, in the column `{column}`,"
        hint = "leave out or mend the samples with missing numbers; they would spread to every weight"
        raise Rejected(NotFinite(place=place, found=str(value), expected="a finite number", hint=hint))
    return value


def _number(cell: str) -> float | None:
    try:
        return float(cell)
    except ValueError:
        return None
