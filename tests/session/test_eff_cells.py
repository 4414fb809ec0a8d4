"""``%%eff`` cells in a session: declarations, results, counts, traces and errors."""

from __future__ import annotations

from pathlib import Path

import pytest

from rh_kernel.ad.eff import core
from rh_kernel.display.eff_cells.values import type_text
from rh_kernel.session.results import (
    Counted,
    DeclarationMade,
    ItemFailed,
    Notice,
    Printed,
    ReductionShown,
    Result,
    Returned,
    Shown,
    TypeShown,
    ValueFound,
    Working,
)
from rh_kernel.session.session import Session, execute
from rh_kernel.source.span import Source
from tests.session import cells

STATE = """\
%%eff
effect State s = get : s | put : s -> Unit
handler runState =
    return x -> \\s -> (x, s)
  | <get -> k> -> \\s -> k s s
  | <put s -> k> -> \\_ -> k () s
fun tick = let n = get! in put (n + 1); n
"""
LOOP = "%%eff\nfun loop x = loop (x + 1)\n"


def run(text: str, session: Session | None = None, *, keep_going: bool = False) -> tuple[list[Result], Session]:
    """Return the results of a cell and the session after it."""
    return cells.run(session or Session.start(Path()), text, keep_going=keep_going)


def last(text: str, session: Session | None = None) -> Result:
    """Return the result of the last item."""
    return run(text, session)[0][-1]


def value(text: str, session: Session | None = None) -> core.Value | None:
    """Return the value of the last item."""
    found = last(text, session)
    assert isinstance(found, Returned), found
    return found.value


def codes(text: str, session: Session | None = None) -> list[str]:
    """Return the codes of all diagnostics of a cell."""
    return [d.code for r in run(text, session)[0] if isinstance(r, ItemFailed) for d in r.diagnostics]


# -- declarations --------------------------------------------------------------------------------------------------------------


def test_declarations_are_reported_with_their_kinds_and_types() -> None:
    results, _ = run(STATE + "data Cont x [e] = Cont x {x -> [e] x}")
    assert results == [
        DeclarationMade("State", "an effect", "Type -> Effect"),
        DeclarationMade("runState", "a handler", "<State a> b -> a -> (b, a)"),
        DeclarationMade("tick", "a function", "{[State Float] Float}"),
        DeclarationMade("Cont", "a data type", "Type -> Row -> Type"),
    ]


def test_lines_that_begin_with_a_bar_or_a_brace_continue_an_item() -> None:
    results, _ = run("%%eff\ndata Two = One\n\n# a comment\n| Other\nfun f = {\n  One\n}!\nf!")
    assert [type(r) for r in results] == [DeclarationMade, DeclarationMade, Returned]


def test_what_a_cell_declares_is_there_in_later_cells_and_nowhere_else() -> None:
    _, session = run(STATE)
    assert value("%%eff\n(handle tick! with runState) 5.0", session) == core.Tuple((core.Literal(5.0), core.Literal(6.0)))
    assert codes("%%lambda\ntick(1)", session) == ["RH101"]
    assert codes("tick", session) == ["RH101"]


def test_a_name_that_is_declared_anew_leaves_what_was_made_with_the_old_one() -> None:
    _, session = run("%%eff\nfun f = 1\nfun g = f!")
    _, session = run("%%eff\nfun f = 2", session)
    assert value("%%eff\n(f!, g!)", session) == core.Tuple((core.Literal(2.0), core.Literal(1.0)))


def test_a_program_is_included_once() -> None:
    (told, again), session = run("%%eff\ninclude forward\ninclude forward")
    assert isinstance(told, Notice)
    assert told.text == "forward: Paired, value, tangent, diff, d, lift, lift2"
    assert again == Notice("forward is included already")
    (third,), after = run("%%eff\ninclude smooth", session)
    assert third == Notice("smooth is included already")
    assert after.effects is session.effects


# -- a cell takes effect as a whole --------------------------------------------------------------------------------------------


def test_nothing_of_a_failing_cell_takes_effect() -> None:
    _, session = run("%%eff\nfun f = 1")
    results, after = run("%%eff\nfun f = 2\nfun g = 3\nnonsense", session)
    assert [type(r) for r in results] == [ItemFailed]
    assert after is session
    assert value("%%eff\nf!", after) == core.Literal(1.0)


def test_nothing_of_a_cell_that_gets_stuck_takes_effect() -> None:
    _, session = run("%%eff\nfun f = 1")
    results, after = run("%%eff\nfun f = 2\nfetch (array [f!]) 1", session)
    assert isinstance(results[-1], ItemFailed)
    assert after is session


@pytest.mark.parametrize(
    "text",
    [
        "fun g x = missing x\ng 1",
        "data D = K Missing\nmatch K 1 | K x -> x",
        "effect E = op : Missing\nop!",
        "handler h = <op -> k> -> k 1\nhandle 1 with h",
    ],
)
def test_what_uses_a_declaration_with_an_error_says_that(text: str) -> None:
    """Constructors and operations of a failed declaration depend on the error, until it is fixed."""
    *_, first, second = run(f"%%eff\n{text}")[0]
    assert isinstance(first, ItemFailed)
    assert isinstance(second, ItemFailed)
    assert {d.code for d in first.diagnostics} == {"RH101"}
    assert {d.code for d in second.diagnostics} == {"RH120"}


def test_a_name_that_failed_and_is_declared_again_is_there() -> None:
    assert codes("%%eff\nfun g = missing\nfun g = 1\ng!") == ["RH101"]


def test_in_a_file_each_item_takes_effect_for_itself() -> None:
    results, session = run("%%eff\nfun f = 1\nmissing\nf!", keep_going=True)
    assert [type(r) for r in results] == [DeclarationMade, ItemFailed, Returned]
    assert session.effects is not None


def test_other_languages_stand_beside_it() -> None:
    results, _ = run("const a = 1\n%%eff\nfun a = 2\n%%lambda\nfun a(x : Real) : Real = x\na(3)\n%%eff\na!\n%%rh\na")
    assert [type(r).__name__ for r in results][-1] == "ValueFound"
    assert isinstance(results[-1], ValueFound)
    assert isinstance(results[-2], Returned)
    assert results[-2].value == core.Literal(2.0)


# -- running -------------------------------------------------------------------------------------------------------------------


def test_a_derivative() -> None:
    assert value("%%eff\ninclude forward\ninclude evaluate\nhandle d {x -> t x (t x x)} 2 with evaluate") == core.Literal(12.0)


def test_what_is_printed_stands_before_the_value() -> None:
    found = last('%%eff\nprint "one"; print (show 2.5); [1, 2]')
    assert isinstance(found, Returned)
    assert found.printed == ("one", "2.5")


def test_functions_and_pairs_of_computations_are_no_values() -> None:
    assert value("%%eff\n\\x -> x + 1.0") is None
    assert value("%%eff\n<| 1, 2 |>") is None


def test_references_and_arrays_are_handled_by_the_machine() -> None:
    assert value("%%eff\nlet r = new 1 in r := @r + 1; @r") == core.Literal(2.0)
    assert value("%%eff\nlet a = array [1, 2, 3] in store a 1 5; fetch a 1 + fetch a 2") == core.Literal(8.0)


def test_an_effect_that_nothing_handles_is_refused() -> None:
    assert codes(STATE + "tick!") == ["RH511"]


def test_a_run_without_an_end_meets_the_limit() -> None:
    """``%limit steps`` limits the steps of the machine."""
    _, session = run("%limit steps 100")
    (failed,) = run(LOOP + "loop 0", session)[0][-1:]
    assert isinstance(failed, ItemFailed)
    assert failed.diagnostics[0].code == "RH204"
    assert failed.diagnostics[0].span is not None
    assert "1,000 steps" in failed.diagnostics[0].message


def test_what_is_printed_is_reported_while_the_item_runs() -> None:
    """Lines are printed even if the run fails or never ends."""
    text = '%%eff\nfun loop x = loop x\nprint "a"; print "b"; 1\nprint "c"; loop 0'
    events = execute(Session.start(Path()), Source("cell", text))
    seen: list[object] = []
    for event in events:
        if isinstance(event, Printed):
            seen += event.lines
        elif isinstance(event, Shown) and isinstance(event.result, Returned):
            seen.append(event.result.printed)
        if "c" in seen:
            break
    assert seen == ["a", "b", ("a", "b"), "c"]
    failing = execute(Session.start(Path()), Source("cell", '%%eff\nprint "before"; fetch (array [1.0]) 7'))
    told = [event for event in failing if not isinstance(event, Working)]
    assert [type(event) for event in told] == [Printed, Shown]


def test_a_run_can_be_interrupted() -> None:
    """A run yields ``Working`` repeatedly, and an interrupt that is thrown in propagates."""
    events = execute(Session.start(Path()), Source("cell", LOOP + "loop 0"))
    seen = 0
    for event in events:
        seen += isinstance(event, Working)
        if seen == 3:
            break
    with pytest.raises(KeyboardInterrupt):
        events.throw(KeyboardInterrupt())


# -- directives ----------------------------------------------------------------------------------------------------------------


def test_count_tells_operations_by_handler() -> None:
    """x³ at 3: two products, each one multiplication that ``evaluate`` handles, and no constant."""
    found = last("%%eff\ninclude evaluate\n%count handle t 3 (t 3 3) with evaluate")
    assert isinstance(found, Counted)
    assert found.returned.value == core.Literal(27.0)
    assert found.counts.handled_by("evaluate") == 2
    assert found.counts.cells == 0
    assert found.counts.steps > 0


def test_count_tells_references() -> None:
    found = last("%%eff\n%count let r = new 1 in let s = new 2 in @r + @s")
    assert isinstance(found, Counted)
    assert found.counts.cells == 2


@pytest.mark.parametrize("directive", ["", "%count ", "%trace "])
@pytest.mark.parametrize(
    ("expression", "type"),
    [
        ("{x -> x}", "{a -> a}"),
        ("{x y -> (y, x)}", "{a -> b -> (b, a)}"),
        ("([], {x -> x + 1})", "(List a, {Float -> Float})"),
        ("{g -> g 1}", "{{Float -> a} -> a}"),
        ("{{x -> x}}", "{{a -> a}}"),
        ("{let r = new [] in @r}", "{[RefState] List a}"),
    ],
)
def test_what_is_unknown_of_the_type_of_a_result_has_a_name(directive: str, expression: str, type: str) -> None:
    match last(f"%%eff\n{directive}{expression}"):
        case Returned(C) | Counted(Returned(C)) | ReductionShown(_, C):
            assert type_text(C) == type
        case other:
            raise AssertionError(other)


def test_trace_has_every_step() -> None:
    found = last('%%eff\n%trace print "a"; 1 + 2')
    assert isinstance(found, ReductionShown)
    assert found.subject == 'print "a"; 1 + 2'
    assert found.trace.steps[0].rule == ""
    assert "const" in [step.rule for step in found.trace.steps]
    assert found.trace.value == core.Literal(3.0)
    assert found.trace.printed == ("a",)


def test_a_trace_of_too_many_steps_is_shown_as_far_as_the_limit() -> None:
    for most in (50, 51, 52, 53):
        _, session = run(f"%limit steps {most}")
        *_, shown, failed = run(LOOP + "%trace loop 0", session)[0]
        assert isinstance(shown, ReductionShown)
        assert most - 1 <= shown.trace.steps[-1].number <= most
        assert shown.trace.value is None
        assert isinstance(failed, ItemFailed)
        assert failed.diagnostics[0].code == "RH204"
        assert f"{most} steps" in failed.diagnostics[0].message


def test_a_trace_can_be_interrupted_and_has_to_fit_into_the_memory() -> None:
    """A trace yields ``Working`` every 1,000 steps; a step takes less than 480 bytes."""
    events = execute(Session.start(Path()), Source("cell", LOOP + "%trace loop 0"))
    assert sum(1 for _, event in zip(range(5), events, strict=False) if isinstance(event, Working)) >= 3
    with pytest.raises(KeyboardInterrupt):
        events.throw(KeyboardInterrupt())
    _, session = run("%limit bytes 1M")
    failed = last(LOOP + "%trace loop 0", session)
    assert isinstance(failed, ItemFailed)
    assert failed.diagnostics[0].code == "RH241"
    assert "a trace of 3,000 steps" in failed.diagnostics[0].message


def test_the_bytes_of_tensors_are_bounded() -> None:
    """8,000,000 of them are more than 1,000,000."""
    _, session = run("%limit bytes 1M")
    failed = last("%%eff\ntensor_normal 1 [1000, 1000]", session)
    assert isinstance(failed, ItemFailed)
    assert failed.diagnostics[0].code == "RH241"
    assert "8 MB" in failed.diagnostics[0].message
    assert isinstance(last("%%eff\ntensor_normal 1 [100, 1000]", session), Returned)


def test_a_trace_that_gets_stuck_is_shown_with_the_reason() -> None:
    *_, shown, failed = run("%%eff\n%trace fetch (array [1]) 3")[0]
    assert isinstance(shown, ReductionShown)
    assert isinstance(failed, ItemFailed)
    assert failed.diagnostics[0].span is not None


@pytest.mark.parametrize(
    ("asked", "shown"),
    [
        ("d", "{Paired x -> [Smooth x, Smooth (Paired x)] Paired x} -> x -> [Smooth x] x"),
        ("diff", "<Smooth (Paired a)> b -> [Smooth a] b"),
        ("ap1", "Unary -> x -> [Smooth x] x"),
        ("Paired", "x -> x -> Paired x"),
        ("Smooth", "Type -> Effect"),
        ("Unary", "Type"),
        ("sin", "Float -> Float"),
        ("t 2.0 3.0", "[Smooth Float] Float"),
        ("(1.0, \"a\")", "(Float, Text)"),
    ],
)  # fmt: skip
def test_type_tells_of_whatever_there_is(asked: str, shown: str) -> None:
    found = last(f"%%eff\ninclude forward\n%type {asked}")
    assert isinstance(found, TypeShown)
    assert (found.subject, found.type) == (asked, shown)


def test_type_tells_what_lies_outside_of_the_calculus() -> None:
    found = last(LOOP + "%type loop 0")
    assert isinstance(found, TypeShown)
    assert "recursion" in found.remarks[0]


@pytest.mark.parametrize("text", ["%%eff\n%heap", "%%eff\n%ad chad f", "%count 1", "%%eff\n%trace", "%%eff\n%%eff\n)"])
def test_other_directives_are_refused(text: str) -> None:
    (code,) = codes(text)
    assert code.startswith("RH0")


def test_python_never_runs_out_of_frames() -> None:
    """A list of 20,000 entries, literal and computed, and as many nested lets."""
    entries = ", ".join(["1.0"] * 20_000)
    assert codes(f"%%eff\n[{entries}]") == []
    lets = "\n".join([f"  let x{i} = {i}.0 in" for i in range(5_000)])
    assert value(f"%%eff\nfun f =\n{lets}\n  x4999\nf!") == core.Literal(4999.0)
