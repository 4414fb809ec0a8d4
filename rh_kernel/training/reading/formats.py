"""The formats of files by suffix. Plugins add theirs as entry points (group ``rh_kernel.readers``)."""

from collections.abc import Sequence
from functools import cache
from pathlib import Path

from rh_kernel.source.plugins import plugins
from rh_kernel.training.reading.format import Format
from rh_kernel.training.reading.npy import NPY, NPZ
from rh_kernel.training.reading.table import CSV
from rh_kernel.training.reading.tensors import SAFETENSORS

GROUP = "rh_kernel.readers"
"""The group of entry points; the value of each is a ``Format`` of the same name."""

_BUILT_IN = (CSV, NPZ, NPY, SAFETENSORS)


def find(file: Path) -> Format | None:
    """Return the format of a file by its suffix, or ``None``."""
    suffix = file.suffix.lower()
    known = next((form for form in _BUILT_IN if suffix in form.suffixes), None)
    return known or next((form for form in formats() if suffix in form.suffixes), None)


@cache
def formats() -> tuple[Format, ...]:
    """Return all formats, including those of plugins."""
    return (*_BUILT_IN, *plugins(GROUP, Format, [form.name for form in _BUILT_IN]).values())


def data_suffixes() -> tuple[str, ...]:
    """Return the suffixes of data sets."""
    return tuple([suffix for form in formats() if form.is_data for suffix in form.suffixes])


def saved_suffixes() -> tuple[str, ...]:
    """Return the suffixes of files that ``%save`` and ``%load`` support."""
    return tuple([suffix for form in formats() if form.write is not None for suffix in form.suffixes])


def one_of(suffixes: Sequence[str]) -> str:
    """``.csv, .npz or .tsv``"""
    *others, last = suffixes
    return f"{', '.join(others)} or {last}" if others else last
