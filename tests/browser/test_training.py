"""A training run in JupyterLab: progress, interrupt, and an untrusted notebook."""

from __future__ import annotations

import re
from collections.abc import Callable
from pathlib import Path
from typing import cast

import nbformat
import pytest

from tests.browser.conftest import Lab, Window
from tests.browser.test_lab import DECLARATIONS, TRAINING

pytestmark = [pytest.mark.browser, pytest.mark.slow]

Open = Callable[..., Window]

INFER = """
handler infer = {
  return x -> return x
  FC[l](x), k -> let w <= Get[l]() in k(w @ x)
}"""
LOSS = TRAINING.replace("return dot(t, t)", "let y <= handle mlp(x) with infer in return dot(y - t, y - t)")
LONG = LOSS.replace("epochs 60", "epochs 1000000").replace("sgd(0.1", "sgd(0.001")
OUTPUT = "document.querySelectorAll('.jp-Notebook .jp-CodeCell')[1].querySelector('.jp-OutputArea')"
LOOK = f"""() => {{
    const output = {OUTPUT};
    const bar = [...output.querySelectorAll('div')].find(each => /^width:[\\d.]+%/.test(each.getAttribute('style') ?? ''));
    return {{
        text: output.innerText,
        height: output.getBoundingClientRect().height,
        top: document.querySelectorAll('.jp-Notebook .jp-CodeCell')[2].getBoundingClientRect().top,
        bar: bar?.getBoundingClientRect().width ?? 0,
        pictures: [...output.querySelectorAll('img')].map(image => image.getAttribute('src')),
        seen: [...output.querySelectorAll('img')].every(image => image.complete && image.naturalWidth > 0),
        words: [...output.querySelectorAll('img')].map(image => image.getAttribute('alt')),
    }};
}}"""


def epoch(text: str) -> int:
    found = re.search(r"epoch (\d+) of 1000000|stopped after (\d+) epochs", text)
    assert found is not None, text
    return int(found[1] or found[2])


def test_a_run_is_seen_as_it_goes_on_and_as_it_was_left(open_notebook: Open, lab: Lab, tmp_path: Path) -> None:
    window = open_notebook("training.ipynb", DECLARATIONS + INFER, LONG, "1 + 2")
    page = window.page
    window.command("notebook:run-all-cells")
    page.wait_for_function(f"() => /about .* left/.test({OUTPUT}?.innerText ?? '')")
    moments = []
    for _ in range(6):
        moments.append(cast("dict[str, object]", page.evaluate(LOOK)))
        page.wait_for_timeout(350)
    page.screenshot(path=tmp_path / "running.png")
    first, last = moments[0], moments[-1]
    assert epoch(str(first["text"])) < epoch(str(last["text"]))
    assert cast("float", first["bar"]) < cast("float", last["bar"])
    for moment in moments:
        assert re.search(r"[\d,]+ samples/s", str(moment["text"]))
        assert re.search(r"about [\d.]+ .* left", str(moment["text"]))
    before, after = cast("list[str]", first["pictures"]), cast("list[str]", last["pictures"])
    assert len(before) == len(after) == 2
    assert all(one != other for one, other in zip(before, after, strict=True))
    assert last["seen"]
    words = cast("list[str]", last["words"])
    assert "over the epochs" in words[0]
    assert words[1].startswith("a heat map of w0, Real(3, 2): ")
    assert len({moment["height"] for moment in moments}) == 1
    assert len({moment["top"] for moment in moments}) == 1

    window.command("notebook:interrupt-kernel")
    page.wait_for_function(f"() => {OUTPUT}.innerText.includes('Interrupted')", timeout=10_000)
    left = cast("dict[str, object]", page.evaluate(LOOK))
    page.screenshot(path=tmp_path / "interrupted.png")
    assert epoch(str(left["text"])) >= epoch(str(last["text"]))
    assert len(cast("list[str]", left["pictures"])) == len(after)
    assert "stopped after" in str(left["text"])
    assert "Traceback" not in str(left["text"])

    page.evaluate("async () => await window.jupyterapp.commands.execute('docmanager:save')")
    notebook = nbformat.read(lab.folder / "training.ipynb", as_version=4)
    for cell in notebook.cells:
        cell.metadata.pop("trusted", None)
        # Another text gives the cell another signature.
        cell.source += "\n# from elsewhere"
    nbformat.write(notebook, lab.folder / "of_others.ipynb")
    page.goto(page.url.replace("training", "of_others"))
    page.wait_for_selector(".jp-OutputArea-output img")
    page.wait_for_timeout(500)
    page.screenshot(path=tmp_path / "untrusted.png")
    stored = cast("dict[str, object]", page.evaluate(LOOK))
    assert "Interrupted" in str(stored["text"])
    assert epoch(str(stored["text"])) == epoch(str(left["text"]))
    assert stored["pictures"] == left["pictures"]
    assert stored["seen"]
    assert window.errors == []


def test_a_run_that_ends_shows_how_it_went(open_notebook: Open, tmp_path: Path) -> None:
    window = open_notebook("trained.ipynb", DECLARATIONS + INFER, LOSS, "1 + 2")
    window.run_all()
    ended = cast("dict[str, object]", window.page.evaluate(LOOK))
    window.picture(tmp_path / "trained.png")
    text = str(ended["text"])
    assert "60 epochs of 4 samples" in text
    assert re.search(r"[\d.]+ → [\d.]+", text)
    assert len(re.findall(r"‖Δ‖ = [\d.]+", text)) == 2
    assert "left" not in text
    assert len(cast("list[str]", ended["pictures"])) == 2
    assert window.errors == []
