"""Widgets and their static forms in JupyterLab: which is visible with the kernel, after it, and without trust."""

from __future__ import annotations

import statistics
from collections.abc import Callable
from pathlib import Path

import nbformat
import pytest

from tests.browser.conftest import Lab, Window
from tests.display.pages import MLP, PASS

pytestmark = [pytest.mark.browser, pytest.mark.slow]

Open = Callable[..., Window]

LOOKS = tuple([f"%{name} {PASS}" for name in ("trace", "gradient", "diagram", "derivation")])
KINDS = ["stepper", "player", "diagram", "derivation"]

SEEN = """selector => [...document.querySelectorAll(`.jp-OutputArea ${selector}`)].filter(e => e.checkVisibility()).length"""
WORDS = "() => document.querySelector('.jp-Notebook').innerText"
KERNEL = "window.jupyterapp.shell.currentWidget.context.sessionContext.session.kernel"
DOUBLING = "\n".join(
    [
        "%limit nodes off",
        "%limit steps off",
        "net n0(x : Real) : Real = return x + 1",
        *[f"net n{i}(x : Real) : Real = let y <= n{i - 1}(x) in n{i - 1}(y)" for i in range(1, 20)],
        "%evaluator stepped",
    ]
)
ANSWERS = """async count => {
    const model = await window.theModel;
    const taken = [];
    for (let i = 0; i < count; i++) {
        const began = performance.now();
        await new Promise(resolve => {
            const id = `test ${i}`;
            const heard = message => {
                if (message.id !== id) return;
                model.off("msg:custom", heard);
                resolve();
            };
            model.on("msg:custom", heard);
            model.send({ id, question: { ask: "window", from: i % 20, count: 20 } });
        });
        taken.push(performance.now() - began);
        await new Promise(resolve => setTimeout(resolve, 10));
    }
    return taken;
}"""


def saved(window: Window) -> None:
    window.page.evaluate("async () => await window.jupyterapp.commands.execute('docmanager:save')")


def reloaded(window: Window) -> None:
    window.page.reload()
    window.page.wait_for_selector(".jp-Notebook .jp-Cell")
    window.page.wait_for_selector(".jp-OutputArea-output", state="attached")


def status(window: Window) -> str:
    return window.page.inner_text(".rh-stepper .rh-status")


def test_a_widget_is_seen_in_the_place_of_its_static_form(open_notebook: Open, tmp_path: Path) -> None:
    window = open_notebook("widgets.ipynb", MLP, *LOOKS)
    window.run_all()
    for kind in KINDS:
        window.page.wait_for_selector(f".rh-{kind}")
    window.picture(tmp_path / "widgets.png")
    assert window.page.evaluate(SEEN, ".rh-static") == 0
    assert [window.page.evaluate(SEEN, f".rh-{kind}") for kind in KINDS] == [1] * 4
    assert window.errors == []


def test_a_reload_finds_the_step_that_one_was_at(open_notebook: Open) -> None:
    window = open_notebook("reload.ipynb", MLP, f"%trace {PASS}")
    window.run_all()
    window.page.wait_for_selector(".rh-stepper")
    window.page.focus(".rh-stepper")
    window.page.keyboard.press("a")
    for _ in range(4):
        window.page.keyboard.press("ArrowRight")
    window.page.wait_for_timeout(1500)
    assert status(window).startswith("Step 5 of ")
    saved(window)
    reloaded(window)
    window.page.wait_for_selector(".rh-stepper .rh-status:has-text('Step 5 of ')")
    window.page.focus(".rh-stepper")
    window.page.keyboard.press("ArrowRight")
    window.page.wait_for_selector(".rh-stepper .rh-status:has-text('Step 6 of ')")
    assert window.page.evaluate(SEEN, ".rh-static") == 0
    assert window.errors == []


def test_a_player_plays_on_without_its_kernel(open_notebook: Open) -> None:
    window = open_notebook("playing.ipynb", MLP, f"%gradient {PASS}")
    window.run_all()
    window.page.focus(".rh-player")
    for _ in range(5):
        window.page.keyboard.press("ArrowRight")
    window.page.wait_for_timeout(1500)
    saved(window)
    reloaded(window)
    window.page.wait_for_selector(".rh-player-count:has-text('box 5 of 14')")
    window.page.evaluate("async () => await window.jupyterapp.shell.currentWidget.context.sessionContext.shutdown()")
    window.page.wait_for_selector(".rh-player .rh-gone")
    window.page.focus(".rh-player")
    window.page.keyboard.press("End")
    window.page.wait_for_selector(".rh-player-count:has-text('box 14 of 14')")


def test_a_restart_leaves_what_was_seen_and_then_the_static_form(open_notebook: Open, tmp_path: Path) -> None:
    window = open_notebook("restart.ipynb", MLP, *LOOKS)
    window.run_all()
    for kind in KINDS:
        window.page.wait_for_selector(f".rh-{kind}")
    saved(window)
    window.page.evaluate(f"async () => await {KERNEL}.restart()")
    window.page.wait_for_function(f"() => {KERNEL}.status === 'idle'")
    window.page.wait_for_selector(".rh-stepper .rh-gone", timeout=10_000)
    assert "un the cell again" in window.page.inner_text(".rh-stepper .rh-gone")
    assert status(window).startswith("Step 1 of ")
    window.page.focus(".rh-stepper")
    window.page.keyboard.press("ArrowRight")
    window.page.wait_for_selector(".rh-stepper .rh-status:has-text('Step 2 of ')")
    reloaded(window)
    window.page.wait_for_function(f"({SEEN})('.rh-static') === 4")
    window.picture(tmp_path / "restarted.png")
    words = window.page.evaluate(WORDS)
    assert "rror displaying widget" not in words
    assert "rev handle … with sgd(0.1, t)" in words


def test_an_untrusted_notebook_shows_the_static_forms(open_notebook: Open, lab: Lab, tmp_path: Path) -> None:
    window = open_notebook("trusted.ipynb", MLP, *LOOKS)
    window.run_all()
    saved(window)
    file = lab.folder / "untrusted.ipynb"
    notebook = nbformat.read(lab.folder / "trusted.ipynb", as_version=4)
    for cell in notebook.cells:
        cell.metadata.pop("trusted", None)
        # Another text gives the cell another signature.
        cell.source += "\n# from elsewhere"
    nbformat.write(notebook, file)
    window.page.goto(window.page.url.replace("trusted", "untrusted"))
    window.page.wait_for_function(f"({SEEN})('.rh-static') === 4")
    window.page.wait_for_timeout(500)
    window.picture(tmp_path / "untrusted.png")
    assert window.page.evaluate(SEEN, ".rh-live") == 0
    words = window.page.evaluate(WORDS)
    assert "rror displaying widget" not in words
    assert "rev handle … with sgd(0.1, t)" in words


def test_a_widget_answers_while_a_reduction_runs(open_notebook: Open, record_property: Callable[[str, object], None]) -> None:
    window = open_notebook("busy.ipynb", MLP, f"%trace {PASS}", DOUBLING)
    window.run_all()
    window.page.wait_for_selector(".rh-stepper")
    window.page.evaluate(
        """() => {
            const panel = window.jupyterapp.shell.currentWidget;
            const outputs = panel.content.widgets[1].model.outputs;
            const id = outputs.get(0).data["application/vnd.jupyter.widget-view+json"].model_id;
            const renderer = panel.content.rendermime.createRenderer("application/vnd.jupyter.widget-view+json");
            window.theModel = renderer._manager.promise.then(manager => manager.get_model(id));
        }"""
    )
    window.page.evaluate(ANSWERS, 3)
    window.page.evaluate(
        f"""() => {{
            window.hasEnded = false;
            {KERNEL}.requestExecute({{ code: "n19(0)" }}).done.then(() => {{ window.hasEnded = true; }});
        }}"""
    )
    # The cell is typechecked in one piece; the reduction begins after that.
    window.page.evaluate(ANSWERS, 1)
    taken = window.page.evaluate(ANSWERS, 40)
    assert not window.page.evaluate("() => window.hasEnded"), "the reduction has ended before its time"
    window.page.evaluate(f"async () => await {KERNEL}.interrupt()")
    median, late = statistics.median(taken), statistics.quantiles(taken, n=20)[-1]
    record_property("median_ms", median)
    record_property("percentile_95_ms", late)
