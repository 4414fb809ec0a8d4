"""Tab, and Shift with Tab, in JupyterLab."""

from __future__ import annotations

from collections.abc import Callable

import pytest

from tests.browser.conftest import Lab, Window

pytestmark = [pytest.mark.browser, pytest.mark.slow]

DECLARED = """loc bias : Real(3) = zeros
loc weight : Real(3, 2) = zeros
# One layer.
op FC[l : Loc(m, n)] : Real(n) -> Real(m)
const adam_step : Real = 0.1"""
ITEMS = ".jp-Completer.jp-HoverBox:not(.lm-mod-hidden) .jp-Completer-item"


def written(window: Window) -> str:
    """The text of the last cell."""
    return window.page.evaluate(
        "() => window.jupyterapp.shell.currentWidget.content.widgets.at(-1).model.sharedModel.getSource()"
    )


def write(window: Window, text: str) -> None:
    """Put the cursor after ``text`` in the last cell, which contains nothing else."""
    window.page.locator(".jp-Notebook .jp-Cell .cm-content").last.click()
    window.page.keyboard.press("Control+A")
    window.page.keyboard.press("Delete")
    window.page.keyboard.insert_text(text)


def taken(window: Window, *offered: str) -> str:
    """The text of the last cell after accepting the first completion."""
    window.page.keyboard.press("Tab")
    window.page.wait_for_selector(ITEMS, timeout=10_000)
    assert [item.inner_text() for item in window.page.locator(f"{ITEMS} .jp-Completer-match").all()] == list(offered)
    window.page.keyboard.press("Enter")
    window.page.wait_for_timeout(300)
    return written(window)


def test_tab_and_shift_tab(lab: Lab, open_notebook: Callable[..., Window]) -> None:
    (lab.folder / "sub").mkdir()
    for name in ("b.npz", "a.csv", "c.txt"):
        (lab.folder / "sub" / name).touch()
    window = open_notebook("completing.ipynb", DECLARED, "")
    window.page.locator(".jp-Notebook .jp-Cell .cm-content").first.click()
    window.page.keyboard.press("Control+Enter")
    window.page.wait_for_selector(".jp-OutputArea-output", timeout=30_000)

    write(window, r"let 🎉\alpha")
    assert taken(window, "α") == "let 🎉α"
    write(window, "FC[")
    assert taken(window, "weight", "bias") == "FC[weight"
    write(window, "1 + \\alp")
    assert taken(window, "α") == "1 + α"
    write(window, "1 + adam")
    assert taken(window, "adam_step") == "1 + adam_step"
    write(window, 'train FC[weight]([1, 2]) for x in data("sub/')
    assert taken(window, "a.csv", "b.npz").endswith('data("sub/a.csv')

    write(window, "FC")
    window.page.keyboard.press("Shift+Tab")
    shown = window.page.wait_for_selector(".jp-Tooltip-content", timeout=10_000)
    assert shown is not None
    text = shown.inner_text()
    assert "FC[l : Loc(m, n)] : Real(n) -> Real(m)" in text
    assert "One layer." in text
    assert "T-OP" in text
    assert not window.errors
