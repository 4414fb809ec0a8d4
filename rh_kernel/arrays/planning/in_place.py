"""In-place updates: ``w − c · (y xᵀ)`` is subtracted from w's own buffer, after the last use of the old content.

A step whose result is written to a location moves after the last step that reads the old content, and overwrites it. If it
cannot, the new content is copied at the end. Then a product that is only added to something is accumulated directly.
"""

from collections.abc import Collection, Hashable, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import lru_cache
from math import prod
from typing import Generic, TypeAlias, TypeVar

from rh_kernel.arrays.planning.dependence import reads, with_views, writes
from rh_kernel.arrays.program import Register
from rh_kernel.loops import scalars
from rh_kernel.loops.builder import Loops
from rh_kernel.loops.ir import Contract, Instruction, Map, Number, Scratch, Step, Store, View
from rh_kernel.loops.layouts import is_dense

Place = TypeVar("Place", bound=Hashable)
"""A location of the heap, or the number of a result of a round"""

_Affine: TypeAlias = tuple[float, float, float]
"""``(a, b, c)`` stands for ``a + b x + c y``"""


@dataclass(frozen=True, slots=True)
class Updated:
    """Steps that leave each location with its new content, and the views of the results then."""

    steps: list[Step]
    results: Mapping[Register, View]


def in_place(
    steps: Sequence[Step],
    loops: Loops,
    contents: Mapping[Place, int],
    results: Mapping[Register, View],
    updates: Sequence[tuple[Place, View]],
) -> Updated:
    """Make the steps write new contents over the old ones, with copies at the end where needed."""
    return _Scheduler(steps, loops, contents, dict(results)).run(updates)


class _Scheduler(Generic[Place]):
    """A schedule whose steps can move: ``at`` is the current position of each.

    ``makers`` and ``readers`` are the steps that write and read a buffer. ``became`` maps a buffer to the content that it was
    merged into, and ``was`` is its inverse.
    """

    def __init__(
        self, steps: Sequence[Step], loops: Loops, contents: Mapping[Place, int], results: Mapping[Register, View]
    ) -> None:
        self.steps = [*steps]
        self.loops = loops
        self.contents = contents
        self.results = dict(results)
        self.at: list[tuple[int, int]] = [(i, 0) for i in range(len(steps))]
        self.makers, self.readers = _uses(steps)
        self.moves = 0
        self.became: dict[int, int] = {}
        self.was: dict[int, int] = {}

    def run(self, updates: Sequence[tuple[Place, View]]) -> Updated:
        written = {self.contents[location] for location, _ in updates}
        first: list[Step] = []
        saved: dict[View, View] = {}

        def old(view: View) -> View:
            """The view before any step has run: a copy, if it is part of a content that will change."""
            if view.buffer not in written:
                return view
            if view not in saved:
                saved[view] = _whole(self.loops.buffer(Scratch(0, prod(view.shape))), view)
                first.append(_copy(view, saved[view]))
            return saved[view]

        results = {r: old(view) for r, view in self.results.items()}
        given = [(self.contents[location], old(view)) for location, view in updates]
        copied: list[tuple[int, View]] = []
        for content, view in given:
            if not self._try_in_place(view, content):
                copied.append((content, view))
        for i in {i for buffer in self.became for i in (*self.makers[buffer], *self.readers.get(buffer, ()))}:
            self.steps[i] = with_views(self.steps[i], self._image)
        order = sorted(range(len(self.steps)), key=self.at.__getitem__)
        steps = [*first, *[self.steps[i] for i in order]]
        steps += [_copy(self._image(view), _whole(content, view)) for content, view in copied]
        results = {r: self._image(view) for r, view in results.items()}
        return Updated(accumulated(steps, written | {view.buffer for view in results.values()}), results)

    def _try_in_place(self, view: View, content: int) -> bool:
        """Whether the step that computes ``view`` can write over the content instead; if so, move it there."""
        buffer = self.loops.buffers[view.buffer]
        if not (isinstance(buffer, Scratch) and is_dense(view) and view.offset == 0 and buffer.size == prod(view.shape)):
            return False
        makers = self.makers.get(view.buffer, [])
        if len(makers) != 1 or view.buffer in self.became:
            return False
        (maker,) = makers
        step = self.steps[maker]
        if maker in self.readers.get(content, []) and not is_entry_by_entry(step, view.buffer, content):
            return False
        # No step may still read what it overwrites, be it this content or those that its other outputs were merged into.
        contents = {content, *(self.became.get(v.buffer, content) for v in writes(step))}
        others = [i for c in contents for i in self.readers.get(c, ()) if i != maker]
        last = max((self.at[i] for i in others), default=(-1, 0))
        # Move it as early as possible, while its operands are still in the cache and can be freed soon.
        needed = [i for v in reads(step) for i in self.makers.get(v.buffer, ()) if i != maker]
        self.moves += 1
        place = (max(last, *(self.at[i] for i in needed), (-1, 0))[0], self.moves)
        if last < self.at[maker]:
            place = min(place, self.at[maker])
        elif not self._can_move(maker, place):
            return False
        self.at[maker] = place
        self.became[view.buffer] = content
        self.was[content] = view.buffer
        return True

    def _can_move(self, maker: int, place: tuple[int, int]) -> bool:
        """Whether the step can be delayed to ``place``: no earlier step reads its results or overwrites its operands."""
        step, here = self.steps[maker], self.at[maker]
        gives = {view.buffer for view in writes(step)}
        if any(self.at[i] <= place for buffer in gives for i in self.readers.get(buffer, [])):
            return False
        for view in reads(step):
            old = self.was.get(view.buffer)
            if old is not None and any(here < self.at[i] <= place for i in self.makers[old]):
                return False
        return True

    def _image(self, view: View) -> View:
        content = self.became.get(view.buffer)
        return view if content is None else View(content, view.offset, view.shape, view.strides)


def is_entry_by_entry(step: Step, output: int, content: int) -> bool:
    """Whether each entry of the output depends on the same entry of the content, and on no other."""
    if not isinstance(step, Map):
        return False
    own = {replace(store.view, buffer=content) for store in step.stores if store.view.buffer == output}
    return all(view in own for view in step.arguments if view.buffer == content)


def _whole(buffer: int, view: View) -> View:
    strides: list[int] = []
    stride = 1
    for n in reversed(view.shape):
        strides.append(stride)
        stride *= n
    return View(buffer, 0, view.shape, tuple(reversed(strides)))


def _copy(source: View, target: View) -> Map:
    return Map(source.shape, (source,), (), (Store(target, 0),))


# ------------------------------------------------------------------------------------ accumulated products


def accumulated(steps: Sequence[Step], kept: Collection[int]) -> list[Step]:
    """Turn ``t = x · y; w = w + c · t`` into one product that is accumulated in w, if t has no other use.

    It is placed as early as possible, while its operands are still in the cache and can be freed soon.
    """
    makers, readers = _uses(steps)
    placed: dict[int, tuple[int, int]] = {}
    result: list[Step | None] = [*steps]
    for i, step in enumerate(steps):
        for target, product, c in _update(step) if isinstance(step, Map) else ():
            made = makers.get(product.buffer, [])
            if len(made) != 1 or product.buffer in kept or readers.get(product.buffer) != [i]:
                continue
            contract = steps[made[0]]
            if not isinstance(contract, Contract) or contract.accumulate or not _same_place(contract, product, target):
                continue
            needed = [k for view in reads(contract) for k in makers.get(view.buffer, ())]
            if any(made[0] < k < i for k in needed):
                continue
            output = replace(contract.output, buffer=target.buffer)
            result[i] = replace(contract, output=output, scale=contract.scale * c, accumulate=True)
            result[made[0]] = None
            concerned = (*needed, *makers[target.buffer], *readers[target.buffer])
            placed[i] = max([k for k in concerned if k < i and k != made[0]], default=-1), i
            for view in reads(contract):
                readers[view.buffer].append(i)
            break
    order = sorted(range(len(steps)), key=lambda i: placed.get(i, (i, -1)))
    return [step for step in [result[i] for i in order] if step is not None]


def _uses(steps: Sequence[Step]) -> tuple[dict[int, list[int]], dict[int, list[int]]]:
    """The steps that write each buffer, and those that read it; a step occurs once for each of its views."""
    makers: dict[int, list[int]] = {}
    readers: dict[int, list[int]] = {}
    for i, step in enumerate(steps):
        for view in writes(step):
            makers.setdefault(view.buffer, []).append(i)
        for view in reads(step):
            readers.setdefault(view.buffer, []).append(i)
    return makers, readers


def _update(loop: Map) -> list[tuple[View, View, float]]:
    """``[(w, t, c)]`` if the loop is ``w ← w + c · t``, for either argument that can be t."""
    if len(loop.stores) != 1 or len(loop.arguments) != 2 or loop.stores[0].accumulate:
        return []
    form = _form(loop.body, loop.stores[0].value)
    if form is None or form[0] != 0:
        return []
    target = loop.stores[0].view
    return [(target, loop.arguments[1 - i], form[2 - i]) for i in range(2) if loop.arguments[i] == target and form[1 + i] == 1]


@lru_cache(maxsize=256)
def _form(body: tuple[Number | Instruction, ...], value: int) -> _Affine | None:
    """The body as an affine function of its two arguments, at ``value``; ``None`` if it is not affine."""
    forms: list[_Affine | None] = [(0.0, 1.0, 0.0), (0.0, 0.0, 1.0)]
    for line in body:
        forms.append(_affine(line, forms))
    return forms[value]


def _affine(line: Number | Instruction, forms: Sequence[_Affine | None]) -> _Affine | None:
    """The value of a line as an affine form, or ``None`` if it has none."""
    if isinstance(line, Number):
        return line.value, 0.0, 0.0
    given = [forms[i] for i in line.arguments]
    if any(form is None for form in given):
        return None
    (a, b, c), *rest = [form for form in given if form is not None]
    match line.function, rest:
        case scalars.NEG, []:
            return -a, -b, -c
        case scalars.ADD, [(d, e, f)]:
            return a + d, b + e, c + f
        case scalars.SUB, [(d, e, f)]:
            return a - d, b - e, c - f
        case scalars.MUL, [(d, e, f)] if e == f == 0:
            return a * d, b * d, c * d
        case scalars.MUL, [(d, e, f)] if b == c == 0:
            return a * d, a * e, a * f
        case scalars.DIV, [(d, e, f)] if e == f == 0 and d != 0:
            return a / d, b / d, c / d
        case _:
            return None


def _same_place(contract: Contract, product: View, target: View) -> bool:
    """Whether the product fills its buffer in the order in which the loop reads it and writes the target."""
    if target.buffer in (contract.left.buffer, contract.right.buffer):
        return False
    return is_dense(product) and is_dense(target) and product.offset == target.offset == contract.output.offset == 0
