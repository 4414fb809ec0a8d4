"""What a net sees, in JupyterLab: pictures, and a confusion matrix that shows samples by click and by keyboard."""

from __future__ import annotations

import os
from collections.abc import Callable
from pathlib import Path

import pytest
from playwright.sync_api import expect

from tests.browser.conftest import Window
from tests.session.test_confusion import NET

pytestmark = [pytest.mark.browser, pytest.mark.slow]

Open = Callable[..., Window]


CONFUSION = '%confusion handle digits(x) with infer for (x, t) in data("digits.test")'
SEES = '%sees rev handle (x) <u>. digits(u) with sgd(1, t) for (x, t) in data("digits.test")'
SURFACE = """loc v : Real(3, 2) = glorot(seed=1)
net plane(x : Real(2)) : Real(3) = FC[v](x)
train rev handle (x) <u>. plane(u) with sgd(0.1, t)
  for (x, t) in data("spiral") epochs 20 batch 10 surface handle plane(x) with infer"""


def pictures(window: Window, selector: str) -> int:
    return window.page.locator(f"{selector} img").count()


def test_a_confusion_matrix_shows_the_samples_of_a_cell(open_notebook: Open, tmp_path: Path) -> None:
    window = open_notebook("sees.ipynb", NET, CONFUSION, SEES, SURFACE)
    window.run_all()
    page = window.page
    page.wait_for_selector(".rh-confusion figure img")
    window.picture(Path(os.environ.get("RH_PICTURES", tmp_path)) / "confusion.png")
    assert pictures(window, ".rh-confusion-samples") == 48
    assert page.locator(".rh-sees-cell[aria-label*='cotangent of u:'] img").count() == 6
    # The static form, which has the same pictures, is hidden.
    assert not page.locator("img[alt^='the cotangent of u in sample']").last.is_visible()
    assert page.locator(".rh-surface-svg[aria-label^='surface over x[0]']").count() == 1
    page.locator(".rh-time-slider").focus()
    page.keyboard.press("Home")
    expect(page.locator(".rh-time-where")).to_have_text("at the start, before epoch 1 of 20")
    assert page.locator("img[alt^='surface over x[0]']:visible").count() == 0
    page.click(".rh-confusion td button[data-row='3'][data-column='3']")
    page.wait_for_function("document.querySelector('.rh-confusion-words').innerText.includes('of class 3')")
    count = int(page.inner_text(".rh-confusion td button[data-row='3'][data-column='3']"))
    assert pictures(window, ".rh-confusion-samples") == count
    page.keyboard.press("ArrowRight")
    page.wait_for_function("document.querySelector('.rh-confusion-words').innerText.includes('taken for 4')")
    assert page.evaluate("document.activeElement.dataset.column") == "4"
