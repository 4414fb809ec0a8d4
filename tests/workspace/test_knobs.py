"""Knobs of a notebook: outputs follow them in place, say so if they do not, and stay as they are if they are pinned."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from rh_kernel.display.live.view import Unanswerable
from rh_kernel.session.knobs.knob import KnobShown
from rh_kernel.session.results import Result, Running
from rh_kernel.session.session import execute
from rh_kernel.source.span import Source
from rh_kernel.workspace.knob_views import KnobView
from rh_kernel.workspace.knobs import Knobs
from rh_kernel.workspace.outputs import Outputs
from rh_kernel.workspace.widgets import Widgets
from rh_kernel.workspace.workspace import Workspace
from tests.tiers import law

NET = """loc w : Real(1, 2) = [[0.5, -1]]
op FC[l : Loc(m, n)] : Real(n) -> Real(m)
handler descent(rate : Real) : rev handler(Real(1)) = {
  return x -> return x
  FC[l](x) -> let w <= Get[l]() in return (w @ x, (w, x))
    | y, z -> let (w, x) <- z in let _ <= Put[l](w - rate * outer(y, x)) in return w^T @ y
}"""
PASS = "%gradient rev handle ([1, 2]) <x>. FC[w](x) with descent(alpha)"


class Notebook:
    """Cells and their outputs, as the kernel makes them."""

    def __init__(self) -> None:
        self.workspace = Workspace(Path())
        self.widgets = Widgets()
        self.updates: list[tuple[str, str]] = []
        self.knobs = Knobs(self.workspace, lambda display, data: self.updates.append((display, data["text/plain"])))
        self.sent: list[tuple[str, Mapping[str, Any]]] = []
        self.knobs_opened: list[Any] = []
        self.count = 0

    def run(self, cell: str, text: str) -> None:
        """Run a cell."""
        self.count += 1
        self.widgets.clear(cell)
        self.knobs.clear(cell)

        widgets = self.knobs.adding(self.widgets, cell)

        def add_widgets(result: Result | Running, static: Mapping[str, Any]) -> Iterable[Mapping[str, Any]]:
            shown = widgets(result, static)
            live: Any = self.widgets.latest
            if isinstance(result, KnobShown):
                self.knobs_opened.append(live.opening)
            return shown

        def send(kind: str, content: dict[str, Any]) -> None:
            self.sent.append((kind, content))

        outputs = Outputs(send, 1, lambda: 0.0, add_widgets, None, lambda event: self.knobs.display_of(cell, event))
        with self.workspace.changing() as put:
            events = execute(self.workspace.session, Source(f"cell {self.count}", text), cell=cell)
            while True:
                try:
                    outputs.take(next(events))
                except StopIteration as end:
                    put(end.value)
                    break
        outputs.finish()
        self.knobs.renew()

    def knob(self, n: int = 0) -> KnobView:
        """The n-th knob."""
        return self.knobs.views[n][1]

    def ask(self, ask: str, **more: Any) -> list[tuple[str, str]]:
        """Ask the first knob; return what follows it, each with its state."""
        answer = self.knob().answer({"ask": ask, **more})
        found: Any = answer["followers"]
        return [(entry["label"], entry["state"]) for entry in found]

    def opening(self) -> Any:
        """The opening record of the player."""
        (found,) = [f.widget for f in self.knobs.followers if f.widget is not None]
        return found.opening  # type: ignore[attr-defined]

    def opened(self) -> Any:
        """The drawing of the player with open clauses, which a reader asks for."""
        (found,) = [f.view for f in self.knobs.followers if f.view is not None]
        return found.answer({"ask": "layout", "pass": 0, "folded": False})


@pytest.fixture
def notebook() -> Iterator[Notebook]:
    made = Notebook()
    for cell, text in {"net": NET, "alpha": "const alpha = 0.1", "knob": "%knob alpha [0.1, 0.2, 0.4]"}.items():
        made.run(cell, text)
    yield made
    for cell in ("knob", "pass"):
        made.widgets.clear(cell)


def labels(drawing: Any) -> list[str]:
    return [box["label"] for box in drawing["boxes"]]


def places(drawing: Any) -> list[tuple[float, float]]:
    return [(box["x"], box["w"]) for box in drawing["boxes"]]


def test_a_pass_follows_in_its_widget_and_starts_from_the_same_heap(notebook: Notebook) -> None:
    notebook.run("pass", PASS)
    before, weight = notebook.opening(), notebook.workspace.heap["w"].tolist()
    ((label, state),) = notebook.ask("turn", at=2)
    assert (label[:20], state) == (f"cell 4: {PASS}"[:20], "follows")
    assert notebook.workspace.heap["w"].tolist() == weight
    assert notebook.opening() != before
    notebook.ask("turn", at=0)
    notebook.ask("settle")
    assert notebook.opening() == before
    notebook.ask("turn", at=2)
    assert "w - 0.4 · outer(y, x)" in labels(notebook.opened())


def test_boxes_keep_their_places_until_the_knob_settles(notebook: Notebook) -> None:
    notebook.run("alpha", "const alpha = 0.1")
    notebook.run("knob", "%slider alpha 0.01 1")
    notebook.run("pass", PASS)
    notebook.ask("turn", at=0)
    first = places(notebook.opened())
    for at in (3, 77, 123):
        notebook.ask("turn", at=at)
        assert places(notebook.opened()) == first
    notebook.ask("settle")
    assert places(notebook.opened()) != first


def test_the_drawing_that_a_reader_has_opened_comes_with_every_move(notebook: Notebook) -> None:
    notebook.run("pass", PASS)

    def others() -> Any:
        (record,) = notebook.opening()["passes"]
        assert record["folded"]
        return record["others"]

    assert others() == [], "the drawing with open clauses is made for those who ask for it"
    first = notebook.opened()
    notebook.ask("turn", at=2)
    (turned,) = others()
    assert places(turned) == places(first)
    assert "w - 0.4 · outer(y, x)" in labels(turned)
    notebook.ask("settle")
    assert "w - 0.4 · outer(y, x)" in labels(*others())
    (follower,) = notebook.knobs.followers
    assert follower.view is not None
    answer: Any = follower.view.answer({"ask": "change", "arrays": {"": [7, 2]}})
    (changed,) = answer["passes"][0]["others"]
    assert labels(changed)[0] == "[7.0, 2.0]"
    assert places(changed) == places(*others())


def test_a_value_follows_by_an_update_of_its_output(notebook: Notebook) -> None:
    notebook.run("value", "alpha * 10")
    (display,) = [content["transient"]["display_id"] for _, content in notebook.sent[-1:]]
    notebook.ask("turn", at=2)
    assert notebook.updates[-1] == (display, "4.0 : Real(1)")
    assert notebook.workspace.run("alpha").text == "0.4 : Real(1)"


def test_a_pinned_output_does_not_run_again_until_it_is_unpinned(notebook: Notebook) -> None:
    notebook.run("pass", PASS)
    before = notebook.opening()
    (number,) = [f.number for f in notebook.knobs.followers]
    assert [state for _, state in notebook.ask("pin", number=number, on=True)] == ["pinned"]
    assert [state for _, state in notebook.ask("turn", at=2)] == ["pinned"]
    assert notebook.opening() == before
    assert [state for _, state in notebook.ask("pin", number=number, on=False)] == ["follows"]
    assert notebook.opening() != before
    assert "w - 0.4 · outer(y, x)" in labels(notebook.opened())


def test_what_cannot_follow_says_so(notebook: Notebook) -> None:
    notebook.run("check", "check alpha == alpha\n1 + 1")
    notebook.run("train", 'train return alpha * x for (x, t) in data("xor")')
    followers = notebook.ask("turn", at=1)
    assert [state for _, state in followers] == ["behind", "behind"], "and `1 + 1` is not in the list"
    assert all("run its cell again" in f.behind for f in notebook.knobs.followers if f.depends_on("alpha"))


def test_an_output_with_an_error_at_the_value_shows_it_and_follows_again(notebook: Notebook) -> None:
    notebook.run("dim", "dim n = 2")
    notebook.run("knob", "%slider n 1 4")
    notebook.run("value", "fill[n](1) + [1, 2]")
    assert [state for _, state in notebook.ask("turn", at=3)] == ["behind"]
    (follower,) = notebook.knobs.followers
    assert follower.behind.startswith("RH")
    assert [state for _, state in notebook.ask("turn", at=1)] == ["follows"]


def test_a_knob_follows_the_cells(notebook: Notebook) -> None:
    notebook.run("pass", PASS)
    (follower,) = notebook.knobs.followers
    widget: Any = follower.widget
    assert widget.mark["state"] == "follows"
    notebook.ask("turn", at=2)
    notebook.run("undo", "%undo")
    assert notebook.knob().opening()["at"] == 0
    assert "w - 0.1 · outer(y, x)" in labels(notebook.opened())
    notebook.run("alpha", "const alpha = 0.2")
    assert notebook.knob().opening()["at"] == 1
    assert widget.mark["state"] == "behind", "the pass was made with the earlier constant"
    assert [state for _, state in notebook.ask("turn", at=2)] == ["behind"]
    notebook.run("alpha", "fun alpha(x : Real) : Real = x")
    assert notebook.knob().opening()["gone"] != ""
    with pytest.raises(Unanswerable):
        notebook.ask("turn", at=0)


APPLIED = "rev handle ([1, 2]) <x>. FC[w](x) with descent({})"


@pytest.fixture
def rates() -> Iterator[Notebook]:
    made = Notebook()
    knob, first = "%slider descent.rate 0.1 0.4 0.1", f"%gradient {APPLIED.format(0.3)}"
    for cell, text in {"net": NET, "knob": knob, "pass": first}.items():
        made.run(cell, text)
    yield made
    for cell in ("knob", "pass"):
        made.widgets.clear(cell)


def rate(notebook: Notebook) -> str:
    """The rate in the player."""
    (found,) = [label for label in labels(notebook.opened()) if "outer" in label]
    return found.split()[2]


def test_a_parameter_has_what_is_written_until_it_is_turned(rates: Notebook) -> None:
    assert (rates.knob().opening()["value"], rates.knob().opening()["at"]) == ("as written", -1)
    assert (rate(rates), rates.ask("settle")[0][1]) == ("0.3", "follows")
    before, heap = rates.workspace.session, rates.workspace.heap["w"].tolist()
    rates.ask("turn", at=1)
    assert (rate(rates), rates.knob().opening()["value"]) == ("0.2", "0.2")
    assert rates.workspace.session is before
    assert rates.workspace.heap["w"].tolist() == heap
    rates.ask("turn", at=-1)
    assert (rate(rates), rates.knob().opening()["at"]) == ("0.3", -1)


def test_all_applications_of_an_item_get_the_value(rates: Notebook) -> None:
    rates.run("value", f"let a <= {APPLIED.format(0.1)} in {APPLIED.format(0.2)}")
    rates.ask("turn", at=3)
    again = Workspace(Path())
    again.run(NET)
    again.run(APPLIED.format(0.3))
    wanted = again.run(f"let a <= {APPLIED.format(0.4)} in {APPLIED.format(0.4)}").text
    assert rates.updates[-1][1] == wanted
    answer: Any = rates.knob().opening()
    assert [f["applications"] for f in answer["followers"]] == [1, 2]


def test_a_cell_that_runs_shows_what_is_written(rates: Notebook) -> None:
    rates.ask("turn", at=0)
    rates.run("pass", f"%gradient {APPLIED.format(0.25)}")
    assert (rate(rates), rates.ask("settle")[0][1]) == ("0.25", "behind")
    rates.ask("turn", at=1)
    assert (rate(rates), rates.ask("settle")[0][1]) == ("0.2", "follows")
    rates.run("net", NET.replace("x -> return x", "x -> return 2 * x"))
    assert rates.ask("settle")[0][1] == "behind", "it was made with the earlier handler"


def test_without_its_knob_a_parameter_has_what_is_written_again(rates: Notebook) -> None:
    rates.ask("turn", at=1)
    assert rate(rates) == "0.2"
    rates.run("knob", "%slider descent.rate 0.1 0.4 0.1")
    assert (rate(rates), rates.knob().opening()["at"]) == ("0.3", -1)


def test_a_name_declared_in_the_cell_of_its_slider_is_there_at_once(notebook: Notebook) -> None:
    notebook.run("both", "const beta = 0.1\n%slider beta 0.01 1 log")
    assert notebook.knobs_opened[-1]["gone"] == ""
    assert notebook.knob(1).opening()["value"] == "0.1"
    notebook.run("both", "const gamma = 0.1\n%slider gamma 0.01 1 log\ncheck gamma == 2")
    failed: Any = notebook.widgets.latest
    assert failed.opening["gone"] != "", "a cell that fails declares nothing"


def test_only_values_of_the_knob_can_be_set(notebook: Notebook) -> None:
    for at in (-1, 3, 0.5, "1", None, True):
        with pytest.raises(Unanswerable):
            notebook.ask("turn", at=at)
    with pytest.raises(Unanswerable):
        notebook.ask("sing")
    with notebook.workspace.changing(), pytest.raises(Unanswerable, match="running"):
        notebook.ask("turn", at=1)


@law(20)
@given(
    st.lists(st.floats(-5, 5), min_size=2, max_size=2),
    st.lists(st.floats(-5, 5), min_size=2, max_size=2),
    st.sampled_from([0, 1, 2]),
)
def test_a_changed_pass_is_that_of_the_program_with_these_numbers(x: list[float], w: list[float], at: int) -> None:
    notebook = Notebook()
    for cell, text in {"net": NET, "alpha": "const alpha = 0.1", "knob": "%knob alpha [0.1, 0.2, 0.4]", "pass": PASS}.items():
        notebook.run(cell, text)
    (follower,) = notebook.knobs.followers
    player = follower.view
    assert player is not None
    notebook.ask("turn", at=at)
    player = follower.view
    assert player is not None
    answer: Any = player.answer({"ask": "change", "arrays": {"": [*x], "w": [*w]}})
    assert notebook.workspace.heap["w"].tolist() != [w] or w == [0.5, -1]

    other = Notebook()
    rate = (0.1, 0.2, 0.4)[at]
    other.run("net", NET.replace("[[0.5, -1]]", f"[{w}]"))
    other.run("pass", PASS.replace("[1, 2]", str(x)).replace("alpha", str(rate)))
    assert answer["passes"][0]["value"] == other.opening()["passes"][0]["value"]
    assert answer["passes"][0]["accesses"] == other.opening()["passes"][0]["accesses"]
    for made in (notebook, other):
        for cell in ("knob", "pass"):
            made.widgets.clear(cell)


def test_only_small_finite_arrays_that_are_there_can_be_changed(notebook: Notebook) -> None:
    notebook.run("pass", PASS)
    (follower,) = notebook.knobs.followers
    player = follower.view
    assert player is not None
    offered: Any = player.answer({"ask": "offered"})
    assert [(a["title"], a["shape"], a["numbers"]) for a in offered["arrays"]] == [
        ("input", [2], [1, 2]),
        ("w", [1, 2], [0.5, -1]),
    ]
    wrong: list[Any] = [None, [], {"w": [1]}, {"w": [1, "2"]}, {"w": [1, float("nan")]}, {"w": [1, 1e300]}, {"v": [1, 2]}]
    for arrays in wrong:
        with pytest.raises(Unanswerable):
            player.answer({"ask": "change", "arrays": arrays})


def test_large_arrays_are_not_offered(notebook: Notebook) -> None:
    notebook.run("large", "loc v : Real(1, 100) = zeros\n%gradient rev handle (fill[100](1)) <x>. FC[v](x) with descent(alpha)")
    (follower,) = notebook.knobs.followers
    assert follower.view is not None
    assert follower.view.answer({"ask": "offered"}) == {"arrays": []}
    notebook.widgets.clear("large")
