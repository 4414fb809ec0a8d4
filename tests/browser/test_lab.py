"""A notebook in JupyterLab: visible outputs, and a console without errors."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest

from lessons.press.texts import lessons
from lessons.press.writing import write
from tests.browser.conftest import TOKEN, Lab, Window, opened

pytestmark = pytest.mark.browser

Open = Callable[..., Window]

DECLARATIONS = """\
# A network with one hidden layer, and a handler that trains it
dim hidden = 3
loc w0 : Real(hidden, 2) = normal(0.5, seed=1)
loc w1 : Real(1, hidden) = normal(0.5, seed=2)
op FC[l : Loc(m, n)] : Real(n) -> Real(m)
net mlp(x : Real(2)) : Real(1) =
  let z <= FC[w0](x) in
  let h ⇐ ⌊swish(z)⌋ in
  FC[w1](h)
handler sgd(α : Real, t : Real(k)) : rev handler(Real(k)) = {
  return x -> return α * (x - t)
  FC[l](x) -> let w <= Get[l]() in return (w @ x, (w, x))
    | y, z -> let (w, x) <- z in
              let _ <= Put[l](w - outer(y, x)) in
              return w^T @ y
}"""
PASS = "rev handle ([1.0, 2.0]) <x>. mlp(x) with sgd(0.1, 0.5)"
TRAINING = """\
train rev handle (x) <u>. mlp(u) with sgd(0.1, t)
  for (x, t) in data("xor") epochs 60 batch 2 shuffle 0
  measure return dot(t, t)"""


FAILING = """() => window.jupyterapp.shell.currentWidget.content.widgets
    .filter(cell => cell.model.type === 'code')
    .filter(cell => [...Array(cell.model.outputs.length).keys()].some(i => cell.model.outputs.get(i).type === 'error'))
    .map(cell => cell.model.sharedModel.getMetadata('tags') ?? [])"""
"""The tags of each cell that shows an error."""


@pytest.mark.slow
@pytest.mark.essential
def test_the_first_lesson_runs_to_its_end(chromium: str, lab: Lab, tmp_path: Path) -> None:
    """First contact: no dialog covers the page, and unsolved exercises do not stop running all cells."""
    first = lessons(("00",))[0]
    write(first, lab.folder)
    with opened(chromium, f"{lab.url}/lab/workspaces/first/tree/{first.name}.ipynb?token={TOKEN}") as window:
        window.page.wait_for_timeout(1000)
        window.page.screenshot(path=tmp_path / "first.png")
        assert window.page.query_selector(".jp-Dialog, .Toastify__toast") is None
        window.run_all()
        failing = window.page.evaluate(FAILING)
        assert failing
        assert all({"exercise", "check"} & set(tags) for tags in failing)
        assert window.errors == []


@pytest.mark.slow
def test_a_notebook_runs_from_top_to_bottom(open_notebook: Open, tmp_path: Path) -> None:
    looked_at = (f"%trace {PASS}", f"%compile {PASS}", "%heap")
    window = open_notebook("lesson.ipynb", DECLARATIONS, PASS, *looked_at, TRAINING, "1 + 2\nmlp(3)")
    window.run_all()
    window.picture(tmp_path / "notebook.png")
    shown = window.outputs()
    assert "mlp" in shown[0][0]
    assert "Real(2) ~> Real(1)" in shown[0][0]
    assert "Real(2)" in shown[1][0]
    assert "RevHandle" in "".join(shown[2])
    assert "swish" in "".join(shown[3])
    assert "w0" in "".join(shown[4])
    assert len(shown[5]) == 1
    assert "60" in shown[5][0]
    assert "RH" in "".join(shown[6])
    assert "Traceback" not in str(shown)
    assert window.errors == []


@pytest.mark.slow
def test_an_interrupt_from_the_menu_stops_training(open_notebook: Open) -> None:
    window = open_notebook("endless.ipynb", DECLARATIONS, TRAINING.replace("epochs 60", "epochs 100000000"))
    window.command("notebook:run-all-cells")
    window.page.wait_for_function("() => document.querySelectorAll('.jp-OutputArea-output').length > 1")
    window.command("notebook:interrupt-kernel")
    window.page.wait_for_function("() => document.body.innerText.includes('Interrupted')", timeout=10_000)
    assert "Interrupted" in window.outputs()[1][-1]


@pytest.mark.slow
def test_tab_offers_names_with_their_types(open_notebook: Open) -> None:
    window = open_notebook("completion.ipynb", DECLARATIONS, "ml")
    window.command("notebook:run-all-cells")
    window.page.wait_for_selector(".jp-OutputArea-output")
    window.page.click(".jp-CodeCell:nth-of-type(2) .cm-content, .jp-CodeCell >> nth=1 >> .cm-content")
    window.page.keyboard.press("End")
    window.page.keyboard.press("Tab")
    window.page.wait_for_function("() => document.body.innerText.includes('mlp') && !!document.querySelector('.jp-Completer')")
