"""Counts of operations, clauses, continuations, cells and frames, by hand and as functions of the number of iterations."""

from rh_kernel.ad.eff import loading
from rh_kernel.ad.eff.machine.counting import Counts
from rh_kernel.ad.eff.machine.running import run


def counted(text: str, declarations: str = "", *programs: str) -> Counts:
    """The counts of a run."""
    definitions = loading.declared(declarations, loading.program(*programs) if programs else None)
    found = run(loading.checked(text, definitions).term, definitions, counting=True).counts
    assert found is not None
    return found


def test_a_run_does_not_count_by_default() -> None:
    definitions = loading.prelude()
    assert run(loading.checked("1.0 + 2.0", definitions).term, definitions).counts is None


def test_operations_and_clauses_by_hand() -> None:
    declared = """\
effect Tick = tick : Float | tock : Float -> Float
handler ticks = return x -> x | <tick -> k> -> k 1.0 | <tock x -> k> -> let y = k x in y + 1.0
handler around = return x -> x | <tick -> k> -> k 5.0 | <tock x -> k> -> k x
"""
    program = "handle (handle (let a = tick! in let b = tock a in let c = <Tick> tick! in a + b + c) with ticks) with around"
    found = counted(program, declared)
    assert set(found.performed) == {("Tick", "tick", 2), ("Tick", "tock", 1)}
    assert set(found.handled) == {("ticks", "tick", 1), ("ticks", "tock", 1), ("around", "tick", 1)}
    assert found.handled_by("ticks") == 2
    assert found.handled_by("ticks", "tock") == 1
    assert found.handled_by("nobody") == 0
    # Only tock uses the result of the continuation.
    assert found.captured == 1


def test_an_exception_makes_no_continuation() -> None:
    declared = "effect Raise = raise : a"
    assert counted("handle raise! + 1.0 with { return x -> x | <raise -> _> -> 0.0 }", declared).captured == 0


def test_live_references_are_counted() -> None:
    declared = """\
fun drop (n : Int) = if n <= 0 then () else let _ = new 1.0 in drop (n - 1)
fun keep (n : Int) = if n <= 0 then [] else let r = new 1.0 in r :: keep (n - 1)
"""
    dropped, kept = counted("drop 50", declared), counted("keep 50", declared)
    assert (dropped.cells, kept.cells) == (50, 50)
    assert dropped.cells_alive <= 2
    assert kept.cells_alive == 50
    arrays = counted("let a = array [1.0, 2.0] in let b = new (fetch a 1) in @b")
    assert (arrays.cells, arrays.cells_alive) == (2, 2)
    assert dict.fromkeys(arrays.performed) == dict.fromkeys(
        [("RefState", "array", 1), ("RefState", "fetch", 1), ("RefState", "new", 1), ("RefState", "read", 1)]
    )


def test_calls_outside_of_tail_position_push_frames() -> None:
    declared = """\
fun down (n : Int) : Int = if n <= 0 then 0 else down (n - 1)
fun sum (n : Int) : Int = if n <= 0 then 0 else n + sum (n - 1)
"""
    assert counted("down 1000", declared).frames == 0
    assert counted("sum 1000", declared).frames == 1000


def evaluated(mode: str, n: int) -> int:
    """The number of operations of a derivative of the Taylor series that reach ``evaluate``, without the constant 0.5."""
    text = f"handle {mode} {{x -> taylor {n} x}} (c 0.5) with evaluate"
    return counted(text, "", "evaluate", "forward", "stateful", "continuation", "taylor").handled_by("evaluate") - 1


def test_operations_of_the_taylor_series() -> None:
    for n in (0, 1, 10):
        assert evaluated("d", n) == 22 * n + 5
        assert evaluated("grad", n) == 30 * n + 6
    assert evaluated("dc", 20) > 4 * evaluated("dc", 10) - 1000 > 0


def test_the_reverse_mode_pushes_frames() -> None:
    def frames(n: int) -> int:
        return counted(f"handle grad {{x -> taylor {n} x}} (c 0.5) with evaluate", "", "evaluate", "stateful", "taylor").frames

    assert frames(200) - frames(100) == 2 * (frames(100) - frames(50))
    assert frames(100) >= 4 * 100
