"""``Get`` and ``Put`` (RH Ex. 5.13)."""

import numpy as np
import pytest

from rh_kernel.operational.binders import bind, fixed, plus, returned, tuple_from
from rh_kernel.operational.heap import Change, Heap
from rh_kernel.operational.trace import run, steps
from rh_kernel.paper import Rule
from rh_kernel.source.diagnostic import Stuck
from rh_kernel.syntax.core import Zero
from rh_kernel.syntax.signature import Location
from rh_kernel.syntax.types import real
from rh_kernel.syntax.values import constant
from tests.operational.nets import get, location, put, shape_of, then

A, B = location("a", 2), location("b", 2)
HP = Heap({A: np.array([1.0, 2.0]), B: np.array([3.0, 4.0])})


def test_get_after_put_gives_what_was_put() -> None:
    P = then(put(A, fixed(constant([5.0, 6.0]))), get(A))(0)
    result = run(P, HP)
    assert result.value == constant([5.0, 6.0])
    assert result.heap == HP.put(A, np.array([5.0, 6.0]))


def test_put_leaves_the_other_locations_and_the_first_heap() -> None:
    result = run(put(A, fixed(constant([5.0, 6.0])))(0), HP)
    assert result.heap[B] is HP[B]
    assert HP[A].tolist() == [1.0, 2.0]


def test_get_leaves_the_heap() -> None:
    assert run(bind(get(A), "w", lambda w: returned(tuple_from(w, plus(w, w))))(0), HP).heap is HP


def test_a_step_keeps_only_its_change() -> None:
    changes = [step.change for step in steps(then(put(A, fixed(constant([5.0, 6.0]))), get(B))(0), HP)]
    (change,) = [c for c in changes if c is not None]
    assert isinstance(change, Change)
    assert (change.location, change.content.tolist()) == (A, [5.0, 6.0])


def test_a_zero_is_written_out_in_the_precision_of_the_location() -> None:
    hp = Heap({A: np.zeros(2, dtype=np.float32) + 1})
    after = run(put(A, fixed(Zero(real(2))))(0), hp).heap[A]
    assert after.tolist() == [0.0, 0.0]
    assert after.dtype == np.float32


def test_put_returns_the_unit() -> None:
    assert run(put(A, fixed(constant([5.0, 6.0])))(0), HP).value == constant([])


def test_nobody_writes_on_a_heap() -> None:
    mine = np.array([1.0, 2.0])
    hp = Heap({A: mine})
    mine[0] = 9.0
    assert hp[A].tolist() == [1.0, 2.0]
    with pytest.raises(ValueError, match="read-only"):
        hp[A][0] = 9.0


def test_a_redeclared_location_is_another_one() -> None:
    newer = Location("a", shape_of(2), version=1)
    with pytest.raises(Stuck, match="RH202"):
        run(get(newer)(0), HP)


@pytest.mark.parametrize("rule", [Rule.GET, Rule.PUT])
def test_the_redex_is_the_operation_itself(rule: Rule) -> None:
    P = bind(get(A), "w", lambda w: put(B, w))(0)
    (step,) = [step for step in steps(P, HP) if step.rule is rule]
    assert step.path == ((0,) if rule is Rule.GET else ())


def test_heaps_are_equal_when_their_contents_are() -> None:
    assert Heap({A: np.array([1.0, 2.0]), B: np.array([3.0, 4.0])}) == HP
    assert HP.put(A, np.array([0.0, 0.0])) != HP
    assert HP != {A: 1}
    assert hash(Heap({})) == hash(Heap())
    assert "Location(name='a'" in repr(HP)
