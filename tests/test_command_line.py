"""The command line: its output as text and JSON, and its exit codes (LANGUAGE §8)."""

from __future__ import annotations

import io
import json
import os
import shutil
import signal
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from rh_kernel.__main__ import main
from rh_kernel.arrays.passes import Pass
from rh_kernel.workspace import status_line as ticking

MLP = """\
# The network of Example 4.1
loc w0 : Real(3, 2) = [[0.1, 0.2], [0.3, 0.4], [0.5, 0.6]]
loc w1 : Real(1, 3) = [[0.1, 0.2, 0.3]]
op FC[l : Loc(m, n)] : Real(n) -> Real(m)
net mlp(x : Real(2)) : Real(1) =
  let z <= FC[w0](x) in
  let h <= return swish(z) in
  FC[w1](h)
handler sgd(alpha : Real, t : Real(k)) : rev handler(Real(k)) = {
  return x -> return alpha * (x - t)
  FC[l](x) -> let w <= Get[l]() in return (w @ x, (w, x))
    | y, z -> let (w, x) <- z in
              let _ <= Put[l](w - outer(y, x)) in
              return w^T @ y
}
rev handle ([1.0, 2.0]) <x>. mlp(x) with sgd(0.1, 0.5)
"""


@dataclass(frozen=True)
class Done:
    """An exit code and the output."""

    code: int
    out: str
    err: str

    @property
    def records(self) -> list[dict[str, Any]]:
        return [json.loads(line) for line in self.out.splitlines()]


@pytest.fixture
def rh(capsys: pytest.CaptureFixture[str], tmp_path: Path) -> Callable[..., Done]:
    """Run ``rh WORDS``, where FILE stands for a file with the content ``text``."""

    def rh(*words: str, text: str | bytes = MLP) -> Done:
        file = tmp_path / "program.rh"
        if "FILE" in words:
            file.write_bytes(text if isinstance(text, bytes) else text.encode())
        try:
            code = main([str(file) if word == "FILE" else word for word in words])
        except SystemExit as exit_:
            code = exit_.code if isinstance(exit_.code, int) else 1
        out, err = capsys.readouterr()
        assert "Traceback" not in out + err
        return Done(code, out, err)

    return rh


Rh = Callable[..., Done]


def by_hand() -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Return the result and the new weights of the last line of MLP."""
    w0, w1 = np.array([[0.1, 0.2], [0.3, 0.4], [0.5, 0.6]]), np.array([[0.1, 0.2, 0.3]])
    v = np.array([1.0, 2.0])
    s = w0 @ v
    sigmoid = 1 / (1 + np.exp(-s))
    e = 0.1 * (w1 @ (s * sigmoid) - 0.5)
    u = (w1.T @ e) * (sigmoid + s * sigmoid * (1 - sigmoid))
    return w0.T @ u, w0 - np.outer(u, v), w1 - np.outer(e, s * sigmoid)


# -- run -------------------------------------------------------------------------------------------------------------------


def test_run_prints_every_item(rh: Rh) -> None:
    done = rh("run", "FILE")
    assert done.code == 0
    assert done.err == ""
    assert "mlp : Real(2) ~> Real(1)" in done.out
    assert ": Real(2)" in done.out
    assert "\x1b" not in done.out


def test_a_derivation_is_text_for_people_and_a_tree_for_programs(rh: Rh) -> None:
    done = rh("run", "FILE", text="%derivation 1 + 2\n")
    assert "───────────────── T-CONST   ───────────────── T-CONST" in done.out
    (record,) = rh("run", "FILE", "--json", text="%derivation 1 + 2\n").records
    assert (record["kind"], record["rule"], record["judgment"]) == ("derivation", "T-PLUS", "◇ ⊢ 1.0 + 2.0 : Real(1)")
    assert [premise["rule"] for premise in record["premises"]] == ["T-CONST", "T-CONST"]
    (checked,) = rh("check", "FILE", "--json", text="%derivation 1 + 2\n").records
    assert checked == {"item": 1, "kind": "type", "subject": "1 + 2", "type": "Real(1)"}


@pytest.mark.parametrize(
    "words", [("run", "FILE"), ("trace", "FILE"), ("run", "FILE", "--strict"), ("trace", "FILE", "--strict")]
)
def test_strict_is_an_item_or_an_option(rh: Rh, words: tuple[str, ...]) -> None:
    text = "relu([1, 0])\n"
    assert rh(*words[:2], text=text).code == 0
    done = rh(*words, text=text if "--strict" in words else f"%strict on\n{text}")
    assert done.code == 1
    assert "RH203 Undefined point: relu is not smooth at [1.0, 0.0]" in done.err
    assert rh(*words, text=f"%strict on\n%strict off\n{text}").code == 0


def test_run_gives_objects_with_the_documented_keys(rh: Rh) -> None:
    done = rh("run", "FILE", "--json")
    assert done.code == 0
    assert [r["item"] for r in done.records] == [1, 2, 3, 4, 5, 6]
    assert done.records[3] == {"item": 4, "kind": "declaration", "name": "mlp", "type": "Real(2) ~> Real(1)"}
    value = done.records[-1]
    assert set(value) == {"item", "kind", "type", "value", "heap"}
    assert (value["kind"], value["type"]) == ("value", "Real(2)")
    result, w0, w1 = by_hand()
    np.testing.assert_allclose(value["value"], result, atol=1e-12)
    np.testing.assert_allclose(value["heap"]["w0"], w0, atol=1e-12)
    np.testing.assert_allclose(value["heap"]["w1"], w1, atol=1e-12)


@pytest.mark.parametrize(
    ("text", "value"),
    [
        ("0.5", [0.5]),
        ("[1, 2]", [1.0, 2.0]),
        ("[[1, 2], [3, 4]]", [[1.0, 2.0], [3.0, 4.0]]),
        ("(1.5, ([2, 3], 4))", {"tuple": [[1.5], {"tuple": [[2.0, 3.0], [4.0]]}]}),
        ("()", []),
    ],
)
def test_values_are_nested_lists(rh: Rh, text: str, value: object) -> None:
    (record,) = rh("run", "FILE", "--json", text=text).records
    assert record["value"] == value
    assert record["heap"] == {}


def test_a_number_that_is_not_finite_is_a_word_and_a_warning_follows(rh: Rh) -> None:
    done = rh("run", "FILE", "--json", text="log([0, 1, -1])")
    assert done.code == 0
    value, warning = done.records
    assert value == {"item": 1, "kind": "value", "type": "Real(3)", "value": ["-inf", 0.0, "nan"], "heap": {}}
    assert (warning["item"], warning["kind"], warning["code"]) == (1, "warning", "RH219")
    assert [warning[key] for key in ("line", "column", "end_line", "end_column")] == [1, 1, 1, 16]
    assert "small number" in warning["hint"]


def test_an_error_has_a_place_and_does_not_stop_the_file(rh: Rh) -> None:
    done = rh("run", "FILE", "--json", text="const t : Real = 1.0\nconst u : Real =\n  nowhere\nt + 1\n")
    assert done.code == 1
    assert [r["kind"] for r in done.records] == ["declaration", "error", "value"]
    error = done.records[1]
    assert error["item"] == 2
    assert error["code"].startswith("RH1")
    assert "nowhere" in error["message"]
    assert [error[key] for key in ("line", "column", "end_line", "end_column")] == [3, 3, 3, 10]


def test_every_error_of_an_item_is_an_object(rh: Rh) -> None:
    done = rh("run", "FILE", "--json", text="1 + (\n2 + )\n")
    assert [(r["item"], r["line"]) for r in done.records] == [(1, 1), (2, 2)]


def test_errors_for_a_person_go_to_standard_error(rh: Rh) -> None:
    done = rh("run", "FILE", text="1.5\nnowhere\n2.5\n")
    assert done.code == 1
    assert "1.5" in done.out
    assert "2.5" in done.out
    assert "nowhere" in done.err
    assert "line 2" in done.err
    assert "\x1b" not in done.err


def test_an_item_that_fails_has_no_effect(rh: Rh) -> None:
    text = "loc w : Real(2) = [1, 2]\nop Op : Real -> Real\nlet _ <= Put[w]([3, 4]) in Op(1.0)\nGet[w]()\n"
    done = rh("run", "FILE", "--json", text=text)
    assert done.code == 1
    assert [r["kind"] for r in done.records] == ["declaration", "declaration", "error", "value"]
    assert done.records[-1]["value"] == [1.0, 2.0]


def test_training_is_an_object_with_its_curve(rh: Rh) -> None:
    text = MLP + (
        'train rev handle (x) <u>. mlp(u) with sgd(0.1, t) for (x, t) in data("xor") epochs 3 batch 2 shuffle 0\n'
        "  measure return dot(t, t)\n"
    )
    done = rh("run", "FILE", "--json", text=text)
    assert done.code == 0, done
    record = done.records[-1]
    assert set(record) == {"item", "kind", "epochs", "samples", "measure", "heap"}
    assert (record["kind"], record["epochs"], record["samples"]) == ("training", 3, 4)
    np.testing.assert_allclose(record["measure"], [0.5] * 3)
    assert np.shape(record["heap"]["w0"]) == (3, 2)


def test_directives_are_objects_too(rh: Rh) -> None:
    text = MLP + "%heap\n%type mlp\n%help swish\n%compile mlp([1, 2])\n%trace return 1 + 2\n"
    records = rh("run", "FILE", "--json", text=text.replace("%compile mlp([1, 2])", "%compile return 1 + 2")).records
    assert [r["kind"] for r in records[6:]] == ["heap", "type", "notice", "program", "trace"]
    assert set(records[6]["heap"]) == {"w0", "w1"}
    assert records[7]["type"] == "Real(2) ~> Real(1)"
    assert "swish" in records[8]["text"]
    assert records[9]["operations"] >= 0
    assert (records[10]["steps"], records[10]["value"]) == (1, [3.0])


def test_a_location_that_was_declared_again_keeps_both_contents(rh: Rh) -> None:
    text = "loc w : Real(1) = 1.0\nnet old(x : Real) : Real = let _ <= Put[w](x) in return x\nloc w : Real(1) = 2.0\n"
    records = rh("run", "FILE", "--json", text=text + "let _ <= old(5.0) in Put[w](6.0)\n%heap\n").records
    assert sorted(value[0] for value in records[-2]["heap"].values()) == [5.0, 6.0]
    assert records[-1]["heap"]["w"] == [6.0]


def test_paths_start_from_the_folder_of_the_file(rh: Rh, tmp_path: Path) -> None:
    np.save(tmp_path / "w.npy", np.array([1.0, 2.0]))
    assert rh("run", "FILE", "--json", text='loc w : Real(2) = load("w.npy")\nGet[w]()\n').records[1]["value"] == [1.0, 2.0]


# -- check -----------------------------------------------------------------------------------------------------------------


def test_check_tells_types_and_runs_nothing(rh: Rh) -> None:
    done = rh("check", "FILE", "--json", text=MLP + "%heap\n%type mlp\n%trace return 1\n")
    assert done.code == 0
    assert [r["kind"] for r in done.records] == ["declaration"] * 5 + ["type", "notice", "type", "type"]
    assert done.records[5]["type"] == "Real(2)"
    assert "value" not in done.out


def test_check_accepts_what_would_get_stuck(rh: Rh) -> None:
    text = "op Op : Real -> Real\nOp(1.0)\n"
    assert rh("check", "FILE", text=text).code == 0
    assert rh("run", "FILE", text=text).code == 1


def test_check_of_training_needs_no_epoch(rh: Rh) -> None:
    text = MLP + 'train rev handle (x) <u>. mlp(u) with sgd(0.1, t) for (x, t) in data("xor") epochs 1000000000\n'
    done = rh("check", "FILE", text=text)
    assert done.code == 0
    assert "xor" in done.out


def test_check_finds_every_error(rh: Rh) -> None:
    done = rh("check", "FILE", "--json", text="1 + here\n2\n3 + there\n")
    assert done.code == 1
    assert [(r["item"], r["kind"]) for r in done.records] == [(1, "error"), (2, "type"), (3, "error")]


# -- trace and compile -----------------------------------------------------------------------------------------------------


def test_trace_prints_a_step_an_object_and_the_value_last(rh: Rh) -> None:
    done = rh("trace", "FILE", "--json")
    assert done.code == 0
    *steps, end = done.records
    assert all(list(step) == ["step", "rule", "redex", "term", "heap"] for step in steps)
    assert [step["step"] for step in steps] == list(range(len(steps)))
    assert steps[0]["rule"] == "RevHandle"
    assert steps[0]["term"] == steps[0]["redex"]
    assert all(step["redex"] in step["term"] for step in steps)
    assert {key: end[key] for key in ("steps", "type")} == {"steps": len(steps), "type": "Real(2)"}
    result, w0, w1 = by_hand()
    np.testing.assert_allclose(end["value"], result, atol=1e-12)
    heap = {name: content for step in steps for name, content in step["heap"].items()}
    np.testing.assert_allclose(heap["w0"], w0, atol=1e-12)
    np.testing.assert_allclose(heap["w1"], w1, atol=1e-12)
    assert [step["rule"] for step in steps if step["heap"]] == ["Put", "Put"]


def test_trace_runs_what_stands_before_silently(rh: Rh) -> None:
    text = "loc w : Real(1) = 1.0\n10.0 + 20.0\nPut[w](2.0)\nGet[w]()\n7.0\nconst t : Real = 3.0\n"
    done = rh("trace", "FILE", "--json", text=text)
    assert done.code == 0
    assert [r.get("rule") for r in done.records] == ["Get", None]
    assert done.records[-1] == {"steps": 1, "type": "Real(1)", "value": [2.0]}


def test_trace_of_a_file_without_commands_is_of_its_last_term(rh: Rh) -> None:
    assert [r.get("rule") for r in rh("trace", "FILE", "--json", text="1 + 2\nsquare(3)\n").records] == ["Ev", None]


EFFECTS = """\
let x <= return 1 + 2 in return x
%%eff
fun f (x : Int) : Int = x + 1
f (f 2)
%count f 2
fun last x = x
"""


def test_trace_of_a_file_that_ends_in_effects_is_of_what_it_runs_last(rh: Rh) -> None:
    """``%count f 2``: f is unfolded with its argument, which is two steps, and 2 + 1 is 3."""
    done = rh("trace", "FILE", text=EFFECTS)
    assert (done.code, done.err) == (0, "")
    assert done.out.splitlines() == ["f 2", "—unfold →→  2", "2 + 1", "—const→  3", "3", "3 : Int"]
    done = rh("trace", "FILE", "--json", text=EFFECTS)
    assert [(r["step"], r["rule"], r["term"]) for r in done.records[:-1]] == [
        (0, "", "f 2"),
        (2, "unfold →", "2 + 1"),
        (3, "const", "3"),
    ]
    assert done.records[-1] == {"steps": 3, "type": "Int", "value": 3, "printed": []}


PRINTS = '%%eff\nprint "one"; 1\nprint "two\\u001b[31m"; fetch (array [1.0]) 7\n'


def test_what_effects_print_is_on_standard_output(rh: Rh) -> None:
    done = rh("run", "FILE", text=PRINTS.replace("\\u001b", "\x1b"))
    assert done.code == 1
    assert done.out == "one\n1 : Float\ntwo␛[31m\n"
    assert "one" not in done.err


def test_what_effects_print_is_in_the_record_of_the_item(rh: Rh) -> None:
    done = rh("run", "FILE", "--json", text=PRINTS.replace("\\u001b[31m", ""))
    value, notice, error = [json.loads(line) for line in done.out.splitlines()]
    assert (value["value"], value["printed"]) == (1.0, ["one"])
    assert notice == {"item": 2, "kind": "notice", "text": "two"}
    assert (error["item"], error["kind"]) == (2, "error")


def test_a_command_after_effects_is_the_last_one(rh: Rh) -> None:
    done = rh("trace", "FILE", "--json", text=f"{EFFECTS}%%rh\nreturn 1 + 2\n")
    assert [r.get("rule") for r in done.records] == ["Plus", None]


def test_a_trace_of_effects_that_gets_stuck_shows_how_far_it_came(rh: Rh) -> None:
    done = rh("trace", "FILE", "--json", text="%%eff\nfun f x = quotient 1 x\nf 0\n")
    assert done.code == 1
    assert [r.get("rule", r.get("kind")) for r in done.records] == ["", "unfold →", "error"]
    assert done.records[-1]["code"] == "RH530"


@pytest.mark.parametrize("command", ["compile", "diagram"])
def test_effects_are_neither_compiled_nor_drawn(rh: Rh, command: str) -> None:
    done = rh(command, "FILE", text="%%eff\n1 + 2\n")
    assert done.code == 1
    assert "rh trace" in done.err


@pytest.mark.parametrize("command", ["trace", "compile", "diagram"])
def test_what_the_systems_make_of_a_function_is_shown_by_run(rh: Rh, command: str) -> None:
    done = rh(command, "FILE", text="%%lambda\nfun f(x : Real) : Real = x * x\n%ad chad f(3)\n")
    assert done.code == 1
    assert "rh run" in done.err


def test_trace_for_a_person_names_the_rules(rh: Rh) -> None:
    done = rh("trace", "FILE")
    assert done.code == 0
    for rule in ("RevHandle", "RH-Op", "RH-Term", "RH-Return", "Put"):
        assert rule in done.out


@pytest.mark.parametrize("command", ["trace", "compile", "diagram"])
def test_there_has_to_be_something_to_look_at(rh: Rh, command: str) -> None:
    done = rh(command, "FILE", "--json", text="dim n = 3\n# nothing else\n")
    assert done.code == 1
    assert [r["code"] for r in done.records] == ["RH043"]


@pytest.mark.parametrize("command", ["trace", "compile", "diagram"])
def test_an_error_in_the_last_item_is_told(rh: Rh, command: str) -> None:
    done = rh(command, "FILE", "--json", text="1 + 2\nreturn nowhere\n")
    assert done.code == 1
    assert [(r["kind"], r["item"], r["line"], r["column"]) for r in done.records] == [("error", 2, 2, 8)]


def test_an_error_before_is_told_and_the_rest_is_traced(rh: Rh) -> None:
    done = rh("trace", "FILE", "--json", text="nowhere\nreturn 1 + 2\n")
    assert done.code == 1
    assert [r.get("kind", r.get("rule")) for r in done.records] == ["error", "Plus", None]


def test_a_trace_that_gets_stuck_shows_how_far_it_came(rh: Rh) -> None:
    done = rh("trace", "FILE", "--json", text="op Op : Real -> Real\nlet x <= return 1 + 2 in Op(x)\n")
    assert done.code == 1
    assert [r.get("rule", r.get("kind")) for r in done.records] == ["Plus", "Let⇐", "error"]


@pytest.mark.parametrize("shows", ["", "--passes", "--profile"])
def test_compile_prints_all_of_a_long_program_and_run_its_ends(rh: Rh, shows: str) -> None:
    lets = "".join([f"let x{i + 1} <- sin(m @ x{i}) in " for i in range(350)])
    text = f"loc w : Real(2, 2) = zeros\n%compile {shows} let m <= Get[w]() in let x0 <- [1, 2] in {lets}return x350\n"
    ran = rh("run", "FILE", text=text)
    compiled = rh("compile", *[shows for _ in shows[:1]], "FILE", text=text)
    assert "⋮" in ran.out
    assert "⋮" not in compiled.out
    assert compiled.out.count("sin") >= 350
    assert ran.out.count("\n") < compiled.out.count("\n")


def test_compile_prints_the_program(rh: Rh) -> None:
    done = rh("compile", "FILE")
    assert done.code == 0
    assert "Get[w0]()" in done.out
    assert "swish" in done.out
    (record,) = rh("compile", "FILE", "--json").records
    assert (record["item"], record["kind"], record["type"]) == (6, "program", "Real(2)")
    assert record["equations"] > 5
    assert any("Put[w1]" in line for line in record["program"])


def test_compile_prints_the_program_of_a_batch(rh: Rh) -> None:
    text = MLP + 'train rev handle (x) <u>. mlp(u) with sgd(0.1, t) for (x, t) in data("moons") epochs 1 batch 16\n'
    (record,) = rh("compile", "FILE", "--json", text=text).records
    assert (record["kind"], record["batch"], "type" in record) == ("program", 16, False)
    # Of each sample: 12 + 3 + 6 forward, 2 at the end, 6 + 7 · 3 back through w1 and swish, 12 + 6 for the means; 6 + 3 in all.
    assert record["operations"] == 16 * (21 + 2 + 27 + 18) + 9
    assert any("mean_outer" in line for line in record["program"])
    (other,) = rh("compile", "FILE", "--json", text=f"{text}return 1\n").records
    assert other["program"] == ["return 1"]
    drawn = rh("diagram", "FILE", text="".join([line for line in text.splitlines(True) if not line.startswith("rev handle")]))
    assert "a training item runs its command on every sample" in drawn.err


def test_compile_prints_each_pass_or_each_step(rh: Rh) -> None:
    done = rh("compile", "--passes", "FILE")
    assert done.code == 0
    titles = [line.partition(":")[0] for line in done.out.splitlines() if line.startswith("# ") and ": " in line]
    assert titles == [f"# {made_by.value}" for made_by in Pass if made_by is not Pass.BATCHED]
    (record,) = rh("compile", "--passes", "FILE", "--json").records
    assert [p["pass"] for p in record["passes"]] == [made_by.value for made_by in Pass if made_by is not Pass.BATCHED]
    assert record["passes"][1]["program"] == record["program"]
    done = rh("compile", "--profile", "FILE")
    assert done.code == 0
    assert "measured µs" in done.out
    (record,) = rh("compile", "--profile", "FILE", "--json").records
    assert len(record["profile"]["steps"]) == len(done.out.splitlines()) - len(["heading", "all", "a run", "model"])
    assert rh("compile", "--profile", "--passes", "FILE").code == 2


def test_diagram_prints_the_boxes_and_draws_into_a_file(rh: Rh, tmp_path: Path) -> None:
    done = rh("diagram", "FILE")
    assert done.code == 0
    assert "↓ 0: Qᶠ FC[w0] of sgd(0.1, 0.5)" in done.out
    (record,) = rh("diagram", "FILE", "--json").records
    assert (record["item"], record["kind"], record["type"]) == (6, "diagram", "Real(0) ~> Real(2)")
    for name, start in (("out.svg", "<svg "), ("out.dot", "digraph"), ("out.tex", "\\documentclass")):
        done = rh("diagram", "FILE", "-o", str(tmp_path / name))
        assert (done.code, done.out) == (0, "")
        assert (tmp_path / name).read_text(encoding="utf-8").startswith(start)
    rh("diagram", "FILE", "--folded", "-o", str(tmp_path / "folded.svg"))
    assert "⟦Qᶠ FC[w0]⟧" in (tmp_path / "folded.svg").read_text(encoding="utf-8")


def test_a_drawing_has_to_end_in_svg_or_dot(rh: Rh, tmp_path: Path) -> None:
    done = rh("diagram", "FILE", "-o", str(tmp_path / "out.png"))
    assert done.code == 1
    assert "RH382" in done.err
    assert not (tmp_path / "out.png").exists()


# -- fmt -------------------------------------------------------------------------------------------------------------------


def test_fmt_writes_the_file_anew_and_then_leaves_it(rh: Rh, tmp_path: Path) -> None:
    assert rh("fmt", "FILE", text="dim   n=3   # three\nlet x<-1 in   x\n").code == 0
    written = (tmp_path / "program.rh").read_text(encoding="utf-8")
    assert "dim n = 3" in written
    assert "# three" in written
    assert "←" in written
    assert rh("fmt", "FILE", "--check", text=written) == Done(0, "", "")
    assert rh("fmt", "FILE", text=written) == Done(0, "", "")


def test_fmt_check_writes_nothing(rh: Rh, tmp_path: Path) -> None:
    done = rh("fmt", "FILE", "--check", text="dim   n=3\n")
    assert done.code == 1
    assert "program.rh" in done.err
    assert (tmp_path / "program.rh").read_text(encoding="utf-8") == "dim   n=3\n"


def test_fmt_leaves_a_file_that_does_not_parse(rh: Rh, tmp_path: Path) -> None:
    done = rh("fmt", "FILE", text="dim   n=\n")
    assert done.code == 1
    assert "RH0" in done.err
    assert (tmp_path / "program.rh").read_text(encoding="utf-8") == "dim   n=\n"


# -- files -----------------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("command", ["run", "check", "trace", "compile", "diagram", "fmt"])
def test_a_file_that_is_not_there(rh: Rh, tmp_path: Path, command: str) -> None:
    done = rh(command, str(tmp_path / "nowhere.rh"))
    assert done.code == 1
    assert "RH381" in done.err
    assert "does not exist" in done.err


def test_what_cannot_be_read_is_an_object(rh: Rh, tmp_path: Path) -> None:
    (record,) = rh("run", str(tmp_path), "--json").records
    assert (record["item"], record["kind"], record["code"], record["line"]) == (None, "error", "RH381", None)
    assert "folder" in record["message"]


def test_a_file_in_another_encoding(rh: Rh) -> None:
    done = rh("run", "FILE", text="1 + 2\n# für\n".encode("latin-1"))
    assert done.code == 1
    assert "UTF-8" in done.err
    assert "line 2" in done.err


def test_the_ending_may_have_been_forgotten(rh: Rh, tmp_path: Path) -> None:
    (tmp_path / "net.rh").write_text("1 + 2")
    assert "net.rh?" in rh("run", str(tmp_path / "net")).err


def test_a_name_that_is_none(rh: Rh) -> None:
    assert "RH381" in rh("run", "no\0name").err


def test_a_byte_order_mark_and_foreign_line_ends_are_no_mistakes(rh: Rh) -> None:
    done = rh("run", "FILE", "--json", text=b"\xef\xbb\xbfconst t : Real = 1.0\r\nt + nowhere\r\n")
    assert [(r["kind"], r.get("line"), r.get("column")) for r in done.records] == [("declaration", None, None), ("error", 2, 5)]


def test_a_dash_stands_for_standard_input(rh: Rh, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sys, "stdin", io.TextIOWrapper(io.BytesIO(b"1 + 2\n")))
    assert rh("run", "-", "--json").records[0]["value"] == [3.0]
    monkeypatch.setattr(sys, "stdin", io.TextIOWrapper(io.BytesIO(b"dim n=3\n")))
    assert rh("fmt", "-").out == "dim n = 3\n"


def test_an_empty_file_is_fine(rh: Rh) -> None:
    assert rh("run", "FILE", text="") == Done(0, "", "")
    assert rh("run", "FILE", text="# a comment\n") == Done(0, "", "")


def test_a_file_that_cannot_be_written(rh: Rh, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def refuse(*_: object, **__: object) -> None:
        raise PermissionError(13, "Permission denied")

    monkeypatch.setattr(Path, "write_text", refuse)
    (tmp_path / "other.rh").write_bytes(b"dim n=3\n")
    done = rh("fmt", str(tmp_path / "other.rh"))
    assert done.code == 1
    assert "RH382" in done.err


# -- words, streams, signals -----------------------------------------------------------------------------------------------


@pytest.mark.parametrize("words", [[], ["rnu"], ["run"], ["run", "a", "b"], ["run", "a", "--jsn"], ["fmt", "a", "--json"]])
def test_words_that_mean_nothing_exit_with_2(rh: Rh, words: list[str]) -> None:
    done = rh(*words)
    assert done.code == 2
    assert done.out == ""
    assert "help" in done.err


@pytest.mark.parametrize("words", [["--help"], ["--version"], ["run", "--help"]])
def test_help_exits_with_0(rh: Rh, words: list[str]) -> None:
    done = rh(*words)
    assert done.code == 0
    assert done.out


def test_a_fault_of_ours_is_told_without_a_traceback(rh: Rh, monkeypatch: pytest.MonkeyPatch) -> None:
    def broken(*_: object, **__: object) -> None:
        raise ValueError("inside")

    monkeypatch.setattr("rh_kernel.command_line.running.execute", broken)
    done = rh("run", "FILE")
    assert done.code == 1
    assert "Fault in rh_kernel" in done.err
    assert "ValueError: inside" in done.err


class Terminal(io.StringIO):
    """A stream that claims to be a terminal."""

    def isatty(self) -> bool:
        return True


def test_errors_are_coloured_on_a_terminal_alone(rh: Rh, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("NO_COLOR", raising=False)
    monkeypatch.setenv("TERM", "xterm")
    for no_color, is_coloured in (("", True), ("1", False)):
        monkeypatch.setenv("NO_COLOR", no_color)
        terminal = Terminal()
        monkeypatch.setattr(sys, "stderr", terminal)
        rh("run", "FILE", text="nowhere\n")
        assert ("\x1b[" in terminal.getvalue()) == is_coloured


def test_progress_is_drawn_on_a_terminal_and_wiped(rh: Rh, monkeypatch: pytest.MonkeyPatch) -> None:
    terminal = Terminal()
    monkeypatch.setattr(sys, "stderr", terminal)
    text = MLP + 'train rev handle (x) <u>. mlp(u) with sgd(0.1, t) for (x, t) in data("xor") epochs 3\n'
    assert rh("run", "FILE", text=text).code == 0
    drawn = terminal.getvalue()
    assert "/ 3" in drawn or "/3" in drawn or "of 3" in drawn
    assert drawn.endswith("\r")
    assert "\n" not in drawn


def test_install_writes_the_kernelspec(rh: Rh, tmp_path: Path) -> None:
    done = rh("install", "--prefix", str(tmp_path))
    assert done.code == 0
    assert (tmp_path / "share" / "jupyter" / "kernels" / "rh" / "kernel.json").is_file()
    (tmp_path / "file").touch()
    done = rh("install", "--prefix", str(tmp_path / "file"))
    assert done.code == 1
    assert "--user" in done.err


def test_lab_becomes_jupyterlab(rh: Rh, monkeypatch: pytest.MonkeyPatch) -> None:
    started: list[list[str]] = []
    is_installed = True

    def execv(_: str, words: list[str]) -> None:
        started.append(words)

    def find_spec(_: str) -> object:
        return object() if is_installed else None

    monkeypatch.setattr(os, "execv", execv)
    monkeypatch.setattr("rh_kernel.command_line.jupyter.find_spec", find_spec)
    rh("lab", "--no-browser", "--port", "9999")
    assert started[0][1:3] == ["-m", "jupyterlab"]
    assert started[0][-3:] == ["--no-browser", "--port", "9999"]
    is_installed = False
    done = rh("lab")
    assert done.code == 1
    assert "not installed" in done.err


@pytest.fixture
def hears_control_c() -> Iterator[None]:
    """Let processes started by the test be interrupted: background processes ignore SIGINT, which their children inherit.

    That it is set here, and not in the child by a ``preexec_fn``, spares a fork, of which JAX warns once it was used.
    """
    before = signal.signal(signal.SIGINT, signal.default_int_handler)
    yield
    signal.signal(signal.SIGINT, before)


def start(*words: str) -> subprocess.Popen[str]:
    command = [sys.executable, "-m", "rh_kernel", *words]
    # Not measured: an exception out of a signal may strike while coverage holds a lock. Buffered, as pipes are.
    env = {name: v for name, v in os.environ.items() if name != "PYTHONUNBUFFERED" and not name.startswith("COV")}
    return subprocess.Popen(
        command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, encoding="utf-8", env=env
    )


def test_a_reader_that_goes_away_is_no_mistake(tmp_path: Path) -> None:
    file = tmp_path / "many.rh"
    file.write_text("\n".join(["[1, 2, 3]"] * 5000))
    process = start("run", str(file), "--json")
    assert process.stdout is not None
    assert process.stdout.readline()
    process.stdout.close()
    assert process.stderr is not None
    assert process.stderr.read() == ""
    process.wait(timeout=60)
    process.stderr.close()
    assert process.stdin is not None
    process.stdin.close()


@pytest.mark.skipif(sys.platform == "win32", reason="signals are sent in another way there")
@pytest.mark.usefixtures("hears_control_c")
def test_control_c_stops_training_and_tells_how_far_it_came(tmp_path: Path) -> None:
    file = tmp_path / "long.rh"
    file.write_text(MLP + 'train rev handle (x) <u>. mlp(u) with sgd(0.01, t) for (x, t) in data("xor") epochs 100000000\n')
    process = start("run", str(file), "--json")
    assert process.stdout is not None
    lines = [process.stdout.readline() for _ in range(6)]
    assert json.loads(lines[-1])["kind"] == "value"
    time.sleep(0.5)
    process.send_signal(signal.SIGINT)
    try:
        out, err = process.communicate(timeout=30)
    finally:
        process.kill()
    assert process.returncode == 130
    assert err == "Interrupted.\n"
    assert json.loads(out)["kind"] == "training"


def test_the_script_is_installed() -> None:
    script = shutil.which("rh", path=str(Path(sys.executable).parent))
    assert script is not None
    done = subprocess.run([script, "--version"], capture_output=True, text=True, check=True)
    assert done.stdout.startswith("rh_kernel ")


def test_a_program_that_is_run_loads_what_it_needs(tmp_path: Path) -> None:
    """``rh run`` imports neither the modules for diagrams and HTML nor others that evaluation does not need."""
    file = tmp_path / "file.rh"
    file.write_text("loc w : Real(2) = ones\n2 * [1, 2]\nlet x <= Get[w]() in return x + 1 * x\n", encoding="utf-8")
    code = f"import sys, rh_kernel.__main__ as m; m.main(['run', {str(file)!r}]); print(*sys.modules)"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert "[2.0, 4.0] : Real(2)" in done.stdout
    loaded = set(done.stdout.splitlines()[-1].split())
    assert "rh_kernel.arrays.compile" in loaded
    drawing = {"rh_kernel.denotational", "rh_kernel.display.diagrams.view", "rh_kernel.display.traces.view"}
    assert not loaded & {*drawing, "importlib.metadata", "sklearn"}


def deep(layers: int) -> str:
    """Return a handler, and a net of so many layers of one neuron."""
    return "\n".join(
        [
            "handler back : rev handler(Real(1)) = { return x -> return x }",
            "net deep(x0 : Real) : Real =",
            *[f"  let x{i + 1} <= return swish(x{i}) in" for i in range(layers)],
            f"  return x{layers}\n",
        ]
    )


@pytest.mark.parametrize("command", [("trace", "FILE"), ("run", "FILE"), ("trace", "FILE", "--json")])
def test_the_limit_of_seconds_holds_while_a_trace_is_printed(rh: Callable[..., Done], command: tuple[str, ...]) -> None:
    trace = "" if command[0] == "trace" else "%trace "
    done = rh(*command, text=f"%limit seconds 1\n{deep(200)}{trace}rev handle (0.5) <x>. deep(x) with back\n")
    assert done.code == 1
    assert "RH208" in done.out + done.err


def test_trace_cuts_long_terms_unless_all_is_asked_for(rh: Rh) -> None:
    lines = [f"let variable{i + 1} <- sin(variable{i}) in" for i in range(150)]
    text = f"let variable0 <- 0.5 in {' '.join(lines)} variable150\n"
    cut, whole = rh("trace", "FILE", "--json", text=text), rh("trace", "FILE", "--json", "--full", text=text)
    assert (cut.code, whole.code) == (0, 0)
    assert max(len(step["term"].encode()) for step in cut.records[:-1]) <= 4_000
    assert max(len(step["term"].encode()) for step in whole.records[:-1]) > 4_000
    assert cut.records[-1] == whole.records[-1]


def test_what_takes_long_is_told_on_a_terminal_and_wiped(rh: Rh, monkeypatch: pytest.MonkeyPatch) -> None:
    terminal = Terminal()
    monkeypatch.setattr(sys, "stderr", terminal)
    monkeypatch.setattr(ticking, "SILENCE", 0.0)
    monkeypatch.setattr(ticking, "TICK_INTERVAL", 0.01)
    done = rh("trace", "FILE", "--json", text=f"{deep(8)}rev handle (0.5) <x>. deep(x) with back\n")
    drawn = terminal.getvalue()
    assert done.code == 0
    assert "printing the trace · " in drawn
    assert drawn.endswith("\r")
    assert "\n" not in drawn


def test_on_what_is_no_terminal_nothing_is_told(rh: Rh, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(ticking, "SILENCE", 0.0)
    monkeypatch.setattr(ticking, "TICK_INTERVAL", 0.01)
    assert rh("trace", "FILE", "--json").err == ""


SWEEP = """loc w : Real(2) = [1, 2]
sweep a in [0.5, 2], n in [1, 0.5]
  loc v : Real(n) = ones
  let x <= Get[w]() in let _ <= Put[w](a * x) in return a * dot(x, x)
%heap
"""


def test_a_sweep_is_a_table_and_one_record(rh: Rh) -> None:
    done = rh("run", "FILE", text=SWEEP)
    assert done.code == 0
    assert "a sweep of 4 runs · 2 failed" in done.out
    assert "best: a = 0.5, n = 1, with 2.5" in done.out
    done = rh("run", "--json", "FILE", text=SWEEP)
    _, swept, heap = [json.loads(line) for line in done.out.splitlines()]
    assert swept["item"] == 2
    assert swept["kind"] == "sweep"
    assert [run["values"] for run in swept["runs"]] == [{"a": a, "n": n} for a in (0.5, 2) for n in (1, 0.5)]
    assert [run.get("measure") for run in swept["runs"]] == [[2.5], None, [10.0], None]
    assert [run["error"]["code"] for run in swept["runs"] if "error" in run] == ["RH118"] * 2
    assert heap["heap"] == {"w": [1.0, 2.0]}


def test_a_sweep_is_checked_without_running(rh: Rh) -> None:
    done = rh("check", "FILE", text=SWEEP)
    assert done.code == 0
    assert "a sweep of 4 runs over a, n" in done.out


def test_a_warning_is_shown_and_is_no_failure(rh: Rh) -> None:
    """Two layers of Example 4.1 share a weight, so an update is lost."""
    shared = MLP.replace("FC[w1](h)", "let y <= FC[w1](h) in\n  let z <= FC[w0](concat(y, y)) in\n  FC[w1](z)")
    done = rh("run", "FILE", "--json", text=shared)
    assert (done.code, [record["kind"] for record in done.records][-2:]) == (0, ["warning", "value"])
    assert done.records[-2]["code"] == "RH143"
    assert "Warning RH143 Lost update" in rh("check", "FILE", text=shared).out


# -- included files ------------------------------------------------------------------------------------------------------------


def test_a_program_includes_files_beside_it(rh: Rh, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "parts").mkdir()
    (tmp_path / "parts" / "a.rh").write_text("dim n = 3\nloc w : Real(n) = ones\n", encoding="utf-8")
    (tmp_path / "elsewhere").mkdir()
    monkeypatch.chdir(tmp_path / "elsewhere")
    program = 'include "parts/a.rh"\ninclude "sgd.rh"\nGet[w]()\n'
    done = rh("run", "FILE", text=program)
    assert (done.code, done.err) == (0, "")
    first, second, third = done.out.splitlines()
    assert (first, third) == ("included parts/a.rh: 2 declarations (n, w)", "[1.0, 1.0, 1.0] : Real(3)")
    assert second.startswith("included library/sgd.rh: ")
    checked = rh("check", "FILE", "--json", text=program)
    assert [(record["item"], record["kind"]) for record in checked.records] == [(1, "notice"), (2, "notice"), (3, "type")]
    assert checked.records[0]["text"] == "included parts/a.rh: 2 declarations (n, w)"
    assert "Get" in rh("trace", "FILE", text=program).out


def test_an_error_in_an_included_file_names_it(rh: Rh, tmp_path: Path) -> None:
    (tmp_path / "a.rh").write_text("dim n = 3\nconst t : Real = unknown\n", encoding="utf-8")
    for command in ("run", "check"):
        done = rh(command, "FILE", "--json", text='dim m = 1\ninclude "a.rh"\nunknown\n')
        assert done.code == 1
        inside, below = [record for record in done.records if record["kind"] == "error"]
        assert (inside["code"], inside["source"], inside["line"], inside["item"]) == ("RH101", "a.rh", 2, 2)
        assert [(note["line"], note["text"]) for note in inside["notes"]] == [(2, "included from here")]
        assert "source" not in below
        assert below["line"] == 3
