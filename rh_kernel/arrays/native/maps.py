"""C for ``Map``: a single loop nest with as few axes as possible."""

from collections.abc import Sequence

from rh_kernel.arrays.native.axes import Axis, axes
from rh_kernel.arrays.native.scalars import expression, needs_ends
from rh_kernel.arrays.native.text import moves, nest, place
from rh_kernel.loops.ir import Map, View

SHORT = 4
"""An innermost axis with at most this many indices is swapped with a longer one."""


def map_kernel(step: Map) -> list[str]:
    """Return the body of a kernel on the arguments and then the stores."""
    views = [*step.arguments, *[store.view for store in step.stores]]
    stores = range(len(step.arguments), len(views))
    # The views that are written decide the order of the axes, so their strides come first.
    order = [*stores, *range(len(step.arguments))]
    found = [
        Axis(axis.extent, tuple([axis.strides[order.index(i)] for i in range(len(views))]))
        for axis in axes(step.shape, [views[i] for i in order])
    ]
    found = _long_inside(found, [*stores])
    head = [f"real *p{i} = array[{i}];" for i in range(len(views))]
    head += ["ENDS"] if needs_ends(step.body) else []
    # A compiler recognises interleaved entries if they are addressed through the same pointer.
    places = [place(f"p{i}", moves(found, i), distance) for i, distance in woven(views)]
    body = [f"real v{i} = *({places[i]});" for i in range(len(step.arguments))]
    for n, entry in enumerate(step.body, len(step.arguments)):
        body.append(f"real v{n} = {expression(entry)};")
    for i, store in zip(stores, step.stores, strict=True):
        body.append(f"*({places[i]}) {'+=' if store.accumulate else '='} v{store.value};")
    # The entries of a store are distinct, so the loops may run in any order.
    return [*head, *nest(found, body, simd=True)]


def woven(views: Sequence[View]) -> tuple[tuple[int, int], ...]:
    """For each view, the first one whose entries interleave with its own, and the offset from it.

    >>> woven([View(0, 4, (9,), (2,)), View(1, 5, (9,), (2,)), View(0, 5, (9,), (2,))])
    ((0, 0), (1, 0), (0, 1))
    """
    found: list[tuple[int, int]] = []
    for i, view in enumerate(views):
        step = min([abs(s) for s in view.strides if s], default=0)
        same = [j for j in range(i) if (views[j].buffer, views[j].strides) == (view.buffer, view.strides)]
        near = [(j, view.offset - views[j].offset) for j in same if abs(view.offset - views[j].offset) < step]
        found.append(near[0] if near else (i, 0))
    return tuple(found)


def _long_inside(found: list[Axis], stores: list[int]) -> list[Axis]:
    """Reorder a nest so that vectorising its innermost loop pays: the longest axis goes inside if the last is short."""
    if len(found) < 2 or found[-1].extent > SHORT:
        return found
    longest = max(range(len(found)), key=lambda i: (found[i].extent, -abs(found[i].strides[stores[0]])))
    return [*found[:longest], *found[longest + 1 :], found[longest]]
