"""The language in the editors of a page: colours by day and by night, indentation, comments, and Python where it is Python."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest

from tests.browser.conftest import Lab, Window

pytestmark = pytest.mark.browser

Open = Callable[..., Window]

PROGRAM = """\
# A layer, and a handler that trains it
loc w0 : Real(3, 2) = normal(0.5, seed=1)
op FC[l : Loc(m, n)] : Real(n) -> Real(m)
handler sgd(α : Real) : rev handler(Real(k)) = {
  return x -> return α * x
  FC[l](x) -> let w <= Get[l]() in return (w @ x, (w, x).1)
}
train rev handle ([1, 2]) <u>. FC[w0](u) with sgd(0.1)
  for x in data("xor") epochs 1
%trace ⌊softmax([1, 2])⌋"""
PYTHON = '%%python\nimport numpy as np  # arrays\ndef f(x):\n    return "x"'

PIECES = """place => [...document.querySelector(place).querySelectorAll('.cm-line span')].map(span => {
    const { color, fontWeight, fontStyle } = getComputedStyle(span);
    return [span.textContent, `${color} ${fontWeight} ${fontStyle}`];
})"""
ARE_COLOURED = "place => (document.querySelector(place)?.querySelectorAll('.cm-line span[class]').length ?? 0) > 5"
TEXT = "place => [...document.querySelector(place).querySelectorAll('.cm-line')].map(line => line.textContent).join('\\n')"
NUMBERED = """() => [...document.querySelectorAll('.jp-Notebook .jp-CodeCell')].forEach((cell, n) => cell.classList.add(`cell-${n}`))"""

DIFFERENT = ("let", "w0", "Real", "normal", "0.5", '"xor"', "# A layer, and a handler that trains it", "->", "<", "(", "%trace", "x")
ALIKE = (("let", "return", "⌊", "train", "epochs", "loc"), ("normal", "Get", "softmax"), ("w0", "FC", "sgd"), ("->", "<=", "*"))


def looks(window: Window, place: str) -> dict[str, str]:
    """How each piece of an editor looks, in the first place where it stands."""
    window.page.wait_for_function(ARE_COLOURED, arg=place)
    return {text: look for text, look in reversed(window.page.evaluate(PIECES, place))}


def check(found: dict[str, str]) -> None:
    assert len({found[text] for text in DIFFERENT if text != "x"}) == len(DIFFERENT) - 1, found
    for texts in ALIKE:
        assert len({found[text] for text in texts}) == 1, found


def test_each_kind_of_word_has_its_colour_by_day_and_by_night(open_notebook: Open, tmp_path: Path) -> None:
    window = open_notebook("colours.ipynb", PROGRAM, PYTHON)
    window.page.evaluate(NUMBERED)
    found = looks(window, ".cell-0")
    check(found)
    window.picture(tmp_path / "light.png")
    window.command("apputils:change-theme-to-dark-jupyterlab")
    window.page.evaluate("() => window.jupyterapp.commands.execute('apputils:change-theme', { theme: 'JupyterLab Dark' })")
    window.page.wait_for_function("() => document.body.dataset.jpThemeLight === 'false'")
    window.page.wait_for_timeout(300)
    dark = looks(window, ".cell-0")
    check(dark)
    assert found["->"] != dark["->"]
    window.picture(tmp_path / "dark.png")
    assert window.errors == []
