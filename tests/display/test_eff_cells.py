"""Results of ``%%eff`` cells as text, HTML and JSON: long values are truncated, and printed text is escaped."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from rh_kernel.display.registry import bundle, records, text
from rh_kernel.session.results import Printed, Shown
from rh_kernel.session.session import Session, execute
from rh_kernel.source.span import Source
from tests.session.test_eff_cells import last, run


@pytest.mark.parametrize(
    ("program", "shown", "value"),
    [
        ("1 / 3", "0.3333333333333333 : Float", 1 / 3),
        ("1 / 0", "inf : Float", "inf"),
        ("quotient 7 2", "3 : Int", 3),
        ('("a\\n", ())', '("a\\n", ()) : (Text, Unit)', {"tuple": ["a\n", {"tuple": []}]}),
        ("[[1], []]", "[[1], []] : List (List Float)", [[1.0], []]),
        ("1 == 1", "True : Bool", True),
        ("Just (Just 2)", "Just (Just 2) : Maybe (Maybe Float)", {"Just": [{"Just": [2.0]}]}),
        ("new 1", "⟨r0⟩ : Ref Float", "⟨r0⟩"),
        ("{x -> x + 1}", "{x -> x + 1} : {Float -> Float}", "{x -> x + 1}"),
        ("\\x -> x + 1", "a function : Float -> Float", None),
        ("<| 1, 2 |>", "a pair of computations : <| Float, Float |>", None),
        ("tensor [1, 2]", "⟨2: 1, 2⟩ : Tensor", [1.0, 2.0]),
    ],
)
def test_a_value_is_shown_with_its_type(program: str, shown: str, value: object) -> None:
    found = last(f"%%eff\n{program}")
    assert text(found) == shown
    (record,) = records(1, found)
    assert record["value"] == value
    assert json.loads(json.dumps(record, allow_nan=False)) == record


def test_what_was_printed_stands_above() -> None:
    found = last('%%eff\nprint "<b>"; print "two"; 1')
    assert text(found) == "<b>\ntwo\n1 : Float"
    assert "&lt;b&gt;\ntwo" in bundle(found)["text/html"]
    assert records(1, found)[0]["printed"] == ["<b>", "two"]


def test_long_and_deep_values_are_cut_where_somebody_reads_them() -> None:
    """JSON is complete, except for parts that are nested too deeply."""
    upto = "%%eff\nfun upto i n = if n <= i then [] else i :: upto (i + 1) n\nupto 0 30000"
    shown = text(last(upto)).split()
    assert [word.strip("[],") for word in shown[:3]] == ["0", "1", "2"]
    assert "29,980" in shown
    assert records(1, last(upto))[0]["value"] == [float(i) for i in range(30_000)]
    deep = last("%%eff\ndata N = Z | S N\nfun nat n = if n <= 0 then Z else S (nat (n - 1))\nnat 30000")
    assert text(deep).count("S") < 100
    assert json.loads(json.dumps(records(1, deep)[0]["value"]))["S"]


def test_of_a_trace_with_long_terms_fewer_steps_are_shown() -> None:
    """``1 + (1 + …`` grows with every call, up to 20,000 characters: three such terms are shown at the end."""
    deep = "%%eff\nfun deep (n : Int) : Int = if n <= 0 then 0 else 1 + deep (n - 1)\n%trace deep {}"
    few, many = text(last(deep.format(2))), text(last(f"{deep.format(10)}; deep 15"))
    assert "left out" not in few
    assert many.count("→") > 50
    _, session = run("%limit steps 12000")
    *_, shown, _ = run(deep.format(100_000), session)[0]
    for written in (text(shown), bundle(shown)["text/html"]):
        assert "steps are left out" in written
        after = written.partition("steps are left out")[2]
        assert after.count("→") + after.count("unfold") <= 30


def test_counts_stand_in_a_table_and_as_data() -> None:
    found = last("%%eff\ninclude evaluate\n%count handle t 3 (p 1 1) with evaluate")
    lines = [line.rsplit(None, 1) for line in text(found).split("\n")[1:]]
    table = {what.strip(): number for what, number in lines}
    assert table["performed: ap2"] == table["handled by evaluate"] == "2"
    assert "references and arrays made" not in table
    (record,) = records(1, found)
    assert '"performed": {"ap2": 2}' in json.dumps(record)
    assert "handled by evaluate" in bundle(found)["text/html"]


def test_operations_of_one_name_are_told_apart_by_their_effects() -> None:
    program = "%%eff\neffect A = op : Int\neffect B = other : Int\n"
    both = "handle (handle op! + other! with { <other -> k> -> k 1 }) with { <op -> k> -> k 2 }"
    assert "performed: other" in text(last(f"{program}%count {both}"))
    handled = [line.split()[-1] for line in text(last(f"{program}%count {both}")).split("\n") if "without a name" in line]
    assert handled == ["2"]


def test_a_trace_is_shown_step_by_step() -> None:
    found = last('%%eff\n%trace print "<i>"; 1 + 2')
    assert text(found).startswith('print "<i>"; 1 + 2\n')
    assert text(found).endswith("printed: <i>")
    shown = bundle(found)["text/html"]
    assert "<i>" not in shown
    assert "steps" in shown
    (record,) = records(1, found)
    assert record["value"] == 3.0
    assert record["subject"] == 'print "<i>"; 1 + 2'


def test_of_an_included_program_its_own_names_are_told() -> None:
    assert text(last("%%eff\ninclude forward")) == "forward: Paired, value, tangent, diff, d, lift, lift2"


def test_what_was_printed_is_told_before_why_it_failed() -> None:
    source = Source("cell", '%%eff\nprint "so far"; quotient 1 0')
    printed, failed = [event for event in execute(Session.start(Path()), source) if isinstance(event, Printed | Shown)]
    assert isinstance(printed, Printed)
    assert printed.lines == ("so far",)
    assert isinstance(failed, Shown)
    assert "RH530" in text(failed.result)
