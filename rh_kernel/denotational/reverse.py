"""The reverse algebra ``(⟨𝒜⟩, α)`` and ``⟦H⟧``, the homomorphism into it (RH Def. 7.7–7.11, 7.13, Lemma 6.5).

``⟨𝒜⟩(X) = 𝒜(X, X)``. The clauses of H make it an 𝒜-algebra, ``α_{X,Y} : 𝒜(X, Y) × ⟨𝒜⟩(Y) → ⟨𝒜⟩(X)``:

- ``α(η(f), k) = η(⟨f, id_X⟩) ;^μ st_X(k) ;^μ η(R'[f])``: run f and keep its input, run k, pull its result back along f;
- ``α(Op, k) = q^f_Op ;^μ st_D(k) ;^μ q^b_Op``: the auxiliary data D passes beside k; under a strength, ``st_Z(Op)``, the wires
  Z go through k;
- ``α(a ;^μ b, k) = α(a, α(b, k))``.

- ``α([B ? a₁ : a₂], k)``: the choice of the forward parts, k, the choice of the backward parts (``choices``); rounds that are
  kept as one box are likewise the rounds of the forward parts, k, and the rounds of the backward parts (``iterations``).

So a row of boxes is traversed forward, then comes k, and then the row is traversed backward, summing the cotangents of a wire
that several boxes read. The homomorphism induced by H has ``⟦H⟧(η(f)) = α(η(f), p)`` where p interprets its return clause,
whence ``⟦H⟧(a) = α(a, p)``.
"""

from collections.abc import Callable, Sequence
from dataclasses import replace
from typing import TypeAlias

from rh_kernel.denotational.additive import added, is_zero, zero
from rh_kernel.denotational.arrows import Arrow, Choose, Effect, Iterate, Pure, Row, Step
from rh_kernel.denotational.choices import Passes, passes_of_choice
from rh_kernel.denotational.iterations import passes_of_iteration
from rh_kernel.denotational.provenance import Handling, Leg, Mark, Part, Side
from rh_kernel.denotational.smooth import linear, without_dead_boxes, without_unused_inputs
from rh_kernel.denotational.terms import reverse_derivative
from rh_kernel.denotational.wiring import Box, Builder
from rh_kernel.syntax.core import Operation
from rh_kernel.syntax.types import Type

Clauses: TypeAlias = Callable[[Operation], tuple[Arrow, Arrow]]
"""``Op ↦ q^f_Op ∈ 𝒜(A, B × D), q^b_Op ∈ 𝒜(B × D, A)``"""


def algebra(clauses: Clauses, a: Arrow, k: Arrow, handler: str = "") -> Arrow:
    """``α(a, k) ∈ ⟨𝒜⟩(X)`` for ``a ∈ 𝒜(X, Y)`` and ``k ∈ ⟨𝒜⟩(Y)``; ``handler`` is a name for drawings."""
    b: Row = Builder(a.domain, a.names[: len(a.domain)])
    marking = _Marking(b, Handling(handler, a), a)
    image, kept = _forward_pass(a, b, clauses, handler, marking)
    b.place = (Part(handler, Leg.RETURN, len(a.boxes)),)
    cotangents = _Cotangents(b, a.types, marking)
    cotangents.add(a.codomain, b.graft(k, [image[w] for w in a.codomain]))
    _backward_pass(a, b, kept, cotangents, handler)
    return b.close(cotangents.of(range(len(a.domain))))


_Kept: TypeAlias = tuple[tuple[int, ...], Arrow | None]
"""The wires kept for the backward pass of a box, and its backward part, unless it is pure."""


def _forward_pass(a: Arrow, b: Row, clauses: Clauses, handler: str, marking: "_Marking") -> tuple[list[int], list[_Kept]]:
    """Run the boxes of ``a`` on the inputs of b; return the image of each wire, and what is kept for each box."""
    image = list(b.inputs)
    marking.mark(Side.VALUE, range(len(image)), image)
    kept: list[_Kept] = []
    for level, (box, made) in enumerate(a.wired()):
        b.place = _place(box, handler, Leg.FORWARD, level)
        inputs = [image[w] for w in box.inputs]
        match box.content:
            case Pure():
                outputs = b.add(box.content, inputs, box.outputs)
                kept.append((tuple(inputs), None))
            case Effect() | Choose() | Iterate():
                forward, backward = _parts(box.content, clauses, handler)
                results = b.graft(forward, inputs)
                outputs, auxiliary = results[: len(made)], results[len(made) :]
                kept.append((auxiliary, backward))
                marking.beside(made, auxiliary)
        for wire, old in zip(outputs, made, strict=True):
            b.name(wire, a.names[old])
        marking.mark(Side.VALUE, made, outputs)
        image += outputs
    b.mark_all(a, image)
    return image, kept


def _parts(content: Effect | Choose | Iterate, clauses: Clauses, handler: str) -> Passes:
    """Return the forward and the backward part of a box that is not pure."""
    match content:
        case Effect(operation):
            return clauses(operation)
        case Choose():
            return passes_of_choice(content, lambda a: _passes(a, clauses, handler))
        case Iterate():
            return passes_of_iteration(content, lambda a: _passes(a, clauses, handler))


def _passes(a: Arrow, clauses: Clauses, handler: str) -> Passes:
    """``f : X → Y × D`` and ``b : Y × D → X`` with ``α(a, k) = f ;^μ st_D(k) ;^μ b`` for all k."""
    b: Row = Builder(a.domain, a.names[: len(a.domain)])
    handling = Handling(handler, a)
    image, kept = _forward_pass(a, b, clauses, handler, _Marking(b, handling, a))
    b.place = ()
    n, beside = len(a.codomain), [wire for wires, _ in kept for wire in wires]
    forward = b.close((*[image[w] for w in a.codomain], *beside))
    back: Row = Builder(forward.results)
    waiting = iter(back.inputs[n:])
    moved: list[_Kept] = [(tuple([next(waiting) for _ in wires]), backward) for wires, backward in kept]
    cotangents = _Cotangents(back, a.types, _Marking(back, handling, a))
    cotangents.add(a.codomain, back.inputs[:n])
    _backward_pass(a, back, moved, cotangents, handler)
    return forward, back.close(cotangents.of(range(len(a.domain))))


def _backward_pass(a: Arrow, b: Row, kept: Sequence[_Kept], cotangents: "_Cotangents", handler: str) -> None:
    """Pull the cotangents of the results of ``a`` back to its domain."""
    types = a.types
    for level, (box, made) in reversed(list(enumerate(a.wired()))):
        b.place = _place(box, handler, Leg.BACKWARD, level)
        beside, backward = kept[level]
        if backward is not None:
            cotangents.add(box.inputs, b.graft(backward, (*cotangents.of(made), *beside)))
        elif isinstance(box.content, Pure) and box.inputs and not cotangents.reach(made) and linear(box.content.map):
            if cotangents.found(made):
                cotangents.of(made)
                cotangents.add(box.inputs, [zero(types[w], b) for w in box.inputs])
        elif isinstance(box.content, Pure) and box.inputs:
            without = [i for i, wire in enumerate(made) if not cotangents.reach((wire,))]
            cotangents.add(box.inputs, _vjp(box.content, (*cotangents.of(made), *beside), without, b))
    b.place = ()


def homomorphism(clauses: Clauses, p: Arrow, a: Arrow, handler: str = "") -> Arrow:
    """``⟦H⟧_X(a) ∈ ⟨𝒜⟩(X)`` for ``a ∈ 𝒜(X, C)``, where ``p ∈ 𝒜(C, C)`` interprets the return clause of H."""
    return algebra(clauses, a, p, handler)


def _place(box: Box[Step], handler: str, leg: Leg, level: int) -> tuple[Part, ...]:
    op = box.content.operation if isinstance(box.content, Effect) else None
    return (Part(handler, leg, level, op, box.calls), *box.place)


def _vjp(f: Pure, wires: Sequence[int], without: Sequence[int], b: Row) -> tuple[int, ...]:
    """``η(R'[f])`` on these wires, restricted to the inputs that it depends on; it is defined here since f has run.

    ``without`` lists the outputs of f with a symbolic zero as cotangent. A map that only copies its cotangent, such as
    ``R'[x + y]``, is wiring.
    """
    g, kept = without_unused_inputs(without_dead_boxes(reverse_derivative(f.map, without=without)))
    inputs = [wires[i] for i in kept]
    if not g.boxes:
        return tuple([inputs[w] for w in g.codomain])
    return b.add(replace(f, map=g, order=f.order + 1), inputs, g.results)


class _Marking:
    """Marks the wires of the interpretation with the wires of the handled diagram that they belong to."""

    def __init__(self, b: Row, handling: Handling, a: Arrow) -> None:
        self._b = b
        self._handling = handling
        self._made: list[tuple[int, int, Operation | None]] = [(-1, port, None) for port in range(len(a.domain))]
        for level, box in enumerate(a.boxes):
            op = box.content.operation if isinstance(box.content, Effect) else None
            self._made += [(level, port, op) for port in range(len(box.outputs))]

    def mark(self, side: Side, wires: Sequence[int], image: Sequence[int]) -> None:
        """Mark ``image`` as this side of these wires of the handled diagram."""
        for wire, w in zip(wires, image, strict=True):
            self._b.mark(w, Mark(self._handling, side, *self._made[wire]))

    def beside(self, made: Sequence[int], auxiliary: Sequence[int]) -> None:
        """Mark ``auxiliary`` as saved for the backward pass of the box that made these wires."""
        if made:
            self.mark(Side.AUXILIARY, [made[0]] * len(auxiliary), auxiliary)


class _Cotangents:
    """The cotangent accumulated so far for each wire of the handled diagram."""

    def __init__(self, b: Row, types: Sequence[Type], marking: _Marking) -> None:
        self._b = b
        self._types = types
        self._marking = marking
        self._found: dict[int, int] = {}

    def reach(self, wires: Sequence[int]) -> bool:
        """Whether any of these wires has a cotangent other than a symbolic ``0``."""
        return any(wire in self._found and not is_zero(self._found[wire], self._b) for wire in wires)

    def found(self, wires: Sequence[int]) -> bool:
        """Whether any of these wires has a cotangent, including ``0``."""
        return any(wire in self._found for wire in wires)

    def add(self, wires: Sequence[int], cotangents: Sequence[int]) -> None:
        """Add a cotangent to each of these wires."""
        for wire, w in zip(wires, cotangents, strict=True):
            before = self._found.get(wire)
            if before is None or is_zero(before, self._b):
                so_far = w
            elif is_zero(w, self._b):
                so_far = before
            else:
                so_far = added(self._types[wire], before, w, self._b)
            self._marking.mark(Side.SHARE, [wire] * 2, [w, so_far])
            self._found[wire] = so_far

    def of(self, wires: Sequence[int]) -> list[int]:
        """Return the accumulated cotangents, 0 for wires without one."""
        found = [self._found[w] if w in self._found else zero(self._types[w], self._b) for w in wires]
        self._marking.mark(Side.COTANGENT, wires, found)
        return found
