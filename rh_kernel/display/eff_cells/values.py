"""Values of ``%%eff`` cells as documents and as data, and their types.

A document leaves out the entries in the middle of long lists, and what is deep.
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
"""Of a longer list the entries in the middle are left out."""

DEEPEST = 30
"""What is nested more deeply is left out of a document."""

DEEPEST_DATA = 100
"""What is nested more deeply is a text in a record: deep data can be neither written nor read."""

LARGEST = 400
"""A thunk with more parts is left out as a whole."""

PARTS = 2_000
"""Behind so many parts of a value nothing is written out."""


def type_text(C: ComputationType) -> str:
    """The type of what is returned, or of the function."""
    return cropping.value(C.value) if isinstance(C, Returner) else cropping.computation(C)


def value_doc(V: core.Value) -> Doc:
    """V, with ``…`` for what is left out."""
    return printed(_Cropping().cropped(V, 0))


class _Cropping:
    """How many parts may still be shown."""

    def __init__(self) -> None:
        self.left = PARTS

    def cropped(self, V: core.Value, depth: int) -> core.Value:
        """V with names instead of what is left out."""
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
    """A value: a number, a text, a truth value, a list for lists and tensors, ``{"tuple": […]}``, ``{"Paired": […]}``.

    What else there is, and what is deeper, is a text.
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
    """The entries of a list."""
    found: list[Json] = []
    while isinstance(V, core.Constructed) and V.constructor == "Cons":
        first, V = V.fields
        found.append(value(first, depth))
    return found
