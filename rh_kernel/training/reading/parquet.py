"""``.parquet``: columns by name; ``x0 x1 … t`` form the arrays ``x`` and ``t``. Requires the library pyarrow.

A column of lists of a fixed size, or of tensors of a fixed shape, is an array of its own.
"""

import tempfile
from bisect import bisect_right
from collections import Counter
from collections.abc import Generator, Iterator
from functools import partial
from itertools import accumulate
from math import prod
from pathlib import Path
from typing import IO, Any

import numpy as np

from rh_kernel.source.diagnostic import Rejected
from rh_kernel.source.interruptible import interruptible
from rh_kernel.syntax.core import Array
from rh_kernel.training.errors import BadColumns, NotFinite
from rh_kernel.training.reading.converted import cache_folder, make_room
from rh_kernel.training.reading.format import Format, opener
from rh_kernel.training.reading.libraries import Untyped, library
from rh_kernel.training.reading.reader import BLOCK, Header, as_damaged, shortened
from rh_kernel.training.reading.rows import as_float64, not_real
from rh_kernel.training.reading.sequential import SequentialReader
from rh_kernel.training.reading.table import array_columns

_BUFFER = 1 << 16
"""Bytes that are read at once from each column."""

_PAGE = 1 << 20
"""Bytes of a page or a dictionary, which writers divide a column into, about."""

_DECODED = 1 << 24
"""Bytes that decoding may take; an array that needs more is decoded column by column."""

_INDEX = "__index_level_"
"""How the columns begin in which pandas keeps the names of rows."""


class Columns(SequentialReader):
    """A ``.parquet`` file."""

    def __init__(self, file: Path) -> None:
        super().__init__()
        self._headers: dict[str, Header] = {}
        self._arrow = library("pyarrow", "pyarrow", file)
        parquet = library("pyarrow", "pyarrow.parquet", file)
        with as_damaged():
            # With `pre_buffer`, a whole row group is in memory.
            options = {"buffer_size": _BUFFER, "pre_buffer": False, "page_checksum_verification": True}
            self._file = parquet.ParquetFile(file, **options)
        try:
            with as_damaged():
                metadata = self._file.metadata
                groups = [metadata.row_group(group).num_rows for group in range(metadata.num_row_groups)]
                self._starts = [0, *accumulate(groups)]
                self._types = self._column_types()
            self._arrays = self._find_arrays()
        except BaseException:
            self.close()
            raise
        self.names = tuple(self._arrays)

    def header(self, name: str) -> Header:
        """Return the shape, and a dtype for all columns. Raises ``Rejected`` if one does not contain real numbers."""
        if name not in self._headers:
            with as_damaged(name):
                shape = self._row(name)
                dtype = np.result_type(*[_dtype(self._types[column]) for column in self._arrays[name]])
                self._headers[name] = Header((self._starts[-1], *shape), dtype).checked(f"`{shortened(name)}`")
        return self._headers[name]

    def first_row(self, name: str, row: int) -> int:
        """Return the first row of the row group."""
        return self._starts[self._group(row)]

    def blocks(self, name: str, row: int) -> Generator[Array, None, None]:
        """Yield the rows in batches. Raises ``Damaged``, and ``Rejected`` for a missing number."""
        group, end = self._group(row), len(self._starts) - 1
        while group < end:
            if self._is_narrow(group, name):
                groups = self._small_groups(group, name)
                yield from self._streamed(groups, name)
                group = groups.stop
            else:
                yield from self._gathered(group, name)
                group += 1

    def _small_groups(self, group: int, name: str) -> range:
        """Return this row group and those behind it that together fit in a block; at least this one."""
        rows = BLOCK // max(1, 8 * prod(self.header(name).shape[1:]))
        stop = bisect_right(self._starts, self._starts[group] + rows) - 1
        return range(group, max(group + 1, stop))

    def _streamed(self, groups: range, name: str) -> Iterator[Array]:
        """Decode all columns of row groups at the same time."""
        columns, shape, row = self._arrays[name], self.header(name).shape[1:], self._starts[groups.start]
        batches = self._batches(groups, columns, prod(shape))
        # The first batch of a row group takes long: the dictionary of each column is decoded before it.
        while (batch := interruptible(partial(next, batches, None))) is not None:
            found = np.empty((batch.num_rows, *shape))
            for number, column in enumerate(columns):
                values = self._values(column, batch.column(column), row)
                if self._is_list(column):
                    found[...] = values.reshape(found.shape)
                else:
                    found[:, number] = values
            row += len(found)
            yield found

    def _gathered(self, group: int, name: str) -> Iterator[Array]:
        """Decode the columns of a row group one after another into a temporary file, and yield the rows from there."""
        columns, rows = self._arrays[name], self._starts[group + 1] - self._starts[group]
        make_room(shortened(name), 8 * len(columns) * rows)
        with tempfile.TemporaryFile(dir=cache_folder()) as file:
            at_once = max(1, _DECODED // max(1, 8 * rows))
            for start in range(0, len(columns), at_once):
                interruptible(partial(self._gather, group, columns[start : start + at_once], file))
            file.flush()
            gathered = np.memmap(file, np.float64, "r", shape=(len(columns), rows))
            step = max(1, BLOCK // (8 * len(columns)))
            for start in range(0, rows, step):
                yield as_float64(gathered[:, start : start + step].T)

    def _gather(self, group: int, columns: list[str], file: IO[bytes]) -> None:
        """Append the numbers of one column after another to the file."""
        for column in columns:
            row = self._starts[group]
            for batch in self._batches(range(group, group + 1), [column], 1):
                file.write(as_float64(self._values(column, batch.column(column), row)).data)
                row += batch.num_rows

    def _batches(self, groups: range, columns: list[str], reals: int) -> Iterator[Untyped]:
        """Decode the columns of row groups, of which a row has so many reals, in record batches of at most ``BLOCK`` bytes."""
        return self._file.iter_batches(max(1, BLOCK // max(1, reals * 8)), list(groups), columns, use_threads=False)

    def _is_narrow(self, group: int, name: str) -> bool:
        """Whether the columns of an array take less than ``_DECODED`` bytes while they are decoded at the same time."""
        if any(self._is_list(column) for column in self._arrays[name]):
            return True
        metadata, wanted, size = self._file.metadata.row_group(group), set(self._arrays[name]), 0
        for number in range(metadata.num_columns):
            column = metadata.column(number)
            if column.path_in_schema in wanted:
                # A page, a dictionary, and the entries that are made of them.
                size += _BUFFER + 3 * min(column.total_uncompressed_size, _PAGE)
        return size < _DECODED

    def close(self) -> None:
        """Close the file."""
        super().close()
        self._file.close()

    def _column_types(self) -> dict[str, Any]:
        """Return the type of each column. Raises ``Rejected`` if two have the same name."""
        names = [field.name for field in self._file.schema_arrow]
        again = [name for name, count in Counter(names).items() if count > 1]
        if again:
            raise Rejected(BadColumns(why=f"two columns of the file are called `{shortened(again[0])}`", hint="rename one"))
        return {field.name: field.type for field in self._file.schema_arrow if not field.name.startswith(_INDEX)}

    def _find_arrays(self) -> dict[str, list[str]]:
        """Return the columns of each array. Raises ``Rejected`` if they do not form arrays."""
        numbers = [column for column in self._types if not self._is_list(column)]
        arrays = {name: [numbers[place] for place in places] for name, places in array_columns(numbers).items()}
        for column in self._types:
            if not self._is_list(column):
                continue
            if column in arrays:
                why = f"`{shortened(column)}` is both a column of lists and the name of numbered columns"
                raise Rejected(BadColumns(why=why, hint="rename the column of lists"))
            arrays[column] = [column]
        return arrays

    def _is_list(self, column: str) -> bool:
        kind = self._types[column]
        return self._arrow.types.is_fixed_size_list(kind) or isinstance(kind, self._arrow.FixedShapeTensorType)

    def _group(self, row: int) -> int:
        """Return the number of the row group."""
        return bisect_right(self._starts, row) - 1

    def _row(self, name: str) -> tuple[int, ...]:
        """Return the shape of a row of an array. Raises ``Rejected`` if a column does not contain real numbers."""
        shapes = [self._shape(column, self._types[column]) for column in self._arrays[name]]
        return shapes[0] or (len(shapes),)

    def _shape(self, column: str, kind: Untyped) -> tuple[int, ...]:
        """Return the shape of an entry of a column. Raises ``Rejected`` unless it has real numbers."""
        types = self._arrow.types
        if isinstance(kind, self._arrow.FixedShapeTensorType):
            return (*kind.shape, *self._shape(column, kind.value_type))
        if types.is_fixed_size_list(kind):
            return (kind.list_size, *self._shape(column, kind.value_type))
        if types.is_dictionary(kind):
            kind = kind.value_type
        if types.is_floating(kind) or types.is_integer(kind) or types.is_boolean(kind):
            return ()
        if types.is_list(kind) or types.is_large_list(kind) or types.is_list_view(kind) or types.is_large_list_view(kind):
            raise not_real(column, "lists of any length", "write lists of a fixed size, pyarrow.list_(pyarrow.float64(), size)")
        if types.is_decimal(kind):
            raise not_real(column, "decimal numbers", "convert the column to float64 before it is written")
        words = types.is_string(kind) or types.is_large_string(kind) or types.is_string_view(kind)
        raise not_real(column, "words" if words else "dates or times" if types.is_temporal(kind) else str(kind))

    def _values(self, column: str, part: Untyped, row: int) -> Untyped:
        """Return the numbers of a part of a column that begins at that row. Raises ``Rejected`` if one is missing."""
        rows = len(part)
        while True:
            if part.null_count:
                at = row + part.is_null().index(True).as_py() * rows // len(part)
                hint = "remove or fill the rows with missing numbers"
                place = f"`{shortened(column)}`[{at}]"
                raise Rejected(NotFinite(place=place, found="missing", expected="a finite number", hint=hint))
            kind = part.type
            if isinstance(kind, self._arrow.FixedShapeTensorType):
                part = part.storage
            elif self._arrow.types.is_fixed_size_list(kind):
                part = part.flatten()
            elif self._arrow.types.is_dictionary(kind):
                part = part.dictionary_decode()
            elif self._arrow.types.is_boolean(kind):
                part = part.cast(self._arrow.uint8())
            else:
                # `to_numpy` would import pandas, if that is installed.
                return np.from_dlpack(part)


def _dtype(kind: Untyped) -> np.dtype[Any]:
    """Return the dtype of the numbers of a column."""
    while hasattr(kind, "value_type"):
        kind = kind.value_type
    return np.dtype(kind.to_pandas_dtype())


PARQUET = Format(
    "parquet",
    (".parquet",),
    "a Parquet file",
    opener(Columns),
    "write it with pyarrow, pandas or polars, one column for each component: x0, x1, …, t",
)

FORMATS = (PARQUET,)
