"""Choices between two maps, and between two arrows, by a condition (LANGUAGE §9).

In 𝕏, ``⟦if B then M else N⟧ = ⟨⟦Ls⟧, id⟩ ; [B ? ⟦M⟧ : ⟦N⟧]`` where Ls are the terms that B compares and, for f, g : X → Y,

    [B ? f : g] : ℝ²ⁿ × X → Y          (u, x) ↦ f(x) on T(B) × X, g(x) on F(B) × X
    R'[[B ? f : g]] (w, u, x) = (0, [B ? R'[f] : R'[g]] (u, w, x))

with T(B) and F(B) open (``conditions``). On their boundary the map is extended by the branch that ``holds`` selects; as a
morphism of PSmooth its derivative is undefined there.

In 𝒜, a choice of arrows is a box with both in it. The algebra of a reverse handler divides each branch into its forward and
its backward part, ``α(aᵢ, k) = fᵢ ;^μ st(k) ;^μ bᵢ`` with auxiliary data Dᵢ, so that the rest k is not in it twice:

    α([B ? a₁ : a₂], k) = [B ? f₁ : f₂] ;^μ st(k) ;^μ [B ? b₁ : b₂]      with auxiliary data ℝ²ⁿ × D₁ × D₂

where fᵢ gives 0 for the auxiliary data of the other branch.
"""

from collections.abc import Callable, Collection, Sequence
from dataclasses import replace
from typing import TypeAlias

from rh_kernel.denotational.additive import zero
from rh_kernel.denotational.arrows import Arrow, Choose, Row
from rh_kernel.denotational.smooth import Choice, Draft, Interpreted, Smooth, ZeroMap, reverse
from rh_kernel.denotational.wiring import Builder
from rh_kernel.syntax.conditions import operand_count
from rh_kernel.syntax.types import SCALAR, Type

Passes: TypeAlias = tuple[Arrow, Arrow]
"""``f : X → Y × D`` and ``b : Y × D → X``"""


def pullback_of_choice(choice: Choice, pullback: Interpreted, without: Collection[int]) -> Smooth:
    """``R'[[B ? f : g]]``; the cotangents at the positions ``without`` are symbolic zeros."""
    Y, X = choice.then.results, choice.then.domain
    n, m = len(Y), operand_count(choice.condition)
    b: Draft = Builder((*Y, *(SCALAR,) * m, *X))
    branches = [reverse(f, pullback, None, without) for f in (choice.then, choice.otherwise)]
    is_derivative = choice.is_derivative or choice.has_boundary
    pulled = Choice(choice.condition, *branches, is_derivative=is_derivative, span=choice.span)
    w, u, x = b.inputs[:n], b.inputs[n : n + m], b.inputs[n + m :]
    cotangents = b.add(pulled, (*u, *w, *x), X)
    zeros = [b.add(ZeroMap(SCALAR), (), (SCALAR,))[0] for _ in u]
    return b.close((*zeros, *cotangents))


def passes_of_choice(choice: Choose, passes: Callable[[Arrow], Passes]) -> Passes:
    """Return ``f : ℝ²ⁿ × X → Y × D`` and ``b : Y × D → ℝ²ⁿ × X``, given the passes of the branches."""
    Y, X = choice.then.results, choice.then.domain
    m = operand_count(choice.condition)
    (f1, b1), (f2, b2) = passes(choice.then), passes(choice.otherwise)
    D1, D2 = f1.results[len(Y) :], f2.results[len(Y) :]
    forward: Row = Builder((SCALAR,) * m + X)
    ahead = replace(choice, then=_padded(f1, len(Y), (), D2), otherwise=_padded(f2, len(Y), D1, ()), is_derived=True)
    made = forward.add(ahead, forward.inputs, (*Y, *D1, *D2))
    n = len(Y)
    backward: Row = Builder((*Y, *(SCALAR,) * m, *D1, *D2))
    w, u, kept = backward.inputs[:n], backward.inputs[n : n + m], backward.inputs[n + m :]
    back = replace(
        choice,
        then=_restricted(b1, (*Y, *D1, *D2), range(n + len(D1))),
        otherwise=_restricted(b2, (*Y, *D1, *D2), (*range(n), *range(n + len(D1), n + len(D1) + len(D2)))),
        order=choice.order + 1,
        is_derived=True,
    )
    cotangents = backward.add(back, (*u, *w, *kept), X)
    return (
        forward.close((*made[:n], *forward.inputs[:m], *made[n:])),
        backward.close((*[zero(SCALAR, backward) for _ in u], *cotangents)),
    )


def _padded(f: Arrow, n: int, before: Sequence[Type], after: Sequence[Type]) -> Arrow:
    """``f : X → Y × D`` with zeros before and after D."""
    b: Row = Builder(f.domain)
    made = b.graft(f, b.inputs)
    return b.close((*made[:n], *[zero(A, b) for A in before], *made[n:], *[zero(A, b) for A in after]))


def _restricted(f: Arrow, domain: Sequence[Type], kept: Sequence[int]) -> Arrow:
    """F on the wires at these positions of the domain; the others are discarded."""
    b: Row = Builder(domain)
    return b.close(b.graft(f, [b.inputs[i] for i in kept]))
