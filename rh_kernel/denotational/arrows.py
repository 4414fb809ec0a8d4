"""``Arr_Σ(X, Y)``, the arrows over operations (RH Def. 7.5, Fig. 9, 10), and the strong promonad they form (Lemma 7.6).

An arrow is a diagram of pure boxes, ``η(f)`` for f in 𝕏, and operations. ``a ;^μ b`` is ``wiring.then``; ``st_Z(a)``, in Fig. 9
``first_Z(a)``, is ``wiring.beside``; ``unit`` is ``η``, in Fig. 9 ``arr``. In this form most axioms of Fig. 10 are equalities.

``normal_form`` decides them all: it splits the pure boxes into symbols, shares common subexpressions, and moves every symbol to
its first use, so that only the order of the operations remains. Two operations are never exchanged.
"""

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import TypeAlias, cast

from rh_kernel.denotational.smooth import Smooth, Symbol
from rh_kernel.denotational.wiring import Builder, Diagram
from rh_kernel.source.diagnostic import KernelBug
from rh_kernel.syntax.core import Operation, Term
from rh_kernel.syntax.types import Type, leaves


@dataclass(frozen=True, slots=True)
class Pure:
    """``η(f)``: a box with rounded corners.

    ``term`` is the term interpreted by f, with ``names`` for its variables, the last one index 0; f is ``R'`` applied ``order``
    times to its interpretation. Equality compares f only.
    """

    map: Smooth
    term: Term | None = field(default=None, compare=False)
    names: tuple[str, ...] = field(default=(), compare=False)
    order: int = field(default=0, compare=False)


@dataclass(frozen=True, slots=True)
class Effect:
    """``Op : A → B``: a box with square corners."""

    operation: Operation


Step: TypeAlias = Pure | Effect
Arrow: TypeAlias = Diagram[Step]
Row: TypeAlias = Builder[Step]


def unit(f: Smooth) -> Arrow:
    """``η(f) ∈ 𝒜(X, Y)`` for ``f : X → Y`` in 𝕏."""
    b: Row = Builder(f.domain)
    return b.close(b.add(Pure(f), b.inputs, f.results))


def perform(op: Operation) -> Arrow:
    """``Op ∈ 𝒜(⟦A⟧, ⟦B⟧)``"""
    b: Row = Builder(leaves(op.domain))
    return b.close(b.add(Effect(op), b.inputs, leaves(op.codomain)))


def normal_form(a: Arrow) -> "Diagram[Symbol | Operation]":
    """Return the diagram of symbols and operations that congruent arrows share, up to points where pure maps are undefined."""
    return _Normal(_symbols(a)).form()


def _symbols(a: Arrow) -> "Diagram[Symbol | Operation]":
    """Return the arrow with its pure boxes split into symbols."""
    b: Builder[Symbol | Operation] = Builder(a.domain)
    image = list(b.inputs)
    for box, _ in a.wired():
        inputs = [image[w] for w in box.inputs]
        match box.content:
            case Pure(f):
                image += b.graft(cast("Diagram[Symbol | Operation]", f), inputs)
            case Effect(op):
                image += b.add(op, inputs, box.outputs)
    return b.close([image[w] for w in a.codomain])


class _Normal:
    """The operations in their order, each preceded by the symbols that it is the first to need."""

    def __init__(self, a: "Diagram[Symbol | Operation]") -> None:
        self._made: Builder[Symbol | Operation] = Builder(a.domain)
        self._image: dict[int, int] = dict(enumerate(self._made.inputs))
        self._shared: dict[tuple[Symbol, tuple[int, ...]], tuple[int, ...]] = {}
        self._from = {wire: (box, made) for box, made in a.wired() for wire in made}
        self._diagram = a

    def form(self) -> "Diagram[Symbol | Operation]":
        for box, made in self._diagram.wired():
            if isinstance(box.content, Operation):
                inputs = self._demand(box.inputs)
                self._image.update(zip(made, self._made.add(box.content, inputs, box.outputs), strict=True))
        return self._made.close(self._demand(self._diagram.codomain))

    def _demand(self, wires: Sequence[int]) -> list[int]:
        todo = list(reversed(wires))
        while todo:
            wire = todo.pop()
            if wire in self._image:
                continue
            box, made = self._from[wire]
            missing = [w for w in box.inputs if w not in self._image]
            if missing:
                todo += [wire, *reversed(missing)]
            else:
                self._share(box.content, tuple([self._image[w] for w in box.inputs]), box.outputs, made)
        return [self._image[w] for w in wires]

    def _share(self, content: Symbol | Operation, inputs: tuple[int, ...], outputs: tuple[Type, ...], made: range) -> None:
        if isinstance(content, Operation):
            raise KernelBug("an operation is needed before its turn")
        found = self._shared.get((content, inputs))
        if found is None:
            found = self._shared[content, inputs] = self._made.add(content, inputs, outputs)
        self._image.update(zip(made, found, strict=True))
