"""Entry points: records that other distributions add to a registry, such as a directive, a reader, a system, a symbol."""

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
    """An entry point is skipped: it cannot be loaded, is of another type, or its name is taken or not that of its record."""


def plugins(group: str, record: type[Record], taken: Collection[str] = ()) -> Mapping[str, Record]:
    """The values of type ``record`` that installed distributions register in the entry-point group, by entry-point name.

    A record that has a ``name`` has that of its entry point. Names are sorted, whatever the order of installation.
    What is broken, or has a name that is ``taken`` or used twice, is skipped with a ``PluginWarning``. Raises nothing else.
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
    """Whether a distribution has entry points in the group. Importing ``importlib.metadata`` takes ten times as long."""
    return any(
        f"[{group}]" in file.read_text(encoding="utf-8", errors="replace")
        for folder in sys.path
        for file in Path(folder).glob("*.*-info/entry_points.txt")
    )


def _skip(entry: "EntryPoint", why: str) -> None:
    distribution = "an unknown distribution" if entry.dist is None else entry.dist.name
    with warnings.catch_warnings():
        # The kernel and the command line hide warnings, which are for programmers; this one is for whoever has installed it.
        warnings.simplefilter("always", PluginWarning)
        text = f"{entry.group}: `{entry.name}` of {distribution} is skipped: {why}"
        warnings.warn(text, PluginWarning, stacklevel=3)
