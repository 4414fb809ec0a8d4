"""The formats of files: those in the tuples ``FORMATS`` of the modules of this package, and those of plugins.

Plugins add theirs as entry points (group ``rh_kernel.readers``).
"""

from collections.abc import Sequence
from functools import cache
from importlib import import_module
from pathlib import Path
from pkgutil import iter_modules

from rh_kernel.source.plugins import plugins
from rh_kernel.training import reading
from rh_kernel.training.reading.format import Format

GROUP = "rh_kernel.readers"
"""The group of entry points; the value of each is a ``Format`` of the same name."""


def find(file: Path) -> Format | None:
    """Return the format of a file or folder by its suffix, or else the first that recognises it, or ``None``."""
    suffix = file.suffix.lower()
    for known in (_built_in, formats):
        by_suffix = next((form for form in known() if suffix in form.suffixes), None)
        if by_suffix is not None:
            return by_suffix
    return next((form for form in formats() if form.matches is not None and form.matches(file)), None)


@cache
def formats() -> tuple[Format, ...]:
    """Return all formats, including those of plugins."""
    return (*_built_in(), *plugins(GROUP, Format, [form.name for form in _built_in()]).values())


@cache
def _built_in() -> tuple[Format, ...]:
    """Import the modules of this package, which import the libraries that they need when a file is opened."""
    names = sorted([module.name for module in iter_modules(reading.__path__, f"{reading.__name__}.")])
    found: list[Format] = []
    for name in names:
        found += getattr(import_module(name), "FORMATS", ())
    return tuple(found)


def has_name_of_data(name: str, *, is_folder: bool) -> bool:
    """Whether a file, or a folder, of this name is a data set. Looks at nothing but the name."""
    return any(
        form.is_data
        and form.is_folder == is_folder
        and (name.lower().endswith(form.suffixes) or (not is_folder and form.matches is not None and form.matches(Path(name))))
        for form in formats()
    )


def data_suffixes() -> tuple[str, ...]:
    """Return the suffixes of data sets."""
    return tuple(sorted([suffix for form in formats() if form.is_data for suffix in form.suffixes]))


def saved_suffixes() -> tuple[str, ...]:
    """Return the suffixes of files that ``%save`` and ``%load`` support."""
    return tuple(sorted([suffix for form in formats() if form.write is not None for suffix in form.suffixes]))


def one_of(suffixes: Sequence[str]) -> str:
    """``.csv, .npz or .tsv``"""
    *others, last = suffixes
    return f"{', '.join(others)} or {last}" if others else last
