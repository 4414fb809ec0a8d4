"""Plain data, as JSON can hold it: the objects of ``rh run --json`` and of messages to a page (LANGUAGE §8).

Arrays are nested lists, a tuple is ``{"tuple": […]}``, and a number that is not finite is the string ``nan``, ``inf`` or
``-inf``.
"""

import math
from collections.abc import Iterable, Sequence
from typing import TypeAlias

import numpy as np

from rh_kernel.primitives.values import to_array
from rh_kernel.session.results import Change
from rh_kernel.syntax.core import Array, Term, Tuple, Zero
from rh_kernel.syntax.signature import Location
from rh_kernel.syntax.types import Product

Json: TypeAlias = "float | str | list[Json] | dict[str, Json] | None"
Record: TypeAlias = dict[str, Json]


def value(V: Term) -> Json:
    """A closed value: nested lists, and ``{"tuple": […]}``."""
    match V:
        case Tuple(items):
            return {"tuple": [value(W) for W in items]}
        case Zero(Product(factors)):
            return {"tuple": [value(Zero(A)) for A in factors]}
        case _:
            return array(to_array(V))


def array(content: Array) -> Json:
    """Nested lists of the entries."""
    nested: Json = content.tolist()
    return nested if np.isfinite(content).all() else strict_json(nested)


def strict_json(entry: Json) -> Json:
    """A number, or lists of numbers, with strings for those that are not finite."""
    match entry:
        case list():
            return [strict_json(inner) for inner in entry]
        case float() if not math.isfinite(entry):
            return str(entry)
        case _:
            return entry


def contents(changes: Sequence[Change]) -> Record:
    """The new content of each location, by its name (``location_names``)."""
    names = location_names([change.location for change in changes])
    return {names[change.location]: array(change.after) for change in changes}


def location_names(locations: Iterable[Location], older: str = "{}#{}") -> dict[Location, str]:
    """A name for each location; one that a later declaration hides has its version behind its name, as ``older`` says."""
    found = [*locations]
    newest: dict[str, int] = {}
    for location in found:
        newest[location.name] = max(newest.get(location.name, 0), location.version)
    return {
        location: location.name if location.version == newest[location.name] else older.format(location.name, location.version)
        for location in found
    }
