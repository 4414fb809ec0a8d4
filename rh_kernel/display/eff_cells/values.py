"""Values of ``%%eff`` cells as documents and as JSON, and their types.

Documents omit entries in the middle of long lists, and deeply nested parts.
"""

from collections import deque
from dataclasses import replace
from itertools import islice

from rh_kernel.ad.eff import core
from rh_kernel.ad.eff.definitions import shown
from rh_kernel.ad.eff.machine.tensor_values import Tensor
from rh_kernel.ad.eff.printing import cropping
from rh_kernel.ad.eff.printing.terms import value as printed
from rh_kernel.ad.eff.traversal import nodes
from rh_kernel.ad.eff.types import ComputationType, Returner
from rh_kernel.display.data import Json, strict_json
from rh_kernel.display.lambda_cells.steps import one_line
from rh_kernel.syntax.printing.doc import Doc

ENTRIES = 20
"""Entries in the middle of a longer list are omitted."""

DEEPEST = 30
"""Deeper parts are omitted from a document."""

DEEPEST_DATA = 100
"""Deeper parts are texts in JSON, which cannot be parsed or written if it is nested too deeply."""

LARGEST = 400
"""The body of a thunk with more nodes is omitted."""

PARTS = 2_000
"""The largest number of nodes in a document."""


def type_text(C: ComputationType) -> str:
    """The type of the returned value, or the whole computation type if it is not a returner."""
    return cropping.value(C.value) if isinstance(C, Returner) else cropping.computation(C)


def value_doc(V: core.Value) -> Doc:
    """Print V, with ``…`` for the omitted parts."""
    return printed(_Cropping().cropped(V, 0))


class _Cropping:
    """Crops a value; ``left`` is the number of nodes that may still be shown."""

    def __init__(self) -> None:
        self.left = PARTS

    def cropped(self, V: core.Value, depth: int) -> core.Value:
        """Replace the omitted parts of V by variables named ``…``."""
        self.left -= 1
        if depth > DEEPEST or self.left < 0:
            return core.Variable("…")
        match V:
            case core.Constructed("Cons"):
                return self._list(V, depth)
            case core.Constructed(_, fields) if fields:
                return replace(V, fields=tuple([self.cropped(W, depth + 1) for W in fields]))
            case core.Tuple(components) if components:
                return replace(V, components=tuple([self.cropped(W, depth + 1) for W in components]))
            case core.Thunk():
                size = sum(1 for _ in islice(nodes(V), LARGEST + 1))
                self.left -= size
                return core.Thunk(core.Return(core.Variable("…"))) if size > LARGEST or self.left < 0 else V
            case _:
                return V

    def _list(self, V: core.Value, depth: int) -> core.Value:
        first: list[core.Value] = []
        last: deque[core.Value] = deque(maxlen=ENTRIES // 2)
        count = 0
        while isinstance(V, core.Constructed) and V.constructor == "Cons":
            head, V = V.fields
            (first if count < ENTRIES // 2 else last).append(head)
            count += 1
        hidden = count - len(first) - len(last)
        between = [core.Variable(f"… {hidden:,} more …")] if hidden else []
        kept = [self.cropped(W, depth + 1) for W in first]
        kept += [*between, *[self.cropped(W, depth + 1) for W in last]]
        for W in reversed(kept):
            V = core.Constructed("Cons", (W, V))
        return V


def value(V: core.Value, depth: int = 0) -> Json:
    """Convert a value to JSON: numbers, strings, booleans, lists (also of tensors), ``{"tuple": […]}``, ``{"Paired": […]}``.

    Other values, and parts that are nested too deeply, are texts.
    """
    match V:
        case _ if depth > DEEPEST_DATA:
            return one_line(printed(V))
        case core.Literal(found):
            return strict_json(found.array.tolist() if isinstance(found, Tensor) else found)
        case core.Tuple(components):
            return {"tuple": [value(W, depth + 1) for W in components]}
        case core.Constructed("True" | "False" as truth):
            return truth == "True"
        case core.Constructed("Cons" | "Nil"):
            return _entries(V, depth + 1)
        case core.Constructed(constructor, fields):
            return {shown(constructor): [value(W, depth + 1) for W in fields]}
        case core.Variable() | core.Global() | core.Thunk() | core.Reference():
            return one_line(printed(V))


def _entries(V: core.Value, depth: int) -> Json:
    """Convert the entries of a list."""
    found: list[Json] = []
    while isinstance(V, core.Constructed) and V.constructor == "Cons":
        first, V = V.fields
        found.append(value(first, depth))
    return found
