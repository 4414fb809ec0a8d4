"""§4.5: the type checker rejects programs that confuse levels, and names both."""

import pytest

from tests.ad.handlers.programs import rejected, value

FLOAT, PAIRED = "Smooth (Paired Float)", "Smooth (Paired (Paired Float))"

CONFUSED = {
    "a number of the level around": "d {x -> t x (d {y -> p x y} (c 1))} (c 1)",
    "a constant of this level in a number of the level around": "d {x -> t x (d {y -> p (Paired x (c 0)) y} (c 1))} (c 1)",
    "lift around the inner derivative": "d {x -> t x (lift (d {y -> p x y} (c 1)))} (c 1)",
    "lift of a sum that is made at this level": "d {x -> t x (d {y -> p (lift (p x x)) y} (c 1))} (c 1)",
}


@pytest.mark.parametrize("program", CONFUSED.values(), ids=CONFUSED)
def test_confused_levels_are_refused_and_both_are_named(program: str) -> None:
    """The programs of §4.5"""
    found = rejected(f"handle {program} with evaluate")
    assert type(found).__name__ == "LevelsConfused"
    assert FLOAT in found.message
    assert PAIRED in found.message


def test_three_levels_need_two_lifts() -> None:
    """§4.5: x has to be lifted past two handlers"""
    program = "d {x -> t x (d {y -> t y (d {z -> t z (t y x)} (c 1))} (c 1))} (c 1)"
    assert type(rejected(f"handle {program} with evaluate")).__name__ == "LevelsConfused"


NARROW = """
fun narrow (f : {Paired x -> [Smooth (Paired x)] Paired x}) (x : x) : [Smooth x] x =
  let one = c 1 in
  tangent (handle <Smooth(s a b -> s b)> (f (Paired x one)) with diff)
"""


def test_a_derivative_that_lets_no_level_through_has_no_use_for_lift() -> None:
    """§4.5: if the program is of type {Paired x -> [Smooth (Paired x)] Paired x} it cannot do anything at the level around"""
    assert value("handle narrow {x -> t x x} 3 with evaluate", NARROW) == 6
    found = rejected("handle narrow {x -> t x (narrow {y -> p (lift x) y} (c 1))} (c 1) with evaluate", NARROW)
    assert "`lift`" in found.message


def test_the_level_around_is_reached_by_an_adaptor() -> None:
    """§4.5: what ``lift`` does, written out"""
    program = "d {x -> t x (d {y -> p (Paired x (<Smooth> (c 0))) y} (c 1))} (c 1)"
    assert value(f"handle {program} with evaluate") == 1


def test_lift_twice_is_not_a_lift_by_two_levels() -> None:
    """§4.5: no combination of ``lift`` with itself is ``lift2``"""
    program = "d {x -> t x (d {y -> t y (d {z -> t z (t (lift y) (lift (lift x)))} (c 1))} (c 1))} (c 1)"
    rejected(f"handle {program} with evaluate")
