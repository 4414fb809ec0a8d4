"""A recorded training run in JupyterLab: tints, the time bar, by mouse and by keyboard, and the static form beside it."""

from __future__ import annotations

import os
from collections.abc import Callable
from pathlib import Path

import pytest

from tests.browser.conftest import Window

pytestmark = [pytest.mark.browser, pytest.mark.slow]

Open = Callable[..., Window]

FLOW = """op FC[l : Loc(m, n)] : Real(n) -> Real(m)
loc w0 : Real(4, 2) = [[-9, -9], [1, 1], [0.5, 1], [1, 0.5]]
loc w1 : Real(1, 4) = normal(0.5, seed=2)
net mlp(x : Real(2)) : Real(1) = let h <= FC[w0](x) in FC[w1](relu(h))
handler sgd(alpha : Real, t : Real(k)) : rev handler(Real(k)) = {
  return y -> return alpha * (y - t)
  FC[l](x) -> let w <= Get[l]() in return (w @ x, (w, x))
    | y, (w, x) -> let _ <= Put[l](w - outer(y, x)) in return w^T @ y
}
%flow train rev handle (x) <u>. mlp(u) with sgd(0.05, t)
  for (x, t) in data("xor") epochs 400 batch 4"""
OPACITIES = """() => [...document.querySelectorAll('.rh-flow-tint')].map(tint => tint.style.fillOpacity)"""


def test_one_drags_through_the_batches_and_switches_what_tints_the_boxes(open_notebook: Open, tmp_path: Path) -> None:
    window = open_notebook("flow.ipynb", FLOW)
    page = window.page
    window.run_all()
    page.wait_for_selector(".rh-flow-tint")
    window.picture(Path(os.environ.get("RH_PICTURES", tmp_path)) / "flow.png")
    assert "batch 400 of 400 · epoch 400 of 400" in page.inner_text(".rh-time-where")
    assert page.locator(".rh-flow-tint").count() == 3
    last = page.evaluate(OPACITIES)
    assert page.inner_text(".rh-flow-switch [aria-pressed=true]") == "cotangents"

    page.focus(".rh-flow-track input")
    page.keyboard.press("Home")
    assert "batch 0 of 400" in page.inner_text(".rh-time-where")
    assert page.evaluate(OPACITIES) != last
    page.keyboard.press("ArrowRight")
    assert "batch 0 " not in page.inner_text(".rh-time-where")
    page.keyboard.press("End")
    assert page.evaluate(OPACITIES) == last

    page.click(".rh-flow-switch button >> nth=2")
    assert page.get_attribute(".rh-flow-svg", "data-quantity") == "change"
    page.click(".rh-flow-look")
    assert page.get_attribute(".rh-flow-svg", "data-quantity") == "value"
    assert page.locator(".rh-flow-on").count() == 1
    assert "relu(h)" in page.inner_text(".rh-flow-caption")
    assert page.get_attribute(".rh-flow-findings a", "href") == "09-convolution-and-pooling.md"

    page.click(".rh-time-play")
    page.wait_for_function("() => !document.querySelector('.rh-time-where').innerText.startsWith('batch 0 ')")
    page.click(".rh-time-play")
    assert "Play" in page.inner_text(".rh-time-play")
    assert window.errors == []
