"""A race in JupyterLab: the lines, the row and the clauses of a handler belong together, by pointer and by keyboard."""

from __future__ import annotations

import os
from collections.abc import Callable
from pathlib import Path

import pytest

from tests.browser.conftest import Window

pytestmark = [pytest.mark.browser, pytest.mark.slow]

Open = Callable[..., Window]

NET = """include "adam.rh"
include "momentum.rh"
loc w0 : Real(3, 2) = glorot(seed=1)
loc w1 : Real(1, 3) = glorot(seed=2)
net error(x : Real(2), t : Real) : Real =
  let z <= FC[w0](x) in
  let y <= FC[w1](tanh(z)) in
  return dot(y - t, y - t)"""
RACE = """%race train handle (rev handle (x, t) <x, t>. error(x, t) with backprop)
  with gradient_descent(0.1), momentum(0.1, 0.9), adam(0.1)
  for (x, t) in data("xor") epochs 40 batch 4
  measure handle error(x, t) with infer as "error" """
MARKED = "() => [...document.querySelectorAll('.rh-race-table tr.rh-linked-on')].map(row => row.dataset.run)"


def test_the_lines_and_the_row_of_a_handler_are_marked_together(open_notebook: Open, tmp_path: Path) -> None:
    pictures = Path(os.environ.get("RH_PICTURES", tmp_path))
    window = open_notebook("race.ipynb", NET, RACE)
    window.run_all()
    window.page.wait_for_selector(".rh-race-clauses")
    window.picture(pictures / "race.png")
    assert window.page.locator(".rh-race-table tbody tr").count() == 3
    assert window.page.locator(".rh-race figure img").count() == 2
    assert "v" in window.page.locator(".rh-race-clauses mark").all_inner_texts()
    window.page.locator(".rh-race figure >> nth=1").locator("g[data-run='1']").first.dispatch_event("pointerenter")
    assert window.page.evaluate(MARKED) == ["1"]
    assert window.page.locator(".rh-race figure >> nth=0").locator("g.rh-linked-on[data-run='1']").count() == 2
    window.page.focus(".rh-race-table tbody tr[tabindex='0']")
    window.page.keyboard.press("ArrowDown")
    window.page.keyboard.press("ArrowDown")
    window.page.keyboard.press("Enter")
    assert window.page.evaluate(MARKED) == ["2"]
    window.picture(pictures / "race_marked.png")
    window.page.keyboard.press("Escape")
    window.page.keyboard.press("Tab")
    assert window.page.evaluate(MARKED) == []
    assert window.errors == []
