"""H1–H7: the examples of chapter 3, which are not about derivatives."""

import pytest

from tests.ad.handlers.programs import counted, outcome, value

DIVIDE = """
fun over (x : Int) (y : Int) = if y == 0 then exception "Divided by zero" else x
"""


def test_h1_an_exception_does_not_go_on() -> None:
    """H1"""
    M = "handle (print \"'a' is 2, \"; let y = over 2 0 in print (show y)) with report"
    assert outcome(M, DIVIDE).printed == ("'a' is 2, ", "Exception: Divided by zero")


def test_h2_a_default_twice() -> None:
    """H2"""
    assert value("handle (let a = default! in let b = default! in (a, b)) with defaultTo 1") == (1, 1)


def test_h2_handlers_have_a_scope() -> None:
    """H2"""
    assert value("let a = (handle default! with defaultTo 1) in let b = (handle default! with defaultTo 2) in (a, b)") == (1, 2)


def test_h2_an_exception_outside_of_a_default() -> None:
    """H2"""
    M = "handle (handle (let y = over default! default! in print (show y)) with defaultTo 0) with report"
    assert outcome(M, DIVIDE).printed == ("Exception: Divided by zero",)


@pytest.mark.parametrize(("handler", "result"), [("runState", (4, 4)), ("logState", (4, [2, 4]))])
def test_h3_state(handler: str, result: object) -> None:
    """H3: a put that is logged after what follows it"""
    M = "let x = get! in put (x + 1); let y = get! in put (y + y); get!"
    assert value(f"(handle ({M}) with {handler}) 1") == result


def test_h4_numbering_a_list() -> None:
    """H4: index "abc" """
    program = "fun index xs = let (ys, _) = (handle mapped {x -> let i = postAcc 1 in (i, x)} xs with runState) 0 in ys"
    assert value('index ["a", "b", "c"]', program) == [
        (0, "a"),
        (1, "b"),
        (2, "c"),
    ]


def test_h5_two_instances_of_one_effect() -> None:
    """H5: one cell is set to what is in the other one, and 1: (0, (1, ()))"""
    program = """
handler cell =
    return x -> \\s -> (s, x)
  | <get -> k> -> \\s -> k s s
  | <put s -> k> -> \\_ -> k () s
"""
    assert value("(handle (handle (let x = <State> get! in put (x + 1)) with cell) 0 with cell) 0", program) == (0, (1, ()))


SUM = """
handler sum4 = return x -> x | <pick -> k> -> k 1 + k 10 + k 100 + k 1000
"""


def test_h6_a_continuation_used_four_times() -> None:
    """H6"""
    assert value("handle pick! with sum4", "effect Pick = pick : Float", SUM) == 1111


INCREASING = """
effect Op = op : Int
fun repeat (i : Int) (total : Int) = if i <= 0 then total else let x = op! in repeat (i - 1) (total + x)
handler one = return x -> x | <op -> k> -> k 1
handler more = return x -> x | <op -> k> -> let x = op! in k (x + 1)
"""


def test_h7_two_handlers_of_one_effect_take_linear_time() -> None:
    """H7: the program that is quadratic in Koka"""
    found = {i: counted(f"handle (handle repeat {i} 0 with more) with one", INCREASING).steps for i in (1, 100, 200, 400, 800)}
    assert value("handle (handle repeat 100 0 with more) with one", INCREASING) == 200
    assert found[800] - found[400] == 2 * (found[400] - found[200]) == 4 * (found[200] - found[100])
