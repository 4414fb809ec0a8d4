"""Random arrows and handlers, as the interpretations of random commands."""

from collections.abc import Mapping
from dataclasses import dataclass

import numpy as np
from hypothesis import strategies as st
from hypothesis.strategies import DrawFn

from rh_kernel.denotational.arrows import Arrow
from rh_kernel.denotational.commands import interpret, reverse_clauses
from rh_kernel.denotational.evaluate import Outcome, run
from rh_kernel.denotational.reverse import Clauses
from rh_kernel.primitives.schemes import extent
from rh_kernel.syntax.core import Array, Scope
from rh_kernel.syntax.signature import Location
from rh_kernel.syntax.types import Type
from tests.laws.readings import assert_close, assert_same_heap
from tests.strategies import World, dice_of, draw_type, heap_of
from tests.strategies_of_commands import draw_command, draw_reverse_handler


@dataclass(frozen=True)
class Handled:
    """The clauses and the return clause of a reverse handler at the type C, and handled arrows ``X ⇝ Y ⇝ C``."""

    clauses: Clauses
    p: Arrow
    a: Arrow
    b: Arrow


@st.composite
def arrows(draw: DrawFn, A: Type, B: Type, fuel: int = 3) -> Arrow:
    """``⟦x : A ⊢ P : B⟧`` for a command with heap operations only."""
    return interpret((A,), Scope(("x",), draw_command(dice_of(draw), World().delta(A), B, fuel)))


@st.composite
def handled(draw: DrawFn) -> Handled:
    """A handler and two composable arrows that it handles."""
    dice = dice_of(draw)
    w = World()
    A, B, C = (draw_type(dice, w) for _ in range(3))
    H, inside = draw_reverse_handler(dice, w, C, 3)
    a = interpret((A,), Scope(("x",), draw_command(dice, inside.gamma.delta(A), B, 3)))
    b = interpret((B,), Scope(("y",), draw_command(dice, inside.gamma.delta(B), C, 3)))
    return Handled(reverse_clauses(H), interpret((C,), H.returns), a, b)


def inputs_of(a: Arrow, seed: int) -> list[Array]:
    """Arrays for the domain."""
    rng = np.random.default_rng(seed)
    return [rng.uniform(-1, 1, extent(A)) for A in a.domain]


def behave_alike(a: Arrow, b: Arrow, seed: int) -> None:
    """Assert that two arrows agree on some inputs and some heap, with the same heap accesses in the same order."""
    assert a.domain == b.domain
    assert a.results == b.results
    inputs, heap = inputs_of(a, seed), heap_of(seed)
    one, other = _outcome(a, inputs, heap), _outcome(b, inputs, heap)
    assert_close(one.values, other.values)
    assert_same_heap(one.heap, other.heap)
    assert one.accesses == other.accesses


def _outcome(a: Arrow, inputs: list[Array], heap: Mapping[Location, Array]) -> Outcome:
    return run(a, inputs, heap)
