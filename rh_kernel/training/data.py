"""``data("name")``: the data set that a name stands for (LANGUAGE §6): one given from Python, a bundled one, or a file.

``"name.train"`` and ``"name.test"`` are 80 % and 20 % of the set ``"name"``, parted by ``default_rng(0).permutation(N)``.
"""

import difflib
from collections.abc import Mapping
from dataclasses import replace
from pathlib import Path

import numpy as np

from rh_kernel.source.diagnostic import Rejected
from rh_kernel.source.span import Span
from rh_kernel.syntax.core import Array
from rh_kernel.training import files
from rh_kernel.training.bundled import NAMES, bundled
from rh_kernel.training.errors import NoSuchFile, UnknownData
from rh_kernel.training.reading.reader import UNBOUNDED, Blocks, ByteLimit, at_once
from rh_kernel.training.samples import DataSet, data_set

__all__ = ["DataSet", "load", "loading"]

_PARTS = (".train", ".test")

Given = Mapping[str, Mapping[str, Array]]


def load(name: str, folder: Path, given: Given, span: Span) -> DataSet:
    """The data set, in one go and of any size. Raises as ``loading`` does."""
    return at_once(loading(name, folder, given, span))


def loading(name: str, folder: Path, given: Given, span: Span, byte_limit: ByteLimit = UNBOUNDED) -> Blocks[DataSet]:
    """The data set; ``folder`` is where paths start from, ``given`` holds what was named from Python.

    Raises ``Rejected`` (RH3xx) at ``span`` if there is no such data, or if it is not made of arrays of finite numbers,
    samples first, all of one length; and ``Stuck`` (RH241) before it is read if it does not fit into the byte_limit.
    """
    try:
        return (yield from _load(name, folder, given, replace(byte_limit, span=span)))
    except Rejected as rejected:
        raise Rejected(*(replace(d, span=span) for d in rejected.diagnostics)) from None


def _load(name: str, folder: Path, given: Given, byte_limit: ByteLimit) -> Blocks[DataSet]:
    parts: list[str] = []
    while name not in given and name not in NAMES and name.endswith(_PARTS):
        name, dot, part = name.rpartition(".")
        parts.append(dot + part)
    if name in given:
        data = data_set(name, given[name])
    elif name in NAMES:
        data = bundled(name)
    else:
        data = yield from files.read(_file(name, folder, given), name, byte_limit)
    for part in reversed(parts):
        data = yield from split(data, part)
    return data


def split(data: DataSet, part: str) -> Blocks[DataSet]:
    """The first 80 % of the samples in the order of ``default_rng(0).permutation(N)`` for ``.train``, the rest for ``.test``.

    Raises ``Rejected`` if there are none in that part.
    """
    order = np.random.default_rng(0).permutation(data.size)
    cut = data.size * 4 // 5
    return (yield from data.part(data.name + part, order[:cut] if part == ".train" else order[cut:]))


def _file(name: str, folder: Path, given: Given) -> Path:
    """The file of that name. Raises ``Rejected`` if there is none, or it is of no format that is known."""
    file = folder / name
    if file.suffix.lower() not in files.SUFFIXES:
        names = sorted({*given, *NAMES})
        parts = [known + part for known in names for part in _PARTS]
        close = difflib.get_close_matches(name, [*names, *parts, *_files(folder)], n=1)
        hint = f'did you mean "{close[0]}"?' if close else "write the file name with its extension, .csv or .npz"
        expected = f"{', '.join(names)}, each also with .train or .test, or the path of a .csv or .npz file"
        raise Rejected(UnknownData(name=name, expected=expected, hint=hint))
    if not is_file(file):
        close = difflib.get_close_matches(file.name, _files(file.parent), n=1)
        hint = (
            f'did you mean "{Path(name).with_name(close[0]).as_posix()}"?'
            if close
            else "paths are relative to the notebook or file"
        )
        raise Rejected(NoSuchFile(name=name, hint=hint))
    return file


def is_file(file: Path) -> bool:
    """Whether there is such a file, and it may be looked at."""
    try:
        return file.is_file()
    except (OSError, ValueError):  # a name that is too long, or none; a folder that may not be looked into
        return False


def _files(folder: Path) -> list[str]:
    try:
        return sorted(f.name for f in folder.iterdir() if f.suffix.lower() in files.SUFFIXES)
    except (OSError, ValueError):  # or a name that no folder can have
        return []
