"""Values as JSON, for ``rh run --json`` and for messages to a page (LANGUAGE §8).

Arrays are nested lists, tuples are ``{"tuple": […]}``, and numbers that are not finite are ``"nan"``, ``"inf"``, ``"-inf"``.
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
    """Convert a closed value to nested lists and ``{"tuple": […]}``."""
    match V:
        case Tuple(items):
            return {"tuple": [value(W) for W in items]}
        case Zero(Product(factors)):
            return {"tuple": [value(Zero(A)) for A in factors]}
        case _:
            return array(to_array(V))


def array(content: Array) -> Json:
    """Convert an array to nested lists of its entries."""
    nested: Json = content.tolist()
    return nested if np.isfinite(content).all() else strict_json(nested)


def strict_json(entry: Json) -> Json:
    """Replace the numbers in nested lists that are not finite by strings."""
    match entry:
        case list():
            return [strict_json(inner) for inner in entry]
        case float() if not math.isfinite(entry):
            return str(entry)
        case _:
            return entry


def contents(changes: Sequence[Change]) -> Record:
    """The new content of each location, by its name in ``location_names``."""
    names = location_names([change.location for change in changes])
    return {names[change.location]: array(change.after) for change in changes}


def location_names(locations: Iterable[Location], older: str = "{}#{}") -> dict[Location, str]:
    """Return distinct names for locations; ``older`` formats name and version of one that a later declaration hides."""
    found = [*locations]
    newest: dict[str, int] = {}
    for location in found:
        newest[location.name] = max(newest.get(location.name, 0), location.version)
    return {
        location: location.name if location.version == newest[location.name] else older.format(location.name, location.version)
        for location in found
    }
