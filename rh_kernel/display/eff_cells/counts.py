"""The counts of ``%count``, as rows of a table and as a record."""

from collections import Counter
from collections.abc import Iterable, Iterator, Mapping

from rh_kernel.ad.eff.definitions import shown
from rh_kernel.ad.eff.machine.counting import Counts
from rh_kernel.display.data import Json, Record

_NAMELESS = "a handler without a name"


def counted(counts: Counts) -> list[tuple[str, str]]:
    """The rows of the table: what was counted, and how often. Zeros are omitted, except for the steps."""
    return [(what, f"{n:,}") for what, n in _lines(counts) if n or what == _STEPS]


_STEPS = "steps of the machine"


def _lines(counts: Counts) -> Iterator[tuple[str, int]]:
    yield _STEPS, counts.steps
    for operation, n in _performed(counts).items():
        yield f"performed: {operation}", n
    for handler, operations in _handled(counts).items():
        yield f"handled by {handler}", sum(operations.values())
    yield "continuations made", counts.captured
    yield "references and arrays made", counts.cells
    yield "alive at once, at most", counts.cells_alive
    yield "frames waiting at once, at most", counts.frames


def counts_record(counts: Counts) -> Record:
    """The counts by name."""
    return {
        "steps": counts.steps,
        "performed": _record(_performed(counts)),
        "handled": {handler: _record(operations) for handler, operations in _handled(counts).items()},
        "continuations": counts.captured,
        "cells": counts.cells,
        "cells_alive": counts.cells_alive,
        "frames": counts.frames,
    }


def _record(found: Mapping[str, int]) -> Record:
    record: dict[str, Json] = {**found}
    return record


def _performed(counts: Counts) -> Mapping[str, int]:
    """Return how often each operation was performed; operations of the same name are qualified by their effects."""
    names = Counter([shown(operation) for _, operation, _ in counts.performed])
    return _summed(
        (shown(operation) if names[shown(operation)] == 1 else f"{shown(operation)} of {shown(effect)}", n)
        for effect, operation, n in counts.performed
    )


def _handled(counts: Counts) -> Mapping[str, Mapping[str, int]]:
    """Return for each handler how often it ran the clause of each operation."""
    names = dict.fromkeys([shown(handler) or _NAMELESS for handler, _, _ in counts.handled])
    return {name: _summed((shown(op), n) for h, op, n in counts.handled if (shown(h) or _NAMELESS) == name) for name in names}


def _summed(pairs: Iterable[tuple[str, int]]) -> Mapping[str, int]:
    found: Counter[str] = Counter()
    for name, n in pairs:
        found[name] += n
    return found
