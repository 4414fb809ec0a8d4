"""Completion of file names: files of a suitable type, and folders."""

import os
from collections.abc import Iterator
from itertools import islice
from pathlib import Path
from typing import Protocol


class Listed(Protocol):
    """Whether a file, or a folder, of this name is listed as one."""

    def __call__(self, name: str, *, is_folder: bool) -> bool:
        """Look at the name."""
        ...


_MANY = 10_000
"""Entries of a folder that are examined at most."""


def entries(folder: Path, typed: str, is_listed: Listed) -> list[str]:
    """List the folder named in ``typed``, relative to ``folder``: what ``is_listed``, and then the other folders as ``sub/``.

    Hidden entries are listed only if the typed name starts with a dot. A folder that cannot be read counts as empty.
    """
    way, _, name = typed.rpartition("/")
    place = folder / (way or "/") if "/" in typed else folder
    try:
        found = list(_entries(place, is_listed, hidden=name.startswith(".")))
    except (OSError, ValueError):
        return []
    return sorted(found, key=lambda entry: (entry.endswith("/"), entry))


def _entries(place: Path, is_listed: Listed, *, hidden: bool) -> Iterator[str]:
    with os.scandir(place) as listed:
        for entry in islice(listed, _MANY):
            if entry.name.startswith(".") != hidden or not entry.name.isprintable() or '"' in entry.name:
                continue
            is_folder = entry.is_dir()
            if is_listed(entry.name, is_folder=is_folder):
                yield entry.name
            elif is_folder:
                yield f"{entry.name}/"
