"""Data sets from files, in any registered format."""

from collections.abc import Generator
from contextlib import closing, contextmanager
from dataclasses import replace
from pathlib import Path

from rh_kernel.source.diagnostic import Rejected
from rh_kernel.training.errors import UnreadableFile
from rh_kernel.training.reading.format import Format
from rh_kernel.training.reading.reader import Blocks, ByteLimit, Damaged, error_text
from rh_kernel.training.samples import DataSet, check_array, check_lengths, samples

_MOST_KEPT = 4

_kept: dict[tuple[Path, str, int, int], DataSet] = {}
"""Cache of recently read files by path, name, modification time and size, so that each run and measure need not reread."""


def read(file: Path, form: Format, name: str, byte_limit: ByteLimit) -> Blocks[DataSet]:
    """Read the data in an existing file of this format; ``name`` is how the program refers to it.

    Raises ``Rejected`` if it cannot be used, and ``Stuck``, before reading, if it exceeds ``byte_limit``.
    """
    byte_limit = replace(byte_limit, what=f'"{name}"')
    with _read_errors(form, name):
        stat = file.stat()
        key = (file, name, stat.st_mtime_ns, stat.st_size)
        # A folder does not change when a file in it does.
        known = None if form.is_folder else _kept.pop(key, None)
        if known is None:
            known = yield from _read(file, form, name, byte_limit)
        else:
            byte_limit.check(known.reals)
        if not form.is_folder:
            _kept[key] = known
        _drop(0, byte_limit)
    return known


def _read(file: Path, form: Format, name: str, byte_limit: ByteLimit) -> Blocks[DataSet]:
    reader = yield from form.open(file, byte_limit)
    with closing(reader):
        headers = {array: reader.header(array) for array in reader.names}
        for array, header in headers.items():
            check_array(array, header.dtype, header.shape)
        check_lengths(name, {array: header.shape[0] for array, header in headers.items()})
        reals = sum(header.reals for header in headers.values())
        byte_limit.check(reals)
        _drop(reals, byte_limit)
        arrays = yield from reader.read(reader.names)
    return (yield from samples(name, arrays))


def _drop(reals: int, byte_limit: ByteLimit) -> None:
    """Evict the oldest entries of the cache until ``reals`` more numbers fit into the limit."""
    kept = list(_kept.items())
    while kept and (len(kept) > _MOST_KEPT or reals + sum(data.reals for _, data in kept) > byte_limit.reals):
        _kept.pop(kept.pop(0)[0], None)


@contextmanager
def _read_errors(form: Format, name: str) -> Generator[None, None, None]:
    """Within the block, turn errors of reading the file into diagnostics that use the program's name for it."""
    try:
        yield
    except (Damaged, OSError) as failure:
        hint = "" if isinstance(failure, OSError) else form.hint
        raise Rejected(UnreadableFile(name=name, kind=form.description, found=error_text(failure), hint=hint)) from None
