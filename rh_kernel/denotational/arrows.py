"""``Arr_Σ(X, Y)``, the arrows over operations (RH Def. 7.5, Fig. 9, 10), and the strong promonad they form (Lemma 7.6).

An arrow is a diagram of pure boxes, ``η(f)`` for f in 𝕏, and operations. ``a ;^μ b`` is ``wiring.then``; ``st_Z(a)``, in Fig. 9
``first_Z(a)``, is ``wiring.beside``; ``unit`` is ``η``, in Fig. 9 ``arr``. In this form most axioms of Fig. 10 are equalities.
"""

from collections.abc import Callable
from dataclasses import dataclass, field
from typing import TypeAlias

from rh_kernel.denotational.smooth import Smooth
from rh_kernel.denotational.wiring import Builder, Diagram
from rh_kernel.syntax.conditions import Condition
from rh_kernel.syntax.core import IfCommand, Operation, Repeat, Scan, Term
from rh_kernel.syntax.dimensions import Dim, dim
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


@dataclass(frozen=True, slots=True)
class Choose:
    """``[B ? a₁ : a₂]``: a box with two arrows in it (``choices``); its first inputs are the numbers that B compares.

    ``command``, with ``names`` for its variables, is what it interprets, and ``order`` is 1 for its backward part.
    ``is_derived``: a derivative goes through it, so as a morphism of PSmooth it is undefined on the boundary of B.
    """

    condition: Condition
    then: "Arrow"
    otherwise: "Arrow"
    command: IfCommand = field(compare=False)
    names: tuple[str, ...] = field(default=(), compare=False)
    order: int = field(default=0, compare=False)
    is_derived: bool = False


@dataclass(frozen=True, slots=True)
class Iterate:
    """Rounds of an arrow ``X × S × A → S × B`` (``iterations``): a box ``X × S × Aⁿ → S × Bⁿ`` with that arrow in it.

    Each round reads the ``captured`` wires X, the ``state`` wires S that the round before it made, and a row of each of the
    ``sequences``; what it makes beside S is stacked to ``stacks``. The rounds are ``first, …, count - 1``, in the opposite
    order if ``is_reversed``. ``body`` has a dimension variable for the number of the round; if that occurs in it, ``at`` is
    the arrow of each round.

    ``command`` is what it interprets, with ``names`` for its variables; ``order`` is 1 for its backward part.
    """

    body: "Arrow"
    captured: int
    state: int
    first: int
    count: Dim
    sequences: tuple[Type, ...]
    stacks: tuple[Type, ...]
    is_reversed: bool
    command: Repeat | Scan = field(compare=False)
    at: "Callable[[int], Arrow] | None" = field(default=None, compare=False, repr=False)
    names: tuple[str, ...] = field(default=(), compare=False)
    order: int = field(default=0, compare=False)

    @property
    def length(self) -> Dim:
        """The number of rounds."""
        return self.count - dim(self.first)

    def arrow(self, k: int) -> "Arrow":
        """Return the arrow of round k."""
        return self.body if self.at is None else self.at(k)


Step: TypeAlias = Pure | Effect | Choose | Iterate
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
