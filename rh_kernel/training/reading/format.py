"""``Format``: the suffixes of a format of files of named arrays, and how to open and write them."""

from collections.abc import Callable, Mapping
from pathlib import Path
from typing import IO, TypeAlias

from rh_kernel.source.records import frozen
from rh_kernel.syntax.core import Array
from rh_kernel.training.reading.reader import Blocks, Reader

Opener: TypeAlias = Callable[[Path], Blocks[Reader]]
"""Opens an existing file, in blocks if it has to be read to find the shapes. Raises ``Damaged`` if it has another format."""

Writer: TypeAlias = Callable[[Mapping[str, Array], IO[bytes]], None]
"""Writes arrays by name to an open file. Raises ``OSError``."""


@frozen
class Format:
    """A format of files.

    ``suffixes`` are in lower case, with the dot. ``description`` names such a file, as in "not {description}", and ``hint``
    says how to create one. With ``is_data``, a file is a data set: the first axis of its arrays is the samples, all of one
    length. `%save` and `%load` support formats with ``write``, if the library ``requires`` is installed or empty.

    What has none of the suffixes is of the format if it ``matches``, by its name or by a quick look at it. With ``is_folder``,
    it is a folder instead of a file.
    """

    name: str
    suffixes: tuple[str, ...]
    description: str
    open: Opener
    hint: str = ""
    is_data: bool = True
    write: Writer | None = None
    requires: str = ""
    matches: Callable[[Path], bool] | None = None
    is_folder: bool = False


def opener(reader: Callable[[Path], Reader]) -> Opener:
    """Return the opener of a format whose files need not be read to find the shapes."""

    def open_file(file: Path) -> Blocks[Reader]:
        yield
        return reader(file)

    return open_file
