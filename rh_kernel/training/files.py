"""Data sets from files, in any registered format: in memory if they fit, else read while they are used."""

from collections.abc import Callable, Generator, Iterator, Mapping
from contextlib import AbstractContextManager, ExitStack, contextmanager
from dataclasses import replace
from functools import partial
from pathlib import Path
from types import MappingProxyType

from rh_kernel.source.diagnostic import Failure, Rejected
from rh_kernel.source.trampoline import exhaust
from rh_kernel.syntax.core import Array
from rh_kernel.syntax.runtime_errors import readable
from rh_kernel.training.errors import UnreadableFile
from rh_kernel.training.reading import converted
from rh_kernel.training.reading.format import Format
from rh_kernel.training.reading.formats import formats
from rh_kernel.training.reading.npy import NPY, SingleArray
from rh_kernel.training.reading.reader import BLOCK, Blocks, ByteLimit, Damaged, Header, error_text
from rh_kernel.training.reading.rows import RowReader
from rh_kernel.training.samples import Checking, DataSet, Summary, check_array, check_lengths, samples
from rh_kernel.training.sources import FilePlace, InFile, OpenFile, Source, stamp

_MOST_KEPT = 8

_MOST_CHECKED = 1_000

_Key = tuple[Path, str, int, int]

_kept: dict[_Key, DataSet] = {}
"""Cache of recently read files by path, name, modification time and size, so that each run and measure need not reread."""

_checked: dict[tuple[Path, int, int], Mapping[str, Summary]] = {}
"""Summaries of files that stay on disk, whose numbers have been checked, by path, modification time and size."""


def read(file: Path, form: Format, name: str, byte_limit: ByteLimit) -> Blocks[DataSet]:
    """Read the data in an existing file of this format; ``name`` is how the program refers to it.

    Data that exceeds ``byte_limit`` stays in its file, if the format can be read by rows. Raises ``Rejected`` if it cannot be
    used, and ``Stuck``, before reading, if it exceeds the limit and has to be in memory.
    """
    hint = "take fewer samples, allow more with `%limit bytes`, or write them in another format, as .npy"
    byte_limit = replace(byte_limit, what=f'"{name}"', hint=hint)
    with _read_errors(form, name):
        key = (file, name, *stamp(file))
        known = _kept.pop(key, None)
        if known is None or known.is_in_memory != byte_limit.allows(known.reals):
            known = yield from _read(file, form, name, byte_limit)
        _kept[key] = replace(known, notice="") if known.notice else known
        _drop(0, byte_limit)
    return known


def _read(file: Path, form: Format, name: str, byte_limit: ByteLimit) -> Blocks[DataSet]:
    reader = yield from form.open(file)
    with ExitStack() as opened:
        opened.callback(reader.close)
        headers = {array: reader.header(array) for array in reader.names}
        for array, header in headers.items():
            check_array(array or name, header.dtype, header.shape)
        check_lengths(name, {array or name: header.shape[0] for array, header in headers.items()})
        reals = sum(header.reals for header in headers.values())
        check = Checking(name, {array: header.dtype for array, header in headers.items()})
        if byte_limit.allows(reals) or not isinstance(reader, RowReader):
            byte_limit.check(reals)
            _drop(reals, byte_limit)
            arrays = yield from reader.read(reader.names)
            return (yield from samples(name, arrays, check))
        # At least one sample at a time is in memory; a small one is a part of what reading needs in any case.
        sample = sum(header.reals // header.shape[0] for header in headers.values())
        byte_limit.check(sample if sample > BLOCK else 0)
        errors = partial(_read_errors, form, name)
        if not reader.random_access:
            return (yield from _converted(file, reader, name, headers, check, errors))
        if (key := (file, *stamp(file))) not in _checked:
            for array, first, rows, text in _in_order(reader, name, headers):
                check(array, rows, first)
                yield text
            _remember(key, check.summaries)
        opened.pop_all()
        there = OpenFile(None if form.is_folder else file, reader, errors)
        places = {array: FilePlace(file.resolve(), form.name, array, key[1:]) for array in headers}
        return _in_file(name, headers, {array: (there, places[array]) for array in headers}, _checked[key])


def _converted(
    file: Path,
    reader: RowReader,
    name: str,
    headers: Mapping[str, Header],
    check: Checking,
    errors: Callable[[], AbstractContextManager[None]],
) -> Blocks[DataSet]:
    """Convert each array to a file that can be read by rows, unless that was done before. Raises as ``_read`` does."""
    places = {array: converted.place(file, array, stamp(file)) for array in headers}
    missing = {array: header for array, header in headers.items() if not places[array].exists()}
    size = sum(header.reals * converted.stored(header).itemsize for header in missing.values())
    if missing:
        converted.make_room(name, size)
    with ExitStack() as writing:
        files = {array: writing.enter_context(converted.writing(places[array], missing[array])) for array in missing}
        for array, first, rows, text in _in_order(reader, name, missing, "converting "):
            check(array, rows, first)
            files[array].write(rows)
            yield text
    for place in places.values():
        converted.used(place)
    notice = f'"{name}" can be read in order only: it was converted to .npy, {readable(size)} in {converted.cache_folder()}'
    there = {
        array: (OpenFile(None, SingleArray(place), errors), FilePlace(place.resolve(), NPY.name, "", stamp(place)))
        for array, place in places.items()
    }
    return _in_file(name, headers, there, check.summaries, notice if missing else "")


def _in_order(
    reader: RowReader, name: str, headers: Mapping[str, Header], doing: str = ""
) -> Iterator[tuple[str, int, Array, str]]:
    """Read all rows: yield the array, the number of the first row, the rows, and a text of how far it is."""
    total, done = sum(header.reals for header in headers.values()), 0
    for array, header in headers.items():
        size, step = header.shape[0], reader.step(array)
        for start in range(0, size, step):
            rows = reader.rows(array, start, min(start + step, size))
            rows = rows.reshape(-1, 1) if rows.ndim == 1 else rows
            done += rows.size
            yield array, start, rows, f'{doing}"{name}" {100 * done // max(total, 1)} %'


def _in_file(
    name: str,
    headers: Mapping[str, Header],
    files: Mapping[str, tuple[OpenFile, FilePlace]],
    summaries: Mapping[str, Summary],
    notice: str = "",
) -> DataSet:
    sources: dict[str, Source] = {array: _source(*files[array], header) for array, header in headers.items()}
    return DataSet(name, MappingProxyType(sources), notice, summaries)


def _source(file: OpenFile, place: FilePlace, header: Header) -> Source:
    return InFile(file, place, header.shape if len(header.shape) > 1 else (*header.shape, 1), header.dtype)


def open_at(place: FilePlace) -> Source | None:
    """Open an array of a file that another process has used, or return ``None`` if that file cannot be read here."""
    form = next((form for form in formats() if form.name == place.format), None)
    if form is None:
        return None
    try:
        if stamp(place.file) != place.stamp:
            return None
        reader = exhaust(form.open(place.file))
        header = reader.header(place.array)
    except (Failure, Damaged, OSError, LookupError):
        return None
    if not isinstance(reader, RowReader):
        return None
    errors = partial(_read_errors, form, place.file.name)
    return _source(OpenFile(None if form.is_folder else place.file, reader, errors), place, header)


def _remember(key: tuple[Path, int, int], summaries: Mapping[str, Summary]) -> None:
    _checked[key] = summaries
    if len(_checked) > _MOST_CHECKED:
        _checked.pop(next(iter(_checked)))


def _drop(reals: int, byte_limit: ByteLimit) -> None:
    """Evict the oldest entries of the cache until ``reals`` more numbers fit into the limit."""
    kept = list(_kept.items())
    while kept and (len(kept) > _MOST_KEPT or reals + sum(data.held for _, data in kept) > byte_limit.reals):
        _kept.pop(kept.pop(0)[0], None)


@contextmanager
def _read_errors(form: Format, name: str) -> Generator[None, None, None]:
    """Within the block, turn errors of reading the file into diagnostics that use the program's name for it."""
    try:
        yield
    except (Damaged, OSError) as failure:
        hint = "" if isinstance(failure, OSError) else form.hint
        raise Rejected(UnreadableFile(name=name, kind=form.description, found=error_text(failure), hint=hint)) from None
