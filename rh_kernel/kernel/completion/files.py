"""Completion of file names: files of a suitable type, and folders."""

import os
from collections.abc import Iterator
from itertools import islice
from pathlib import Path

_MANY = 10_000
"""Entries of a folder that are examined at most."""


def entries(folder: Path, typed: str, endings: tuple[str, ...]) -> list[str]:
    """List the folder named in ``typed``, relative to ``folder``: files with one of the ``endings``, then folders as ``sub/``.

    Hidden entries are listed only if the typed name starts with a dot. A folder that cannot be read counts as empty.
    """
    way, _, name = typed.rpartition("/")
    place = folder / (way or "/") if "/" in typed else folder
    try:
        found = list(_entries(place, endings, hidden=name.startswith(".")))
    except (OSError, ValueError):
        return []
    return sorted(found, key=lambda entry: (entry.endswith("/"), entry))


def _entries(place: Path, endings: tuple[str, ...], *, hidden: bool) -> Iterator[str]:
    with os.scandir(place) as listed:
        for entry in islice(listed, _MANY):
            if entry.name.startswith(".") != hidden or not entry.name.isprintable() or '"' in entry.name:
                continue
            if entry.is_dir():
                yield f"{entry.name}/"
            elif entry.name.lower().endswith(endings):
                yield entry.name
