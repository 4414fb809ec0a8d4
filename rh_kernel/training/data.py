"""``data("name")``: the data set of that name (LANGUAGE §6): one given from Python, a bundled one, or a file.

``"name.train"`` and ``"name.test"`` are 80 % and 20 % of the set ``"name"``, split by ``default_rng(0).permutation(N)``.
"""

import difflib
from collections.abc import Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from types import MappingProxyType

import numpy as np

from rh_kernel.source.diagnostic import Rejected
from rh_kernel.source.span import Span
from rh_kernel.source.trampoline import exhaust
from rh_kernel.syntax.core import Array
from rh_kernel.training import files
from rh_kernel.training.bundled import NAMES, bundled
from rh_kernel.training.errors import FilesDiffer, NoSuchFile, UnknownData
from rh_kernel.training.reading.format import Format
from rh_kernel.training.reading.formats import data_suffixes, find, one_of
from rh_kernel.training.reading.reader import UNBOUNDED, Blocks, ByteLimit, first_names
from rh_kernel.training.samples import DataSet, check_lengths, data_set

__all__ = ["DataSet", "load", "loading"]

_PARTS = (".train", ".test")

Given = Mapping[str, Mapping[str, Array]]


def load(name: str, folder: Path, given: Given, span: Span) -> DataSet:
    """Load the data set in one go, with no limit on its size. Raises as ``loading`` does."""
    return exhaust(loading(name, folder, given, span))


def loading(name: str, folder: Path, given: Given, span: Span, byte_limit: ByteLimit = UNBOUNDED) -> Blocks[DataSet]:
    """Load the data set in blocks; paths are relative to ``folder``, ``given`` holds the data sets named from Python.

    Raises ``Rejected`` (RH3xx) at ``span`` if there is no such data, or if it is not arrays of finite numbers of one length,
    with samples along the first axis; and ``Stuck`` (RH241), before reading, if it exceeds ``byte_limit``.
    """
    try:
        return (yield from _load(name, folder, given, replace(byte_limit, span=span)))
    except Rejected as rejected:
        raise Rejected(*(replace(d, span=span) for d in rejected.diagnostics)) from None


def loading_named(
    names: Sequence[str], pattern: Sequence[str], folder: Path, given: Given, span: Span, byte_limit: ByteLimit = UNBOUNDED
) -> Blocks[DataSet]:
    """Load ``data("a", "b")`` for samples of this pattern: arrays without a name, one in each file, are named by it, in order.

    Raises as ``loading`` does, and ``Rejected`` if files and names do not match.
    """
    sets: list[DataSet] = []
    for name in names:
        held = sum(data.held for data in sets)
        sets.append((yield from loading(name, folder, given, span, replace(byte_limit, held=held))))
    if len(names) == 1 and "" not in sets[0].sources:
        return sets[0]
    _check_pattern(names, pattern, sets, span)
    sources = {name: data.sources[""] for name, data in zip(pattern, sets, strict=True)}
    try:
        check_lengths('", "'.join(names), {name: data.size for name, data in zip(pattern, sets, strict=True)})
    except Rejected as rejected:
        raise Rejected(*(replace(d, span=span) for d in rejected.diagnostics)) from None
    summaries = {name: data.summaries[""] for name, data in zip(pattern, sets, strict=True) if "" in data.summaries}
    notices = [data.notice for data in sets if data.notice]
    return DataSet('", "'.join(names), MappingProxyType(sources), "\n".join(notices), summaries)


def _check_pattern(names: Sequence[str], pattern: Sequence[str], sets: Sequence[DataSet], span: Span) -> None:
    """Raise ``Rejected`` unless each set is an array without a name, and there is one for each name of the pattern."""
    expected = "a file for each name of the pattern, with one array, which has no name, such as .npy"
    for name, data in zip(names, sets, strict=True):
        if list(data.sources) != [""]:
            have = first_names([f"`{array}`" for array in data.sources])
            why, hint = f'"{name}" names its arrays, so it cannot be one of several files', f'use it alone: data("{name}")'
            raise Rejected(FilesDiffer(span=span, why=why, found=f"the arrays {have}", expected=expected, hint=hint))
    if len(names) != len(pattern):
        count, wanted = len(names), len(pattern)
        why = f"{count} file{'s' if count > 1 else ''} for the {wanted} name{'s' if wanted > 1 else ''} of the pattern"
        files = ", ".join([f'"{name}.npy"' for name in pattern])
        hint = f"for {_written(pattern)} in data({files})" if count < wanted else "name the samples of each file in the pattern"
        raise Rejected(FilesDiffer(span=span, why=why, found=f"the pattern {_written(pattern)}", expected=expected, hint=hint))


def _written(pattern: Sequence[str]) -> str:
    return f"({', '.join(pattern)})" if len(pattern) > 1 else "".join(pattern)


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
        data = yield from files.read(*_file(name, folder, given), name, byte_limit)
    for part in reversed(parts):
        data = yield from split(data, part)
    return data


def split(data: DataSet, part: str) -> Blocks[DataSet]:
    """Return the first 80 % of the samples in the order of ``default_rng(0).permutation(N)`` for ``.train``, else the rest.

    Raises ``Rejected`` if that part is empty.
    """
    order = np.random.default_rng(0).permutation(data.size)
    cut = data.size * 4 // 5
    return (yield from data.part(data.name + part, order[:cut] if part == ".train" else order[cut:]))


def _file(name: str, folder: Path, given: Given) -> tuple[Path, Format]:
    """Return the file of that name and its format. Raises ``Rejected`` if there is none, or its format is unknown."""
    file = folder / name
    form = find(file) if name else None
    if form is None or not form.is_data:
        names = sorted({*given, *NAMES})
        parts = [known + part for known in names for part in _PARTS]
        close = difflib.get_close_matches(name, [*names, *parts, *_files(folder)], n=1)
        hint = f'did you mean "{close[0]}"?' if close else f"write the file name with its extension, {one_of(data_suffixes())}"
        expected = f"{', '.join(names)}, each also with .train or .test, or the path of a {one_of(data_suffixes())} file"
        raise Rejected(UnknownData(name=name, expected=expected, hint=hint))
    if not (is_folder(file) if form.is_folder else is_file(file)):
        close = difflib.get_close_matches(file.name, _files(file.parent), n=1)
        hint = (
            f'did you mean "{Path(name).with_name(close[0]).as_posix()}"?'
            if close
            else "paths are relative to the notebook or file"
        )
        raise Rejected(NoSuchFile(name=name, hint=hint))
    return file, form


def is_file(file: Path) -> bool:
    """Whether the path is a file that may be accessed."""
    try:
        return file.is_file()
    except (OSError, ValueError):  # an invalid or overlong name, or a folder without permission
        return False


def is_folder(file: Path) -> bool:
    """Whether the path is a folder that may be accessed."""
    try:
        return file.is_dir()
    except (OSError, ValueError):
        return False


def _files(folder: Path) -> list[str]:
    try:
        return sorted(f.name for f in folder.iterdir() if (form := find(f)) is not None and form.is_data)
    except (OSError, ValueError):  # or an invalid folder name
        return []
