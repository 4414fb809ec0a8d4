"""Results of ``%%eff`` cells in Python: values, printed lines, counts, and the terms of a trace."""

import numpy as np
import pytest

from rh_kernel.workspace.outcomes_of_cells import Counting, Plain, Reduction, Returning
from rh_kernel.workspace.workspace import Workspace

MINE = "include forward\ninclude evaluate\ndata Pair a = Pair a a\n"


@pytest.fixture
def rh() -> Workspace:
    return Workspace()


@pytest.mark.parametrize(
    ("text", "value", "type"),
    [
        ("1.5", 1.5, "Float"),
        ("quotient 7 2", 3, "Int"),
        ('"a" ++ "b"', "ab", "Text"),
        ("1 == 1", True, "Bool"),
        ("()", (), "Unit"),
        ("(1, [2, 3], [])", (1.0, [2.0, 3.0], []), "(Float, List Float, List a)"),
        ("Pair (Just 1) Nothing", ("Pair", ("Just", 1.0), ("Nothing",)), "Pair (Maybe Float)"),
        ("{1 + 2}", "{1 + 2}", "{Float}"),
        ("\\x -> x + 1", None, "Float -> Float"),
    ],
)
def test_a_value(rh: Workspace, text: str, value: "Plain | None", type: str) -> None:
    found = rh.run(f"%%eff\n{MINE}{text}").outcomes[-1]
    assert isinstance(found, Returning)
    assert found.value == value
    assert found.type == type


def test_a_tensor_is_an_array_that_nobody_writes_to(rh: Workspace) -> None:
    found = rh.run("%%eff\n(tensor_reshape [2, 2] (tensor [1, 2, 3, 4]), tensor [5])").value
    assert isinstance(found, tuple)
    for array, entries in zip(found, ([[1, 2], [3, 4]], [5]), strict=True):
        assert isinstance(array, np.ndarray)
        np.testing.assert_array_equal(array, entries)
        with pytest.raises(ValueError, match="WRITEABLE"):
            array.flags.writeable = True


@pytest.mark.parametrize(
    ("text", "value"),
    [
        ("%%eff\n1\nquotient 7 2\nfun f x = x", 3),
        ("%%eff\n1\n%count quotient 7 2", 3),
        ("1.5\n%%eff\n[1, 2]", [1.0, 2.0]),
        ("1.5\n%%eff\n\\x -> x", None),
        ("%%eff\nfun f x = x", None),
    ],
)
def test_the_value_of_a_program_is_the_last_one(rh: Workspace, text: str, value: "Plain | None") -> None:
    assert rh.run(text).value == value


def test_a_value_after_effects_is_the_last_one(rh: Workspace) -> None:
    np.testing.assert_array_equal(np.asarray(rh.run("%%eff\n1\n%%rh\n1.5").value), [1.5])


def test_lines(rh: Workspace) -> None:
    found = rh.run('%%eff\nprint "a"; print "b"; 1').outcomes[-1]
    assert isinstance(found, Returning)
    assert found.printed == ("a", "b")


def test_counts(rh: Workspace) -> None:
    found = rh.run(f'%%eff\n{MINE}%count print "x"; handle d {{x -> t x x}} (c 3) with evaluate').outcomes[-1]
    assert isinstance(found, Counting)
    assert (found.value, found.type, found.printed) == (6.0, "Float", ("x",))
    # c 3, the seed c 1, and for the product: itself, two products of tangents, their sum.
    assert found.handled == {"evaluate": 6, "diff": 1}
    assert found.performed == {"ap0": 2, "ap2": 5, "print": 1}
    assert found.counts["cells"] == found.counts["cells alive"] == 0
    assert found.counts["continuations"] == 0


def test_a_continuation_is_counted_where_one_is_made(rh: Workspace) -> None:
    """In forward mode, continuations are tail calls; in reverse mode each of the two products remains on the stack."""
    program = "include stateful\ninclude evaluate\n%count handle grad {x -> t x (t x x)} (c 3) with evaluate"
    found = rh.run(f"%%eff\n{program}").outcomes[-1]
    assert isinstance(found, Counting)
    assert (found.value, found.counts["continuations"]) == (27.0, 2)


def test_a_trace(rh: Workspace) -> None:
    found = rh.run(f'%%eff\n{MINE}%trace print "x"; handle c 1 with evaluate').outcomes[-1]
    assert isinstance(found, Reduction)
    assert (found.value, found.type, found.printed) == (1.0, "Float", ("x",))
    assert len(found.terms) == len(found.rules) + 1
    assert found.terms[-1] == "1"
    assert "op" in found.rules
