"""The language in the editors of a page: highlighting in both themes, indentation, comments, and nested Python."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest

from tests.browser.conftest import Lab, Window

pytestmark = [pytest.mark.browser, pytest.mark.slow]

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
NUMBERED = """() => {
    [...document.querySelectorAll('.jp-Notebook .jp-CodeCell')].forEach((cell, n) => cell.classList.add(`cell-${n}`));
}"""

DIFFERENT = ("let", "w0", "Real", "normal", "0.5", '"xor"', "# A layer, and a handler that trains it", "->", "<", "(", "%trace")
ALIKE = (("let", "return", "⌊", "train", "epochs", "loc"), ("normal", "Get", "softmax"), ("w0", "FC", "sgd"), ("->", "<=", "*"))


def looks(window: Window, place: str) -> dict[str, str]:
    """The style of each token, at its first occurrence."""
    window.page.wait_for_function(ARE_COLOURED, arg=place)
    return dict(reversed(window.page.evaluate(PIECES, place)))


def check(found: dict[str, str]) -> None:
    assert len({found[text] for text in DIFFERENT}) == len(DIFFERENT), found
    for texts in ALIKE:
        assert len({found[text] for text in texts}) == 1, found


def test_each_kind_of_word_has_its_colour_by_day_and_by_night(open_notebook: Open, tmp_path: Path) -> None:
    window = open_notebook("colours.ipynb", PROGRAM, PYTHON)
    window.page.evaluate(NUMBERED)
    found = looks(window, ".cell-0")
    check(found)
    window.picture(tmp_path / "light.png")
    window.page.evaluate("() => window.jupyterapp.commands.execute('apputils:change-theme', { theme: 'JupyterLab Dark' })")
    window.page.wait_for_function("() => document.body.dataset.jpThemeLight === 'false'")
    window.page.wait_for_timeout(300)
    dark = looks(window, ".cell-0")
    check(dark)
    assert found["->"] != dark["->"]
    window.picture(tmp_path / "dark.png")
    assert window.errors == []


def test_a_python_cell_has_the_colours_of_python_as_long_as_it_is_one(open_notebook: Open) -> None:
    window = open_notebook("python.ipynb", PROGRAM, PYTHON)
    window.page.evaluate(NUMBERED)
    ours, python = looks(window, ".cell-0"), looks(window, ".cell-1")
    assert python["%%python"] == ours["%trace"]
    assert {python[text] for text in ("import", "def", "return")} == {ours["let"]}
    assert python["# arrays"] == ours["# A layer, and a handler that trains it"]
    window.page.click(".cell-1 .cm-line")
    window.page.keyboard.press("Control+Home")
    window.page.keyboard.type("# ")
    window.page.wait_for_function(f"place => !({PIECES})(place).some(([text]) => text === 'import')", arg=".cell-1")
    window.page.keyboard.press("Backspace")
    window.page.keyboard.press("Backspace")
    window.page.wait_for_function(f"place => ({PIECES})(place).some(([text]) => text === 'import')", arg=".cell-1")
    assert window.errors == []


def test_enter_indents_and_a_brace_goes_back(open_notebook: Open) -> None:
    window = open_notebook("typing.ipynb", "", "%%python")
    window.page.evaluate(NUMBERED)
    window.page.click(".cell-0 .cm-content")
    lines = (
        "handler h = {",
        "return x -> return x",
        "FC[l](x) -> let w <= Get[l]() in",
        "return w",
        "| y, z -> return z",
        "}",
        "h",
        "",
    )
    for line in lines:
        window.page.keyboard.type(line)
        window.page.keyboard.press("Enter")
    columns = (0, 2, 2, 14, 4, 0, 0)
    expected = [" " * column + line for column, line in zip(columns, lines, strict=False)]
    assert window.page.evaluate(TEXT, ".cell-0").rstrip().split("\n") == expected
    window.page.click(".cell-1 .cm-content")
    window.page.keyboard.press("Control+End")
    window.page.keyboard.type("\ndef f(x):")
    window.page.wait_for_function(f"place => ({PIECES})(place).some(([text]) => text === 'def')", arg=".cell-1")
    window.page.keyboard.press("Enter")
    window.page.keyboard.type("return x\n")
    assert window.page.evaluate(TEXT, ".cell-1").rstrip() == "%%python\ndef f(x):\n    return x"
    assert window.errors == []


def test_a_line_becomes_a_comment_and_back(open_notebook: Open) -> None:
    window = open_notebook("comments.ipynb", "loc w = 1\nw")
    window.page.evaluate(NUMBERED)
    window.page.click(".cell-0 .cm-line")
    window.page.keyboard.press("Control+/")
    assert window.page.evaluate(TEXT, ".cell-0") == "# loc w = 1\nw"
    window.page.keyboard.press("Control+/")
    assert window.page.evaluate(TEXT, ".cell-0") == "loc w = 1\nw"


def test_a_file_and_a_fenced_program_have_the_same_colours(open_notebook: Open, lab: Lab) -> None:
    (lab.folder / "layer.rh").write_text(PROGRAM, encoding="utf-8")
    window = open_notebook("beside.ipynb", PROGRAM)
    window.page.evaluate(NUMBERED)
    found = looks(window, ".cell-0")
    window.page.evaluate("() => window.jupyterapp.commands.execute('docmanager:open', { path: 'layer.rh' })")
    assert looks(window, ".jp-FileEditor") == found
    assert window.errors == []


MARKED = "() => [...document.querySelectorAll('.rh-diagnostic')].map(mark => mark.textContent)"


def see(window: Window, *marked: str) -> None:
    """Exactly these texts are underlined, as soon as the kernel has answered."""
    window.page.wait_for_timeout(1500)
    window.page.wait_for_function(f"marked => JSON.stringify(({MARKED})()) === JSON.stringify(marked)", arg=[*marked])


def test_what_is_wrong_is_marked_while_it_is_written(open_notebook: Open, tmp_path: Path) -> None:
    window = open_notebook("checked.ipynb", "const c : Real = 3", "", "%%python", "twice(c)")
    page = window.page
    page.evaluate(NUMBERED)
    window.command("notebook:run-cell")
    page.wait_for_selector(".cell-0 .jp-OutputArea-output")

    page.click(".cell-1 .cm-content")
    page.keyboard.type("net twice(x : Real) : Real = return 2 * x\nc + ()\n")
    see(window, "c + ()")
    page.hover(".cell-1 .rh-diagnostic")
    page.wait_for_selector(".rh-diagnostic-words")
    assert "RH103" in page.inner_text(".rh-diagnostic-words")
    page.screenshot(path=tmp_path / "marked.png")
    for _ in range(4):
        page.keyboard.press("Backspace")
    page.keyboard.type("1")
    see(window)
    page.keyboard.type(" + (c")
    see(window)
    page.keyboard.type(") + d")
    see(window)
    page.keyboard.press("Home")
    see(window, "d")
    page.click(".cell-3 .cm-content")
    page.keyboard.press("End")
    page.keyboard.type(" ")
    see(window, "d")
    page.click(".cell-2 .cm-content")
    page.keyboard.press("Control+End")
    page.keyboard.type("\n1 + (")
    see(window, "d")
    page.click(".cell-0 .cm-content")
    page.keyboard.press("Control+End")
    page.keyboard.type("\nconst d : Real = 4")
    page.keyboard.press("Control+Enter")
    see(window)
    assert window.errors == []


LOST = """op FC[l : Loc(m, n)] : Real(n) -> Real(m)
loc w : Real(2, 2) = eye
handler sgd : rev handler(Real(2)) = {
  return y -> return y
  FC[l](x) -> let w <= Get[l]() in return (w @ x, (w, x))
    | y, z -> let (w, x) <- z in
              let _ <= Put[l](w - outer(y, x)) in
              return w^T @ y
}
rev handle ([1, -2]) <x>. repeat i < 3 from s = x do FC[w](s) with sgd
"""


def test_the_button_in_the_message_applies_the_quick_fix(open_notebook: Open, tmp_path: Path) -> None:
    window = open_notebook("fixed.ipynb", "", "1")
    page = window.page
    page.evaluate(NUMBERED)
    page.click(".cell-0 .cm-content")
    page.evaluate(
        "text => { window.jupyterapp.shell.currentWidget.content.widgets[0].model.sharedModel.setSource(text) }", LOST
    )
    see(window, "Put[l](w - outer(y, x))")
    page.hover(".rh-diagnostic.rh-warning")
    page.wait_for_selector(".rh-diagnostic-fix")
    page.screenshot(path=tmp_path / "fix.png")
    assert "Warning RH143" in page.inner_text(".rh-diagnostic-words")
    page.click(".rh-diagnostic-fix")
    see(window)
    assert "let w' <= Get[l]() in\n              let _ <= Put[l](w' - outer" in page.evaluate(TEXT, ".cell-0")
    assert window.errors == []


def test_a_kernel_at_work_is_not_asked(open_notebook: Open) -> None:
    endless = 'train return x for (x, t) in data("xor") epochs 100000000 measure return 0'
    window = open_notebook("at_work.ipynb", endless, "")
    window.page.evaluate(NUMBERED)
    window.command("notebook:run-cell")
    kernel = "window.jupyterapp.shell.currentWidget.context.sessionContext.session.kernel"
    window.page.wait_for_function(f"() => {kernel}.status === 'busy'")
    window.page.click(".cell-1 .cm-content")
    window.page.keyboard.type("1 + ()\n")
    see(window)
    window.command("notebook:interrupt-kernel")
    window.page.wait_for_selector(".rh-diagnostic", timeout=10_000)
    assert window.errors == []
