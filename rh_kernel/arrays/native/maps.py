"""``Map`` and ``Gather`` as C: one loop over as few axes as there can be."""

from rh_kernel.arrays.native.axes import Axis, axes
from rh_kernel.arrays.native.scalars import expression
from rh_kernel.arrays.native.text import loop, moves, nest, place
from rh_kernel.arrays.plan import Gather, Map, View

SHORT = 4
"""An innermost axis of no more indices changes places with a longer one."""


def map_kernel(step: Map) -> list[str]:
    """The body of a kernel whose arrays are those of the arguments and then those of the stores."""
    views = [*step.arguments, *[store.view for store in step.stores]]
    stores = range(len(step.arguments), len(views))
    # What is written decides on the order, so its strides come first.
    order = [*stores, *range(len(step.arguments))]
    found = [
        Axis(axis.extent, tuple([axis.strides[order.index(i)] for i in range(len(views))]))
        for axis in axes(step.shape, [views[i] for i in order])
    ]
    found = _long_inside(found, [*stores])
    head = [f"{'' if i in stores else 'const '}real *p{i} = array[{i}];" for i in range(len(views))]
    body = [f"real v{i} = *({place(f'p{i}', moves(found, i))});" for i in range(len(step.arguments))]
    for n, entry in enumerate(step.body, len(step.arguments)):
        body.append(f"real v{n} = {expression(entry)};")
    for i, store in zip(stores, step.stores, strict=True):
        body.append(f"*({place(f'p{i}', moves(found, i))}) {'+=' if store.accumulate else '='} v{store.value};")
    # No two entries of a store lie at one place, so the loops may go in any order.
    return [*head, *nest(found, body, simd=True)]


def _long_inside(found: list[Axis], stores: list[int]) -> list[Axis]:
    """A nest whose innermost loop is worth vectorising: the last axis, or the longest if the last is short."""
    if len(found) < 2 or found[-1].extent > SHORT:
        return found
    longest = max(range(len(found)), key=lambda i: (found[i].extent, -abs(found[i].strides[stores[0]])))
    return [*found[:longest], *found[longest + 1 :], found[longest]]


def gather_kernel(step: Gather) -> list[str]:
    """The body of a kernel whose arrays are those of the output and the argument, and the table."""
    depth = step.table.shape[1]
    along = (step.output.strides[-1], step.argument.strides[-1])
    rows = axes(step.output.shape[:-1], [_but_last(step.output), _but_last(step.argument)])
    whole = bool((step.table >= 0).all())
    lines = [f"const real *from = {place('p1', moves(rows, 1))};", f"real *to = {place('p0', moves(rows, 0))};"]
    lines += [loop("j", step.output.shape[-1]), "AS_WRITTEN", "real sum = 0;"]
    for entry in range(depth) if depth <= SHORT else ("l",):
        lines += [] if depth <= SHORT else [loop("l", depth), "AS_WRITTEN"]
        lines += [f"int t{entry} = table[j * {depth}L + {entry}];"]
        lines += [f"{'' if whole else f'if (t{entry} >= 0) '}sum += from[t{entry} * {along[1]}L];"]
        lines += [] if depth <= SHORT else ["}"]
    lines += [f"to[j * {along[0]}L] = sum;", "}"]
    head = ["real *p0 = array[0];", "const real *p1 = array[1];", "const int *table = array[2];"]
    return [*head, *nest(rows, lines)]


def _but_last(view: View) -> View:
    return View(view.buffer, view.offset, view.shape[:-1], view.strides[:-1])
