"""𝕏 = PSmooth (RH Ex. 6.9), smooth partial functions, the free such category on Σ_fun: composition, ``+``, ``0`` and ``R'``.

A morphism is a diagram of function symbols. For ``f : X → Y`` the reverse derivative is ``R'[f] : Y × X → X``, the cotangent
first, so that ``R'[⟦f⟧] = ⟦rd[f]⟧`` (Def. 7.2, arguments as in Fig. 6). On a diagram it follows from the axioms of reverse
differential restriction categories (Def. 6.8): the chain rule RD.5 traverses the row of boxes backward, RD.4 sums the
cotangents of a wire that is used twice, RD.3 gives projections zeros elsewhere, and RD.1 preserves ``+`` and ``0``.
"""

from collections.abc import Callable, Collection, Sequence
from dataclasses import dataclass
from typing import TypeAlias

import numpy as np

from rh_kernel.denotational.wiring import Builder, Diagram
from rh_kernel.primitives.schemes import extent
from rh_kernel.primitives.smoothness import require_smooth
from rh_kernel.primitives.table import kernel
from rh_kernel.source.interruptible import when_large
from rh_kernel.syntax.core import Array, Const, Primitive
from rh_kernel.syntax.types import Type


@dataclass(frozen=True, slots=True)
class Apply:
    """``⟦f⟧`` for a primitive function symbol"""

    function: Primitive


@dataclass(frozen=True, slots=True)
class Constant:
    """``⟦c⟧ : 1 → β``"""

    constant: Const


@dataclass(frozen=True, slots=True)
class Nought:
    """``0 : 1 → β``"""

    type: Type


@dataclass(frozen=True, slots=True)
class Sum:
    """``π₁ + π₂ : β × β → β``"""

    type: Type


@dataclass(frozen=True, slots=True)
class Own:
    """``⟦f⟧`` for a user-defined function with a custom derivative: here ``R'`` is whatever the program says.

    It need not be linear in the cotangent, so ``R'`` of a diagram calls it even where the cotangent is 0, unless ``asked`` is
    false: then the function is only there to be defined at the point of its derivative.
    """

    name: str
    map: "Smooth"
    pullback: "Smooth"
    asked: bool = True


Symbol: TypeAlias = Apply | Constant | Nought | Sum | Own
Smooth: TypeAlias = Diagram[Symbol]
Draft: TypeAlias = Builder[Symbol]
Interpreted: TypeAlias = Callable[[Symbol], Smooth]
"""``⟦f⟧ ↦ R'[⟦f⟧]`` for single symbols with at least one argument."""


def total(wires: Sequence[int], A: Type, b: Draft) -> int:
    """``x₁ + … + xₙ``; the empty sum is 0."""
    if not wires:
        (zero,) = b.add(Nought(A), (), (A,))
        return zero
    so_far = wires[0]
    for wire in wires[1:]:
        (so_far,) = b.add(Sum(A), (so_far, wire), (A,))
    return so_far


def is_zero(wire: int, b: Draft) -> bool:
    """Whether a wire is ``0``; as a cotangent it is a symbolic zero, neither multiplied nor added."""
    made = b.maker(wire)
    return made is not None and isinstance(made[0], Nought)


def reverse(f: Smooth, pullback: Interpreted, along: Collection[int] | None = None, without: Collection[int] = ()) -> Smooth:
    """``R'[f] : Y × X → X``; with ``along``, only the components of the result at these positions of X (``R'[f] ; π``).

    The cotangents at the positions ``without`` of Y are symbolic zeros.
    """
    wanted = range(len(f.domain)) if along is None else sorted(along)
    results = f.results
    b: Draft = Builder((*results, *f.domain))
    cotangents: dict[int, list[int]] = {}
    for position, wire in enumerate(f.codomain):
        if position not in without:
            cotangents.setdefault(wire, []).append(b.inputs[position])
    image = list(b.inputs[len(results) :])
    live = set(wanted)
    passed: list[tuple[Symbol, tuple[int, ...], range]] = []
    for box, made in f.wired():
        image += b.add(box.content, [image[w] for w in box.inputs], box.outputs)
        if not live.isdisjoint(box.inputs):
            live.update(made)
            passed.append((box.content, box.inputs, made))
    types = f.types
    for symbol, inputs, made in reversed(passed):
        if any(wire in cotangents for wire in made) or _is_asked(symbol):
            ws = [total(cotangents.get(wire, ()), types[wire], b) for wire in made]
            pulled = b.graft(pullback(symbol), (*ws, *[image[w] for w in inputs]))
            for wire, w in zip(inputs, pulled, strict=True):
                if not is_zero(w, b):
                    cotangents.setdefault(wire, []).append(w)
    return b.close([total(cotangents.get(wire, ()), types[wire], b) for wire in wanted])


def linear(f: Smooth) -> bool:
    """Whether ``R'[f]`` maps the cotangent 0 to 0, as RD.2 demands: it does unless a function has a custom derivative."""
    return not any(_is_asked(box.content) for box in f.boxes)


def _is_asked(symbol: Symbol) -> bool:
    return isinstance(symbol, Own) and symbol.asked


def without_idle_boxes(f: Smooth) -> Smooth:
    """Return the same map, where f is defined, without the boxes that no result depends on."""
    needed, kept = set(f.codomain), set[int]()
    for position, (box, made) in reversed(list(enumerate(f.wired()))):
        if not needed.isdisjoint(made):
            needed.update(box.inputs)
            kept.add(position)
    b: Draft = Builder(f.domain)
    image = dict(enumerate(b.inputs))
    for position, (box, made) in enumerate(f.wired()):
        if position in kept:
            outputs = b.add(box.content, [image[w] for w in box.inputs], box.outputs)
            image.update(zip(made, outputs, strict=True))
    return b.close([image[w] for w in f.codomain])


def without_idle_inputs(f: Smooth) -> tuple[Smooth, tuple[int, ...]]:
    """Return the same map restricted to the inputs that it depends on, and their positions."""
    used = {w for box in f.boxes for w in box.inputs} | set(f.codomain)
    kept = tuple(i for i in range(len(f.domain)) if i in used)
    b: Draft = Builder([f.domain[i] for i in kept])
    image = [b.inputs[kept.index(i)] if i in used else -1 for i in range(len(f.domain))]
    for box, _ in f.wired():
        image += b.add(box.content, [image[w] for w in box.inputs], box.outputs)
    return b.close([image[w] for w in f.codomain]), kept


def apply(f: Smooth, arguments: Sequence[Array], *, strict: bool = False) -> list[Array]:
    """``f(x₁, …, xₙ)``: arrays in the order of the domain, and of the codomain.

    Points where f is undefined give ``nan`` or ``±inf``; with ``strict`` f is a morphism of PSmooth, and undefined wherever one
    of its symbols is not smooth (RH Def. E.4). Raises ``Stuck`` there, and if a type has no arrays.
    """
    values = list(arguments)
    with np.errstate(all="ignore"):
        for box, _ in f.wired():
            values += _apply(box.content, [values[w] for w in box.inputs], strict=strict)
    return [values[w] for w in f.codomain]


def _apply(symbol: Symbol, arguments: list[Array], *, strict: bool) -> list[Array]:
    match symbol:
        case Apply(f):
            if strict:
                require_smooth(f, arguments, None)
            return [kernel(f, np)(*arguments)]
        case Constant(c):
            return [c.value]
        case Nought(A):
            return [np.zeros(extent(A))]
        case Sum():
            x, y = arguments
            return [when_large(x.size, lambda: x + y)]
        case Own(_, f):
            return apply(f, arguments, strict=strict)
