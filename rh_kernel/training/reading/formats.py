"""The formats of files by their suffixes; other distributions add theirs (entry points of the group ``rh_kernel.readers``)."""

from collections.abc import Sequence
from functools import cache
from pathlib import Path

from rh_kernel.source.plugins import plugins
from rh_kernel.training.reading.format import Format
from rh_kernel.training.reading.npy import NPY, NPZ
from rh_kernel.training.reading.table import CSV
from rh_kernel.training.reading.tensors import SAFETENSORS

GROUP = "rh_kernel.readers"
"""The group of entry points; each is a ``Format``, under its name."""

_BUILT_IN = (CSV, NPZ, NPY, SAFETENSORS)


def find(file: Path) -> Format | None:
    """The format that the suffix of a file tells."""
    suffix = file.suffix.lower()
    known = next((form for form in _BUILT_IN if suffix in form.suffixes), None)
    return known or next((form for form in formats() if suffix in form.suffixes), None)


@cache
def formats() -> tuple[Format, ...]:
    """All formats, also those that other distributions add."""
    return (*_BUILT_IN, *plugins(GROUP, Format, [form.name for form in _BUILT_IN]).values())


def data_suffixes() -> tuple[str, ...]:
    """The suffixes of data sets."""
    return tuple([suffix for form in formats() if form.is_data for suffix in form.suffixes])


def saved_suffixes() -> tuple[str, ...]:
    """The suffixes of files that ``%save`` and ``%load`` take."""
    return tuple([suffix for form in formats() if form.write is not None for suffix in form.suffixes])


def either(suffixes: Sequence[str]) -> str:
    """``.csv, .npz or .tsv``"""
    *others, last = suffixes
    return f"{', '.join(others)} or {last}" if others else last
