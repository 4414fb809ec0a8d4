"""The normal form that decides the axioms of arrows (RH Fig. 10): two arrows are congruent if their normal forms are equal.

It splits the pure boxes into symbols, shares common subexpressions, and moves every symbol to its first use, so that only the
order of the operations remains. Two operations are never exchanged, and a choice counts as one.
"""

from collections.abc import Sequence
from typing import TypeAlias, cast

from rh_kernel.denotational.arrows import Arrow, Choose, Effect, Iterate, Pure
from rh_kernel.denotational.smooth import Symbol
from rh_kernel.denotational.wiring import Builder, Diagram
from rh_kernel.syntax.core import Operation
from rh_kernel.syntax.types import Type

Content: TypeAlias = Symbol | Operation | Choose | Iterate


def normal_form(a: Arrow) -> "Diagram[Content]":
    """Return the diagram of symbols and operations that congruent arrows share, up to points where pure maps are undefined."""
    return _Normal(_symbols(a)).form()


def _symbols(a: Arrow) -> "Diagram[Content]":
    """Return the arrow with its pure boxes split into symbols."""
    b: Builder[Content] = Builder(a.domain)
    image = list(b.inputs)
    for box, _ in a.wired():
        inputs = [image[w] for w in box.inputs]
        match box.content:
            case Pure(f):
                image += b.graft(cast("Diagram[Content]", f), inputs)
            case Effect(op):
                image += b.add(op, inputs, box.outputs)
            case Choose() as choice:
                image += b.add(choice, inputs, box.outputs)
            case Iterate() as loop:
                image += b.add(loop, inputs, box.outputs)
    return b.close([image[w] for w in a.codomain])


class _Normal:
    """The operations in their order, each preceded by the symbols that it is the first to need."""

    def __init__(self, a: "Diagram[Content]") -> None:
        self._made: Builder[Content] = Builder(a.domain)
        self._image: dict[int, int] = dict(enumerate(self._made.inputs))
        self._shared: dict[tuple[Symbol, tuple[int, ...]], tuple[int, ...]] = {}
        self._from = {wire: (box, made) for box, made in a.wired() for wire in made}
        self._diagram = a

    def form(self) -> "Diagram[Content]":
        for box, made in self._diagram.wired():
            if isinstance(box.content, Operation | Choose | Iterate):
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

    def _share(self, content: Content, inputs: tuple[int, ...], outputs: tuple[Type, ...], made: range) -> None:
        assert not isinstance(content, Operation | Choose | Iterate), "an operation is needed before its turn"
        found = self._shared.get((content, inputs))
        if found is None:
            found = self._shared[content, inputs] = self._made.add(content, inputs, outputs)
        self._image.update(zip(made, found, strict=True))
