"""What a format of files of named arrays is: the suffixes of its files, how they are opened, and how they are written."""

from collections.abc import Callable, Mapping
from pathlib import Path
from typing import IO, TypeAlias

from rh_kernel.source.records import frozen
from rh_kernel.syntax.core import Array
from rh_kernel.training.reading.reader import Blocks, ByteLimit, Reader

Opener: TypeAlias = Callable[[Path, ByteLimit], Blocks[Reader]]
"""Opens a file that exists. What takes time before the shapes are known is done in blocks, within the limit.

Raises ``Damaged`` if the file is of another format.
"""

Writer: TypeAlias = Callable[[Mapping[str, Array], IO[bytes]], None]
"""Writes arrays by their names to a file that is open. Raises ``OSError``."""


@frozen
class Format:
    """A format of files.

    ``suffixes`` are in lower case, with the dot. ``description`` says what such a file is, as in "not {description}", and
    ``hint`` how to make one. With ``is_data`` it is a data set: its arrays are samples along their first axis, all of one
    length. A format with ``write`` is one of `%save` and `%load`, which need the library ``requires``, if that is not empty.
    """

    name: str
    suffixes: tuple[str, ...]
    description: str
    open: Opener
    hint: str = ""
    is_data: bool = True
    write: Writer | None = None
    requires: str = ""
