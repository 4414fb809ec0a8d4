"""``Map`` on NumPy: one ufunc call per line of the body, which writes directly to the line's store or to a temporary array.

A ``Schedule`` assigns the values to arrays. It does not depend on the offsets of the views, so equal layers share one.
"""

from collections import Counter
from dataclasses import dataclass
from functools import lru_cache, partial
from typing import TypeAlias

import numpy as np

from rh_kernel.arrays.numpy_backend.arrays import Arrays
from rh_kernel.loops import scalars
from rh_kernel.loops.ir import Instruction, Map, Number
from rh_kernel.loops.scalars import Action

Line: TypeAlias = Instruction | None
"""A line of the body; ``None`` for a literal, or for a line whose value is not used"""


@dataclass(frozen=True, slots=True)
class Stored:
    """Value number ``value`` is stored in a buffer that the arguments ``readers`` read, too"""

    value: int
    accumulate: bool
    readers: tuple[int, ...]


@dataclass(frozen=True, slots=True)
class Schedule:
    """The lines, and the array of each one's value: the view of a store, or a temporary, numbered after the stores.

    ``copied`` are pairs of an argument and the temporary that it has to be copied to before anything is stored.
    """

    lines: tuple[Line, ...]
    places: tuple[int, ...]
    copied: tuple[tuple[int, int], ...]
    temporaries: int


def entries(step: Map, arrays: Arrays) -> list[Action]:
    """Return the calls of a ``Map``."""
    lines = tuple([line if isinstance(line, Instruction) else None for line in step.body])
    stores = tuple(
        [
            Stored(s.value, s.accumulate, tuple([k for k, view in enumerate(step.arguments) if view.buffer == s.view.buffer]))
            for s in step.stores
        ]
    )
    made = schedule(lines, len(step.arguments), stores)
    values = [arrays.of(view) for view in step.arguments]
    places = [arrays.of(store.view) for store in step.stores]
    places += [arrays.scratch(step.shape) for _ in range(made.temporaries)]
    done: list[Action] = []
    for given, line, place in zip(step.body, made.lines, made.places, strict=True):
        if line is None:
            values.append(arrays.number(given.value if isinstance(given, Number) else 0.0))
        else:
            done += line.function.calls(arrays, places[place], [values[k] for k in line.arguments])
            values.append(places[place])
    for k, place in made.copied:
        done.append(partial(np.copyto, places[place], values[k]))
        values[k] = places[place]
    n = len(step.arguments)
    for i, store in enumerate(step.stores):
        if store.accumulate:
            done.append(partial(np.add, places[i], values[store.value], places[i]))
        elif store.value < n or made.lines[store.value - n] is None or not _is_there(step, made.places[store.value - n], i):
            done.append(partial(np.copyto, places[i], values[store.value]))
    return done


def _is_there(step: Map, place: int, i: int) -> bool:
    """Whether array number ``place`` is the view of store number i."""
    return place == i or (place < len(step.stores) and step.stores[place].view == step.stores[i].view)


@lru_cache(maxsize=1024)
def schedule(lines: tuple[Line, ...], n: int, stores: tuple[Stored, ...]) -> Schedule:
    """Assign the values of a body on n arguments to arrays, with as few temporaries as possible."""
    lines = _compared(lines, n, stores)
    last = {k: i for i, line in enumerate(lines, start=n) if line for k in line.arguments}
    last.update({store.value: n + len(lines) for store in stores})
    stored = _stored(lines, n, stores, last)
    free: list[int] = []
    places: list[int] = []
    at: dict[int, int] = {}
    temporaries = 0
    for i, line in enumerate(lines, start=n):
        left = [k for k in dict.fromkeys(line.arguments) if k in at and last[k] == i] if line else []
        if line and line.function.in_place:
            # It may be written where it reads for the last time.
            free += [at.pop(k) for k in left]
            left = []
        if line is None or i in stored:
            places.append(stored.get(i, 0))
        else:
            if not free:
                free.append(len(stores) + temporaries)
                temporaries += 1
            at[i] = free.pop()
            places.append(at[i])
        free += [at.pop(k) for k in left]
    copied: list[tuple[int, int]] = []
    written = {k for store in stores for k in store.readers}
    for k in sorted({store.value for store in stores} & written):
        if not free:
            free.append(len(stores) + temporaries)
            temporaries += 1
        copied.append((k, free.pop()))
    return Schedule(lines, tuple(places), tuple(copied), temporaries)


def _compared(lines: tuple[Line, ...], n: int, stores: tuple[Stored, ...]) -> tuple[Line, ...]:
    """Rewrite ``step(x − y)`` to ``x > y``, a step of two arguments, where the difference has no other use."""
    made = list(lines)
    uses = Counter(k for line in lines if line for k in line.arguments)
    uses.update(store.value for store in stores)
    for i, line in enumerate(lines):
        if line and line.function is scalars.STEP and line.arguments[0] >= n:
            (k,) = line.arguments
            difference = lines[k - n]
            if difference and difference.function is scalars.SUB and uses[k] == 1:
                made[k - n] = None
                made[i] = Instruction(scalars.STEP, difference.arguments)
    return tuple(made)


def _stored(lines: tuple[Line, ...], n: int, stores: tuple[Stored, ...], last: dict[int, int]) -> dict[int, int]:
    """The values that may be computed directly in their stores, because no later line reads the old content."""
    found: dict[int, int] = {}
    for i, store in enumerate(stores):
        if store.accumulate or store.value < n or store.value in found:
            continue
        line = lines[store.value - n]
        if line is None:
            continue
        aside = not line.function.in_place
        if all(last.get(k, -1) < store.value or (not aside and last[k] == store.value) for k in store.readers):
            found[store.value] = i
    return found
