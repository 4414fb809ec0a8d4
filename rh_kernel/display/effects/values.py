"""Values of ``%%eff`` cells as they are shown: of long lists the entries in the middle are left out, and so is what is deep."""

from collections import deque
from dataclasses import replace
from itertools import islice

from rh_kernel.ad.eff import core
from rh_kernel.ad.eff.printing.terms import value
from rh_kernel.ad.eff.traversal import nodes
from rh_kernel.syntax.printing.doc import Doc

ENTRIES = 20
"""Of a longer list the entries in the middle are left out."""

DEEPEST = 30
"""What is nested more deeply is left out."""

LARGEST = 400
"""A thunk with more parts is left out as a whole."""

PARTS = 2_000
"""Behind so many parts of a value nothing is written out."""


def value_doc(V: core.Value) -> Doc:
    """V, with ``…`` for what is left out."""
    return value(_Cropping().cropped(V, 0))


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
        shown = [self.cropped(W, depth + 1) for W in first]
        shown += [*between, *[self.cropped(W, depth + 1) for W in last]]
        for W in reversed(shown):
            V = core.Constructed("Cons", (W, V))
        return V
