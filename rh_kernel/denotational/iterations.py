"""Rounds of an arrow, kept as one box (LANGUAGE §9).

``⟦repeat⟧`` and ``⟦scan⟧`` are n-fold compositions of arrows ``aₖ : X × S × A → S × B`` with the captured wires X beside them,
a row of the sequences Aⁿ for each round, and what the rounds emit stacked to Bⁿ. As one box this is
``a° : X × S × Aⁿ → S × Bⁿ``, drawn once, with the wires S coming round, and no larger for more rounds.

The algebra of a reverse handler divides each round, ``α(aₖ, k) = fₖ ;^μ st(k) ;^μ bₖ`` with auxiliary data D, and so all:

    α(a°, k) = f° ;^μ st(k) ;^μ b°        f : X × S × A → S × (B × D)        b' : X × (S × X) × (B × A × D) → (S × X) × A

f° keeps D for each round. b° goes through the rounds in the opposite order; in each, b' adds to the cotangent of X so far. What
f keeps of X and A is not stacked again.
"""

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from functools import cache

from rh_kernel.denotational.additive import added, is_zero, zero
from rh_kernel.denotational.arrows import Arrow, Iterate, Row
from rh_kernel.denotational.choices import Passes
from rh_kernel.denotational.smooth import row_at, stack
from rh_kernel.denotational.wiring import Builder
from rh_kernel.source.diagnostic import KernelBug
from rh_kernel.syntax.core import Array
from rh_kernel.syntax.sequences import stacked
from rh_kernel.syntax.types import Type


def numbers(loop: Iterate) -> Sequence[int]:
    """Return the numbers of the rounds in the order in which they run."""
    n = loop.count.constant
    if n is None:
        raise KernelBug(f"the number of rounds {loop.count} is not known")
    ascending = range(loop.first, n)
    return ascending[::-1] if loop.is_reversed else ascending


def round_inputs(loop: Iterate, inputs: Sequence[Array], state: Sequence[Array], k: int) -> tuple[Array, ...]:
    """Return what round k reads: the captured arrays, the state, and its row of each sequence."""
    n = loop.captured + loop.state
    rows = [row_at(m, k - loop.first, A) for m, A in zip(inputs[n:], loop.body.domain[n:], strict=True)]
    return (*inputs[: loop.captured], *state, *rows)


def round_outputs(loop: Iterate, emitted: Sequence[Sequence[Array]]) -> tuple[Array, ...]:
    """Stack what the rounds emitted, given in the order in which they ran."""
    in_order = emitted[::-1] if loop.is_reversed else emitted
    return tuple([stack([row[i] for row in in_order], B) for i, B in enumerate(loop.stacks)])


def passes_of_iteration(loop: Iterate, passes: Callable[[Arrow], Passes]) -> Passes:
    """Return ``X × S × Aⁿ → S × Bⁿ × D'`` and ``S × Bⁿ × D' → X × S × Aⁿ``, given the passes of a round."""
    divided = _divided(loop, loop.body, passes)

    @cache
    def at(k: int) -> _Divided:
        return _divided(loop, loop.arrow(k), passes)

    def f(k: int) -> Arrow:
        return at(k).forward

    def b(k: int) -> Arrow:
        return at(k).backward

    kept, n = divided.kept, len(loop.stacks) + loop.state
    X, S = loop.body.domain[: loop.captured], loop.body.domain[loop.captured : loop.captured + loop.state]
    D = tuple([stacked(loop.length, A) for A in kept.types])

    forward: Row = Builder((*X, *S, *loop.sequences))
    ahead = replace(loop, body=divided.forward, stacks=(*loop.stacks, *D), at=loop.at and f)
    made = forward.add(ahead, forward.inputs, (*S, *ahead.stacks))
    beside = [forward.inputs[w] for w in (*kept.captured, *kept.rows)]
    given = [forward.types[w] for w in beside]

    backward: Row = Builder((*S, *loop.stacks, *given, *D))
    live, rows = divided.live, divided.emitted
    sums = [zero(X[i], backward) for i in live]
    back = Iterate(
        divided.backward,
        len(kept.captured),
        loop.state + len(live),
        loop.first,
        loop.count,
        (*loop.stacks, *given[len(kept.captured) :], *D),
        tuple([loop.sequences[i] for i in rows]),
        is_reversed=not loop.is_reversed,
        command=loop.command,
        at=loop.at and b,
        names=loop.names,
        order=loop.order + 1,
    )
    w = backward.inputs
    m = n + len(kept.captured)
    reads = (*w[n:m], *w[: loop.state], *sums, *w[loop.state : n], *w[m:])
    results = backward.add(back, reads, (*S, *[X[i] for i in live], *back.stacks))
    cotangents = dict(zip(live, results[loop.state :], strict=False))
    pulled = dict(zip(rows, results[loop.state + len(live) :], strict=True))
    of_captured = [cotangents[i] if i in cotangents else zero(A, backward) for i, A in enumerate(X)]
    of_rows = [pulled[i] if i in pulled else zero(A, backward) for i, A in enumerate(loop.sequences)]
    return (
        forward.close((*made[:n], *beside, *made[n:])),
        backward.close((*of_captured, *results[: loop.state], *of_rows)),
    )


@dataclass(frozen=True, slots=True)
class _Kept:
    """What a round keeps: inputs of the round that are captured or rows, by position, and other wires, with their types."""

    captured: tuple[int, ...]
    rows: tuple[int, ...]
    others: tuple[int, ...]
    types: tuple[Type, ...]


@dataclass(frozen=True, slots=True)
class _Divided:
    """``f`` and ``b'`` of one round; ``live`` and ``emitted`` are the positions in X and A that have a cotangent."""

    forward: Arrow
    backward: Arrow
    kept: _Kept
    live: tuple[int, ...]
    emitted: tuple[int, ...]


def _divided(loop: Iterate, a: Arrow, passes: Callable[[Arrow], Passes]) -> _Divided:
    f, b = passes(a)
    n, first_row = loop.state + len(loop.stacks), loop.captured + loop.state
    beside = f.codomain[n:]
    once = tuple(dict.fromkeys(beside))
    captured = tuple([w for w in once if w < loop.captured])
    rows = tuple([w for w in once if first_row <= w < len(f.domain)])
    others = tuple([w for w in once if w not in captured and w not in rows])
    types = f.types
    kept = _Kept(captured, rows, others, tuple([types[w] for w in others]))

    X, S, B = f.domain[: loop.captured], f.domain[loop.captured : first_row], f.results[loop.state : n]
    parts = ([types[w] for w in captured], S, X, B, [types[w] for w in rows], kept.types)
    back: Row = Builder([A for part in parts for A in part])
    ends = [sum(map(len, parts[: i + 1])) for i in range(len(parts))]
    state, sums, emitted = back.inputs[ends[0] : ends[1]], back.inputs[ends[1] : ends[2]], back.inputs[ends[2] : ends[3]]
    waiting = dict(zip((*captured, *rows, *others), (*back.inputs[: ends[0]], *back.inputs[ends[3] :]), strict=True))
    results = back.graft(b, (*state, *emitted, *[waiting[w] for w in beside]))
    live = tuple([i for i in range(len(X)) if not is_zero(results[i], back)])
    pulled = tuple([i for i, w in enumerate(results[first_row:]) if not is_zero(w, back)])
    totals = [added(X[i], sums[i], results[i], back) for i in live]
    codomain = (*results[loop.captured : first_row], *totals, *[results[first_row + i] for i in pulled])
    dropped = [w for i, w in enumerate(sums) if i not in live]
    return _Divided(
        replace(f, codomain=(*f.codomain[:n], *others)),
        _without_inputs(back.close(codomain), dropped),
        kept,
        live,
        pulled,
    )


def _without_inputs(a: Arrow, dropped: Sequence[int]) -> Arrow:
    """Return the arrow without these inputs, which nothing reads."""
    given = [w for w in range(len(a.domain)) if w not in dropped]
    row: Row = Builder([a.domain[w] for w in given], [a.names[w] for w in given])
    image = dict(zip(given, row.inputs, strict=True))
    for box, made in a.wired():
        image.update(zip(made, row.put(replace(box, inputs=tuple([image[w] for w in box.inputs]))), strict=True))
        for w in made:
            row.name(image[w], a.names[w])
    row.mark_all(a, image)
    return row.close([image[w] for w in a.codomain])
