"""Plugins: records that other distributions add to a registry as entry points, such as directives, readers, systems."""

import sys
import warnings
from collections.abc import Collection, Mapping
from pathlib import Path
from types import MappingProxyType
from typing import TYPE_CHECKING, TypeVar

if TYPE_CHECKING:
    from importlib.metadata import EntryPoint

Record = TypeVar("Record")


class PluginWarning(UserWarning):
    """An entry point is skipped: it cannot be loaded, has another type, or its name is taken or differs from its record's."""


def plugins(group: str, record: type[Record], taken: Collection[str] = ()) -> Mapping[str, Record]:
    """The values of type ``record`` that installed distributions register in the entry-point group, by entry-point name.

    They are sorted by name, independently of the order of installation. A record with a ``name`` must have that of its entry
    point. Invalid entry points, and those whose names are ``taken`` or used twice, are skipped with a ``PluginWarning``.
    """
    if not _is_mentioned(group):
        return MappingProxyType({})
    from importlib.metadata import entry_points

    found: dict[str, Record] = {}
    for entry in sorted(entry_points(group=group), key=lambda entry: (entry.name, entry.value)):
        if entry.name in found or entry.name in taken:
            _skip(entry, "the name is taken")
            continue
        try:
            value: object = entry.load()
        except (Exception, SystemExit) as failure:
            _skip(entry, f"it cannot be loaded ({type(failure).__name__}: {failure})")
            continue
        if not isinstance(value, record):
            _skip(entry, f"its value is no {record.__name__}")
        elif (name := getattr(value, "name", entry.name)) != entry.name:
            _skip(entry, f"its record has the name `{name}`")
        else:
            found[entry.name] = value
    return MappingProxyType(found)


def _is_mentioned(group: str) -> bool:
    """Whether a distribution has entry points in the group; ten times as fast as importing ``importlib.metadata``."""
    return any(
        f"[{group}]" in file.read_text(encoding="utf-8", errors="replace")
        for folder in sys.path
        for file in Path(folder).glob("*.*-info/entry_points.txt")
    )


def _skip(entry: "EntryPoint", why: str) -> None:
    distribution = "an unknown distribution" if entry.dist is None else entry.dist.name
    with warnings.catch_warnings():
        # The kernel and the command line hide warnings for programmers, but this one is for users.
        warnings.simplefilter("always", PluginWarning)
        text = f"{entry.group}: `{entry.name}` of {distribution} is skipped: {why}"
        warnings.warn(text, PluginWarning, stacklevel=3)
