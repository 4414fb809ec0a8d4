"""Perturbation confusion is a type error (Sigal 2024, §4.5); the diagnostic names both levels and a conversion."""

import pytest

from rh_kernel.ad.eff import loading
from rh_kernel.ad.eff.definitions import Definitions
from rh_kernel.ad.eff.errors import LevelsConfused, UnhandledEffect
from rh_kernel.ad.eff.printing.types import computation
from rh_kernel.source.diagnostic import Diagnostic, Rejected

ONE, TWO, THREE = "Paired Float", "Paired (Paired Float)", "Paired (Paired (Paired Float))"


def definitions() -> Definitions:
    return loading.program("forward", "evaluate")


def refused(text: str, declared: Definitions | None = None) -> Diagnostic:
    with pytest.raises(Rejected) as raised:
        loading.checked(text, declared or definitions())
    (found,) = raised.value.diagnostics
    return found


def levels(text: str, declared: Definitions | None = None) -> tuple[str, str, str, str]:
    """The span, the type of the number that was found, that of the number that is needed, and the hint."""
    found = refused(text, declared)
    assert isinstance(found, LevelsConfused)
    assert found.span is not None
    assert f"Smooth {_argument(found.found)}" in found.message
    assert f"Smooth {_argument(found.expected)}" in found.message
    return found.span.text, found.found, found.expected, found.hint


def _argument(type: str) -> str:
    return f"({type})" if " " in type else type


LIFTED, CONSTANT = "`lift x` brings it inwards, to that level", "`c 1.0` is a constant of that level"
OUTWARDS = "`<Smooth> (c 0)` does it one level outwards"

CONFUSED = {
    "x is not lifted": ("d {x -> t x (d {y -> p x y} (c 1))} 1.0", "x", ONE, TWO, LIFTED),
    "c 0 is not masked": ("d {x -> t x (d {y -> p (Paired x (c 0)) y} (c 1))} 1.0", "c 0", TWO, ONE, OUTWARDS),
    "lift around the inner derivative": ("d {x -> t x (lift (d {y -> p x y} (c 1)))} (c 1)", "x", ONE, TWO, LIFTED),
    "lift of a sum of the inner level": ("d {x -> t x (d {y -> p (lift (p x x)) y} (c 1))} (c 1)", "x", ONE, TWO, LIFTED),
    "three levels, y is not lifted": (
        "d {x -> t x (d {y -> t y (d {z -> t z (t y x)} (c 1))} (c 1))} (c 1)",
        "y",
        TWO,
        THREE,
        "`lift y` brings it inwards, to that level",
    ),
    "three levels, x is lifted once only": (
        "d {x -> t x (d {y -> t y (d {z -> t z (t (lift y) (lift x))} (c 1))} (c 1))} (c 1)",
        "x",
        ONE,
        TWO,
        LIFTED,
    ),
    "three levels, x is not lifted": (
        "d {x -> t x (d {y -> t y (d {z -> t z (t (lift y) x)} (c 1))} (c 1))} (c 1)",
        "x",
        ONE,
        THREE,
        "`lift2 x` brings it inwards, to that level",
    ),
    "two levels outwards": (
        "d {x -> t x (d {y -> t y (d {z -> t z (lift2 (Paired 1.0 (c 0)))} (c 1))} (c 1))} (c 1)",
        "c 0",
        THREE,
        "Float",
        "`<Smooth(s a b c d -> s a)> (c 0)` does it on the level that is needed",
    ),
    "a literal where a number of level is needed": ("d {x -> p 1.0 x} 1.0", "1.0", "Float", ONE, CONSTANT),
    "a literal that nobody has called a Float": ("d {x -> p 1 x} 1.0", "1", "Float", ONE, "`c 1` is a constant of that level"),
    "a number that has a name": (
        "let one = c 1 in d {x -> p one x} 1.0",
        "one",
        "Float",
        ONE,
        "`lift one` brings it inwards, to that level",
    ),
}


@pytest.mark.parametrize(("program", "place", "found", "needed", "hint"), CONFUSED.values(), ids=CONFUSED)
def test_levels_are_confused(program: str, place: str, found: str, needed: str, hint: str) -> None:
    """The rejected programs of §4.5, and others like them"""
    assert levels(f"handle {program} with evaluate") == (place, found, needed, hint)


def test_the_message() -> None:
    """The rendered diagnostic."""
    found = refused("handle d {x -> t x (d {y -> p x y} (c 1))} 1.0 with evaluate")
    assert found.code == "RH510"
    assert found.message == (
        "`x` is a number of level `Smooth (Paired Float)`, but here one of the level `Smooth (Paired (Paired Float))` is needed"
    )


@pytest.mark.parametrize(
    "program",
    [
        "d {x -> t x (d {y -> p (lift x) y} (c 1))} 1.0",
        "d {x -> t x (d {y -> p (Paired x (<Smooth> (c 0))) y} (c 1))} 1.0",
        "d {x -> t x (d {y -> t y (d {z -> t z (t (lift y) (lift2 x))} (c 1))} (c 1))} (c 1)",
        "d {y -> d {x -> t x (t x x)} y} (c 1)",
        # What the adaptor does is seen: this gives the wrong 2, and has a type.
        "d {x -> t x (lift (<Smooth> (d {y -> p x y} (c 1))))} (c 1)",
    ],
)
def test_accepted_programs(program: str) -> None:
    """The accepted programs of §4.5"""
    checked = loading.checked(f"handle {program} with evaluate", definitions())
    assert computation(checked.type) == "Float"


def test_without_evaluate_the_numbers_are_unknown_and_the_levels_differ_still() -> None:
    """No type is ``x ~ Paired x``"""
    text, found, needed, hint = levels("d {x -> t x (d {y -> p x y} (c 1))} (c 1)")
    assert (text, found, needed, hint) == ("x", "Paired _", "Paired (Paired _)", LIFTED)


def test_a_function_that_uses_its_argument_on_two_levels() -> None:
    """The inner use is typed first, so the diagnostic is at the outer one."""
    with pytest.raises(Rejected) as raised:
        loading.declared("fun bad x = t x (d {y -> p x y} (c 1))", definitions())
    (found,) = raised.value.diagnostics
    assert isinstance(found, LevelsConfused)
    assert found.hint == "on the inner level, write `lift x` instead of `x`"
    fine = loading.declared("fun good x = t x (d {y -> p (lift x) y} (c 1))", definitions())
    assert "good" in fine.functions


def test_a_function_on_one_level_is_distinguished_from_a_number() -> None:
    found = refused("handle d {x -> t x (let f = {y -> p x y} in d f (c 1))} (c 1) with evaluate")
    assert isinstance(found, LevelsConfused)
    assert found.message.startswith("`f` is for numbers of level `Smooth (Paired Float)`, but here ones of the level")
    found = refused("handle d {x -> let xs = [x] in d {y -> let ys = y :: xs in y} x} 1.0 with evaluate")
    assert isinstance(found, LevelsConfused)
    assert found.message.startswith("`xs` has numbers of level `Smooth (Paired Float)`")
    assert found.hint == "`lift` brings a number inwards, to that level"


def test_the_smaller_row() -> None:
    """§4.5: if d takes ``{Paired x -> [Smooth (Paired x)] Paired x}``, there is no outer level for ``lift``."""
    narrow = """\
fun narrow (f : {Paired x -> [Smooth (Paired x)] Paired x}) (x : x) : [Smooth x] x =
  let one = c 1 in dv (handle <Smooth(s a b -> s b)> (f (Paired x one)) with diff)
fun dv z = match z | Paired _ y -> y
"""
    lines = narrow.splitlines(keepends=True)
    declared = loading.declared("".join([lines[2], *lines[:2]]), definitions())
    found = refused("handle narrow {x -> t x (narrow {y -> p (lift x) y} (c 1))} (c 1) with evaluate", declared)
    assert isinstance(found, UnhandledEffect)
    assert found.operation == "ap0"
    assert found.where == "by `lift`"
    assert found.effect == "`Smooth (Paired Float)`"
    assert loading.checked("handle narrow {x -> t x x} (c 1) with evaluate", declared)


def test_other_type_errors_do_not_mention_levels() -> None:
    assert refused('handle d {x -> p "a" x} (c 1) with evaluate').code == "RH102"
    assert refused("handle d {x -> p [x] x} (c 1) with evaluate").code == "RH102"
    assert refused("handle d {x -> p (x, x) x} (c 1) with evaluate").code == "RH102"


def test_two_states_are_not_levels() -> None:
    """Labels of one effect are not enough: neither ``Int`` nor ``Text`` is a part of the other."""
    state = "effect Cell s = take : s | leave : s -> Unit\n"
    with pytest.raises(Rejected) as raised:
        loading.declared(f"{state}fun f (x : Float) : [Cell Int, Cell Text] Unit = leave 1")
    (found,) = raised.value.diagnostics
    assert (found.code, found.found, found.expected) == ("RH102", "Float", "Text")
    assert loading.declared(f"{state}fun f (x : Float) : [Cell Int, Cell Text] Unit = <Cell> (leave 1)")
