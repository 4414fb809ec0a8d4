"""Loops of a model: a ``scan`` of the language, or else all rounds one behind the other, in which a ``repeat`` may be found."""

from collections.abc import Callable, Sequence
from dataclasses import replace
from typing import TypeAlias

import numpy as np

from rh_kernel.interchange.model import Number, Scan, Value, variables
from rh_kernel.interchange.sources import moves, tensors
from rh_kernel.interchange.sources.builder import Builder, Known, Operand, Tensor, Typed, Unsupported
from rh_kernel.interchange.sources.literals import shortest
from rh_kernel.interchange.sources.shapes import without
from rh_kernel.interchange.sources.simplify import pruned
from rh_kernel.source.records import frozen

MOST_ROUNDS = 64
"""The most rounds that are written one behind the other."""
MOST_INNER_ROUNDS = 1024
"""The most rounds of a loop inside other loops, over all rounds of these."""

Round: TypeAlias = Callable[[Sequence[Operand], Sequence[Operand]], tuple[Sequence[Operand], Sequence[Operand]]]
"""From the states and rows of a round to the next states and its results."""


@frozen
class Side:
    """The axis along which a loop takes the rows of an array, or puts its results, and whether the last one comes first"""

    axis: int = 0
    is_backward: bool = False


@frozen
class Loop:
    """The number of rounds, the states before the first, the arrays of rows, where the results go, and what a round does"""

    count: int
    initial: tuple[Operand, ...]
    rows: tuple[tuple[Operand, Side], ...]
    results: tuple[Side, ...]
    round: Round


def looped(b: Builder, loop: Loop, *, batch: bool) -> list[Operand]:
    """Return the last states and the stacked results. Raises ``Unsupported`` if there are too many rounds.

    With ``batch`` the first axis of a constant state is that of samples if it has the length 1.
    """
    states = tuple([_state(b, s, batch=batch) for s in loop.initial])
    scan = _scan(b, loop, states)
    return _unrolled(b, loop, states) if scan is None else scan


def _state(b: Builder, x: Operand, *, batch: bool) -> Operand:
    """Return the first state as a term, so that all rounds are alike; whole numbers, which count them, stay constants."""
    if isinstance(x, Tensor) or not np.issubdtype(x.array.dtype, np.floating):
        return x
    axis = 0 if batch and x.shape[:1] == (1,) and len(x.shape) > 1 else None
    there = without(x.shape, axis)
    if x.array.size and np.all(x.array == x.array.flat[0]) and not x.is_learned:
        value = Typed(Number(shortest(x.array.flat[0])), (1,))
        return Tensor(moves.spread(b, value, there).term, x.shape, axis)
    return Tensor(b.known(x, axis).term, x.shape, axis)


def _like(b: Builder, x: Operand, state: Operand) -> Operand:
    """Return the next state with the axis of samples where the one before has it."""
    if not isinstance(state, Tensor):
        return x
    t = tensors.tensor(b, x)
    if t.shape != state.shape:
        raise Unsupported("the shape of its state changes")
    return Tensor(b.reshape(t.typed, state.typed.shape).term, state.shape, state.batch)


def _unrolled(b: Builder, loop: Loop, states: Sequence[Operand]) -> list[Operand]:
    if loop.count > MOST_ROUNDS:
        why = f"it has {loop.count} rounds, more than {MOST_ROUNDS}, and is no scan of one array with one result"
        raise Unsupported(why, "scan one array, and return one result in each round")
    if b.rounds * loop.count > MOST_INNER_ROUNDS:
        raise Unsupported(f"it is in other loops, and has more than {MOST_INNER_ROUNDS} rounds in all", "write fewer rounds")
    results: list[list[Operand]] = [[] for _ in loop.results]
    outer, b.rounds = b.rounds, b.rounds * loop.count
    try:
        for k in range(loop.count):
            rows = [_row(b, x, side.axis, loop.count - 1 - k if side.is_backward else k) for x, side in loop.rows]
            following, given = loop.round(states, rows)
            states = [_like(b, x, state) for x, state in zip(following, states, strict=True)]
            for made, x in zip(results, given, strict=True):
                made.append(x)
    finally:
        b.rounds = outer
    stacked = [
        _stacked(b, list(reversed(parts)) if side.is_backward else parts, side.axis)
        for parts, side in zip(results, loop.results, strict=True)
    ]
    return [*states, *stacked]


def _row(b: Builder, x: Operand, axis: int, k: int) -> Operand:
    if isinstance(x, Tensor):
        return tensors.select(b, x, axis, k)
    row = x.moved(lambda array: array.take(k, axis))
    return replace(row, name=f"{x.name}.{k}") if x.is_learned else row


def _stacked(b: Builder, parts: Sequence[Operand], axis: int) -> Operand:
    constants = [x.array for x in parts if isinstance(x, Known) and not x.is_learned]
    if len(constants) == len(parts):
        return Known(np.stack(constants, axis), "constant", is_learned=False)
    return tensors.stack(b, parts, axis)


def _scan(b: Builder, loop: Loop, states: Sequence[Operand]) -> list[Operand] | None:
    """Return what a ``scan`` gives, or ``None`` if the language has none for the loop."""
    if len(loop.rows) != 1 or len(loop.results) > 1 or loop.count < 2:
        return None
    ((rows, side),) = loop.rows
    carried = [s for s in states if isinstance(s, Tensor)]
    if not isinstance(rows, Tensor) or rows.batch == side.axis or len(carried) < len(states):
        return None
    front = tensors.permute(b, rows, (side.axis, *[a for a in range(len(rows.shape)) if a != side.axis]))
    front = _turned(b, front) if side.is_backward else front
    below = None if front.batch is None else front.batch - 1
    item = b.variable(without(front.shape[1:], below))
    # A scan of the language has a state, and each round a result.
    before = [s.typed for s in carried] or [Typed(Number(0.0), (1,))]
    own = tuple([b.variable(s.shape) for s in before])
    inside = [Tensor(v, s.shape, s.batch) for v, s in zip(own, carried, strict=False)]
    outer, b.nodes = b.nodes, []
    try:
        following, given = loop.round(inside, [Tensor(item, front.shape[1:], below)])
        after = tuple([b.typed(_like(b, x, s)).term for x, s in zip(following, inside, strict=True)]) or own
        made = [tensors.tensor(b, x) for x in given]
        result = made[0].typed if made else Typed(after[0], before[0].shape)
        nodes = pruned(b.nodes, [v for M in (result.term, *after) for v in variables(M)])
    finally:
        b.nodes = outer
    outputs, finals = b.variable((loop.count, *result.shape)), tuple([b.variable(s.shape) for s in before])
    initial = tuple([s.term for s in before])
    b.nodes.append(Scan(outputs, finals, item, front.term, own, initial, nodes, result.term, after))
    done = [Tensor(v, s.shape, s.batch) for v, s in zip(finals, carried, strict=False)]
    return [*done, *[_placed(b, outputs, t, loop.count, at) for t, at in zip(made, loop.results, strict=True)]]


def _placed(b: Builder, outputs: Value, one: Tensor, count: int, side: Side) -> Tensor:
    """Return the results of all rounds, one of which is like ``one``, along the axis of the model."""
    batch = None if one.batch is None else one.batch + 1
    shape = (count, *one.shape)
    term = b.reshape(Typed(outputs, outputs.shape), without(shape, batch)).term
    rows = Tensor(term, shape, batch)
    rows = _turned(b, rows) if side.is_backward else rows
    others = list(range(1, len(shape)))
    return tensors.permute(b, rows, (*others[: side.axis], 0, *others[side.axis :]))


def _turned(b: Builder, x: Tensor) -> Tensor:
    """Return the rows in the other order."""
    return tensors.take(b, x, 0, np.arange(x.shape[0])[::-1].copy())
