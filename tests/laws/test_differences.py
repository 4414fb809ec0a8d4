"""``W.rd(x. N)(V)`` is the reverse derivative: ``⟨W.rd(x. N)(V), D⟩ = ⟨W, dN/dx(V) · D⟩``, where differences give ``dN/dx``.

Fig. 6 gives the right side by rewriting, the compiler by walking a tape back; both are tried.
"""

from collections.abc import Sequence

import numpy as np
from hypothesis import assume, given
from hypothesis import strategies as st

from rh_kernel.arrays.compile import compile_term
from rh_kernel.arrays.execution import prepare
from rh_kernel.loops.trees import leaves
from rh_kernel.syntax.core import Array, Bound, Const, Rd, Scope, Term, Tuple
from rh_kernel.syntax.types import Type
from tests.laws.readings import arrays, nested, reached
from tests.strategies import JUMPING, ROUGH, WILD, World, terms, types, values
from tests.tiers import law

# `through` brings a derivative of its own that is not the derivative.
SMOOTH = World(without=JUMPING | ROUGH | WILD | {"through", "stopped"})
STEP = 1e-5


def along(V: Term, h: float, D: Term) -> Term:
    """``V + h D`` for closed values without zeros."""
    match V, D:
        case Const(x), Const(d):
            return Const(np.asarray(x + h * d))
        case Tuple(items), Tuple(directions):
            return Tuple(tuple(along(W, h, E) for W, E in zip(items, directions, strict=True)))
        case _:
            raise AssertionError(V)


def dot(V: Sequence[Array], W: Sequence[Array]) -> float:
    """``⟨V, W⟩`` over all entries."""
    return sum(float(np.sum(x * y)) for x, y in zip(V, W, strict=True))


def difference(N: Term, A: Type, W: Term, V: Term, D: Term) -> tuple[float, float]:
    """The slope of ``⟨W, N⟩`` at V along D, by central differences, and how far off it may be. N has one variable, x : A."""
    value = prepare(compile_term(N, (A,)))

    def at(h: float) -> float:
        found, _ = value([nested(along(V, h, D))], {})
        return dot(leaves(found), arrays(W))

    slope = (at(STEP) - at(-STEP)) / (2 * STEP)
    assume(np.isfinite(slope) and abs(at(0)) < 1e4)
    return slope, 1e-5 * (1 + abs(slope) + abs(at(0)))


def compiled(N: Term, A: Type, W: Term, V: Term, D: Term) -> float:
    """``⟨W.rd(x. N)(V), D⟩``, with the derivative compiled."""
    found, _ = prepare(compile_term(Rd(W, Scope(("x",), N), Bound(0)), (A,)))([nested(V)], {})
    return dot(leaves(found), arrays(D))


@law(100)
@given(st.data())
def test_the_derivative_of_a_term_is_what_differences_say(data: st.DataObject) -> None:
    A, B = data.draw(types()), data.draw(types())
    N = data.draw(terms((A,), B, 5, SMOOTH))
    W, V, D = data.draw(values(B)), data.draw(values(A)), data.draw(values(A))
    slope, tolerance = difference(N, A, W, V, D)
    assert abs(compiled(N, A, W, V, D) - slope) < tolerance
    stepped = reached(Rd(W, Scope(("x",), N), V), {}).value
    assert abs(dot(arrays(stepped), arrays(D)) - slope) < tolerance


@law(60)
@given(st.data())
def test_the_derivative_of_a_derivative_is_what_differences_say(data: st.DataObject) -> None:
    A, B, C = data.draw(types()), data.draw(types()), data.draw(types())
    N = data.draw(terms((A, B), C, 3, SMOOTH))
    M = Rd(data.draw(terms((A,), C, 2, SMOOTH)), Scope(("y",), N), data.draw(terms((A,), B, 2, SMOOTH)))
    W, V, D = data.draw(values(B)), data.draw(values(A)), data.draw(values(A))
    slope, tolerance = difference(M, A, W, V, D)
    assert abs(compiled(M, A, W, V, D) - slope) < tolerance
