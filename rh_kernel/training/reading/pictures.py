"""Folders of pictures: each subfolder is a class, in the order of their names. Requires the library Pillow.

The array ``x`` of shape (N, c, h, w) has the pixels, from 0 to 1, and ``t`` the classes, one-hot. Of an animation the first
picture counts. A picture of 16 bits has 65,535 levels; one with a palette counts as coloured.
"""

import logging
import os
import warnings
from collections.abc import Generator, Iterator
from contextlib import contextmanager
from functools import partial
from math import prod
from pathlib import Path

import numpy as np

from rh_kernel.source.diagnostic import Rejected
from rh_kernel.source.interruptible import when_large
from rh_kernel.syntax.core import Array
from rh_kernel.training.errors import NoSamples
from rh_kernel.training.reading.format import Format
from rh_kernel.training.reading.libraries import Untyped, library
from rh_kernel.training.reading.reader import (
    BLOCK,
    Blocks,
    Damaged,
    Header,
    Reader,
    as_damaged,
    error_text,
    shortened,
)
from rh_kernel.training.reading.rows import Integers, RowReader
from rh_kernel.training.samples import one_hot

_SUFFIXES = (".png", ".jpg", ".jpeg", ".gif", ".bmp", ".webp", ".tif", ".tiff", ".ppm", ".pgm", ".pbm")
_LISTED = 1000
"""Entries of a folder that are listed between two pauses."""

_SILENT = logging.NullHandler()

_MODES = {"1": "L", "CMYK": "RGB", "YCbCr": "RGB", "HSV": "RGB", "PA": "RGBA"}
"""What is converted, and to what."""

_KEPT = {
    "L": "grey",
    "LA": "grey with transparency",
    "RGB": "coloured",
    "RGBA": "coloured with transparency",
    "I;16": "grey with 16 bits",
}


def open_pictures(folder: Path) -> Blocks[Reader]:
    """List the pictures of a folder. Raises ``Damaged``, and ``Rejected`` if there are none or the library is missing."""
    image = library("Pillow", "PIL.Image", folder)
    # Otherwise some messages about damaged pictures go to the standard error.
    logging.getLogger("PIL").addHandler(_SILENT)
    files: list[Path] = []
    classes: list[int] = []
    subfolders: list[Path] = []
    with as_damaged():
        for entry in _visible(folder):
            if entry.is_dir():
                subfolders.append(folder / entry.name)
            elif entry.name.lower().endswith(_SUFFIXES):
                raise Damaged(f"`{shortened(entry.name)}` is in no subfolder")
        for number, subfolder in enumerate(sorted(subfolders)):
            found = yield from _pictures(subfolder)
            if not found:
                raise Damaged(f"there is no picture in the subfolder `{shortened(subfolder.name)}`")
            files += found
            classes += [number] * len(found)
    if not files:
        found, hint = "no subfolder", "put the pictures of each class into a subfolder of its own"
        raise Rejected(NoSamples(what=f'"{folder.name}"', found=found, expected="a subfolder for each class", hint=hint))
    return Pictures(image, folder, files, np.array(classes, np.intp), len(subfolders))


def _pictures(folder: Path) -> Blocks[list[Path]]:
    """Return the pictures in a folder and those inside it, in the order of their paths."""
    found: list[Path] = []
    folders = [folder]
    while folders:
        for number, entry in enumerate(_visible(place := folders.pop())):
            if entry.is_dir(follow_symlinks=False):
                folders.append(place / entry.name)
            elif entry.name.lower().endswith(_SUFFIXES):
                found.append(place / entry.name)
            if number % _LISTED == 0:
                yield
    return sorted(found)


def _visible(folder: Path) -> Iterator[os.DirEntry[str]]:
    with os.scandir(folder) as entries:
        for entry in entries:
            if not entry.name.startswith("."):
                yield entry


class Pictures(RowReader):
    """A folder whose pictures have the size and the mode of the first."""

    random_access = True
    names = ("x", "t")

    def __init__(self, image: Untyped, folder: Path, files: list[Path], labels: Integers, classes: int) -> None:
        self._image = image
        self._folder = folder
        self._files = files
        self._labels = labels
        self._classes = classes
        with self._errors(files[0]), image.open(files[0]) as picture:
            self._mode, size = self._kind(files[0], picture)
        self._size: tuple[int, int] = size
        channels = {"L": 1, "I;16": 1, "LA": 2, "RGB": 3, "RGBA": 4}[self._mode]
        self._shape = (channels, size[1], size[0])

    def header(self, name: str) -> Header:
        """Return the shape, and float64."""
        shape = (self._classes,) if name == "t" else self._shape
        return Header((len(self._files), *shape), np.dtype(np.float64)).checked(f"`{name}`")

    def rows(self, name: str, start: int, stop: int) -> Array:
        """Return these rows. Raises ``Damaged`` for a picture that cannot be read, or has another size or mode."""
        return self.take(name, np.arange(start, stop))

    def take(self, name: str, rows: Integers) -> Array:
        """Return these rows. Raises ``Damaged`` for a picture that cannot be read, or has another size or mode."""
        if name == "t":
            return one_hot(self._labels[rows].astype(np.intp), self._classes)
        found = np.empty((len(rows), *self._shape))
        for number, row in enumerate(rows.tolist()):
            found[number] = when_large(prod(self._shape), partial(self._pixels, self._files[row]))
        return found

    def step(self, name: str) -> int:
        """Return the number of pictures that are read at once."""
        return super().step(name) if name == "t" else max(1, min(64, BLOCK // (8 * prod(self._shape))))

    def close(self) -> None:
        """Do nothing: each file is open only while it is read."""

    def _pixels(self, file: Path) -> Array:
        """Return the channels of a picture, from 0 to 1."""
        with self._errors(file), self._image.open(file) as picture:
            mode, size = self._kind(file, picture)
            if (mode, size) != (self._mode, self._size):
                first, other = self._described(self._mode, self._size), self._described(mode, size)
                raise Damaged(f"`{self._name(file)}` is {other}, and `{self._name(self._files[0])}` is {first}")
            pixels = np.asarray(picture if mode == "I;16" else picture.convert(mode))
        levels = 65535.0 if mode == "I;16" else 255.0
        return pixels.reshape(*pixels.shape[:2], -1).transpose(2, 0, 1) / levels

    def _kind(self, file: Path, picture: Untyped) -> tuple[str, tuple[int, int]]:
        """Return the mode in which a picture is read, and its size. Raises ``Damaged`` for a mode without a range."""
        mode = picture.mode
        if mode == "P":
            mode = "RGBA" if "transparency" in picture.info else "RGB"
        elif mode.startswith("I;16"):
            mode = "I;16"
        mode = _MODES.get(mode, mode)
        if mode not in _KEPT:
            raise Damaged(f"`{self._name(file)}` has pixels of the mode {mode}, which has no largest value")
        return mode, picture.size

    def _described(self, mode: str, size: tuple[int, int]) -> str:
        return f"{size[0]} × {size[1]} and {_KEPT[mode]}"

    def _name(self, file: Path) -> str:
        return shortened(file.relative_to(self._folder).as_posix())

    @contextmanager
    def _errors(self, file: Path) -> Generator[None]:
        """Name the file in errors of the library within the block, and ignore its warnings."""
        try:
            with warnings.catch_warnings():
                warnings.simplefilter("ignore")
                yield
        except (Damaged, MemoryError):
            raise
        except Exception as failure:
            # The library's own text has the path of the file.
            text = "not a picture" if isinstance(failure, self._image.UnidentifiedImageError) else error_text(failure)
            raise Damaged(f"`{self._name(file)}`: {text}") from failure


def _is_folder(path: Path) -> bool:
    try:
        return path.is_dir()
    except (OSError, ValueError):
        return False


PICTURES = Format(
    "pictures",
    (),
    "a folder of pictures",
    open_pictures,
    "put the pictures of each class into a subfolder of its own, all of one size, all coloured or all grey",
    matches=_is_folder,
    is_folder=True,
)

FORMATS = (PICTURES,)
