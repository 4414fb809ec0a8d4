"""The browser edition: it builds, and runs the language in a page without requests to other machines."""

from __future__ import annotations

import json
import threading
from collections.abc import Iterator
from functools import partial
from http.server import SimpleHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import Any

import nbformat
import pytest
from playwright.sync_api import sync_playwright

from lessons.browser import distribution, site, wheels

ROOT = Path(__file__).parents[2]
PATIENCE = 300

TRIAL = (
    "%load_ext rh_kernel",
    "%%rh\nreturn 1 + 2",
    # Lines that Python could not read for their indentation.
    "%%rh\ncheck let a <= return 1 in\n      return a\n   == let b <= return 1 in\n      return b",
    "%%rh\ncheck 1 + 1 == 3",
    "%%rh\n%trace return 1 + 2",
    "%%rh\nloc w : Real(10, 64) = normal(0.1, seed=1)\nop FC[l : Loc(m, k)] : Real(k) -> Real(m)\n"
    "net line(x : Real(64)) : Real(10) = FC[w](x)\n"
    "handler sgd(a : Real, t : Real(k)) : rev handler(Real(k)) = {\n"
    "  return x -> return a * (x - t)\n"
    "  FC[l](x) -> let w <= Get[l]() in return (w @ x, (w, x))\n"
    "    | y, z -> let (w, x) <- z in let _ <= Put[l](w - outer(y, x)) in return w^T @ y\n}\n"
    'train rev handle (x) <u>. line(u) with sgd(0.01, t)\n  for (x, t) in data("digits") epochs 2 batch 16',
    "%%rh\n%save w.npz",
    "%%rh\n%load w.npz",
    "%%rh\n%save w.safetensors",
    "import matplotlib.pyplot as plt\nplt.plot([1, 2])\nplt.show()",
)

RUN = """async cells => {
  const kernel = window.jupyterapp.shell.currentWidget.context.sessionContext.session.kernel;
  const told = [];
  for (const code of cells) {
    const outputs = [];
    const future = kernel.requestExecute({ code, stop_on_error: false });
    future.onIOPub = message => {
      if (message.content.data !== undefined) outputs.push(message.content.data);
      if (message.header.msg_type === "error") outputs.push({ "text/plain": message.content.evalue });
    };
    const reply = await Promise.race([future.done, new Promise(end => setTimeout(end, 60000))]);
    told.push([reply?.content.status ?? "no answer", outputs]);
  }
  return told;
}"""


class Silent(SimpleHTTPRequestHandler):
    def log_request(self, code: int | str = "-", size: int | str = "-") -> None:
        """Log nothing."""


@pytest.fixture(scope="module")
def address(tmp_path_factory: pytest.TempPathFactory) -> Iterator[str]:
    """The address of a site with one notebook, served locally."""
    folder, out = tmp_path_factory.mktemp("notebooks"), tmp_path_factory.mktemp("site") / "lite"
    nbformat.write(nbformat.v4.new_notebook(cells=[nbformat.v4.new_code_cell(cell) for cell in TRIAL]), folder / "trial.ipynb")
    try:
        site.build(out, ROOT / "build" / ".lite", notebooks=folder)
    except distribution.Unobtainable as problem:
        pytest.skip(str(problem))
    server = ThreadingHTTPServer(("127.0.0.1", 0), partial(Silent, directory=str(out)))
    threading.Thread(target=server.serve_forever, daemon=True).start()
    yield f"http://127.0.0.1:{server.server_address[1]}/"
    server.shutdown()
    server.server_close()


@pytest.mark.browser
@pytest.mark.slow
def test_runs_in_the_page_and_nowhere_else(address: str, chromium: str) -> None:
    asked = list[str]()
    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=chromium, args=["--no-sandbox", "--disable-gpu"])
        context = browser.new_context()
        context.on("request", lambda request: asked.append(request.url))
        page = context.new_page()
        page.goto(address, timeout=1000 * PATIENCE)
        page.wait_for_function(
            "() => window.jupyterapp?.shell?.currentWidget?.context?.sessionContext?.session?.kernel?.status === 'idle'",
            timeout=1000 * PATIENCE,
        )
        # The cells as they are in the site: the first one has to bring scikit-learn.
        cells = page.evaluate(
            "() => window.jupyterapp.shell.currentWidget.content.model.toJSON().cells.map(cell => cell.source)"
        )
        assert cells[0] == f"import sklearn.datasets\n{TRIAL[0]}"
        told: list[tuple[str, list[dict[str, Any]]]] = page.evaluate(RUN, cells)
        browser.close()
    statuses = [status for status, _ in told]
    assert statuses == ["ok", "ok", "ok", "error", "ok", "ok", "ok", "ok", "error", "ok"], told
    texts = ["\n".join([output.get("text/plain", "") for output in outputs]) for _, outputs in told]
    assert "3.0 : Real(1)" in texts[1]
    assert "Check failed" in texts[3]
    assert any("application/vnd.jupyter.widget-view+json" in output for output in told[4][1])
    assert "2 epochs of 1,797 samples" in texts[5]
    assert "the library safetensors is not installed here" in texts[8]
    assert any("image/png" in output for output in told[9][1])
    elsewhere = [url for url in asked if not url.startswith((address, "data:", "blob:"))]
    assert elsewhere == []


def test_a_release_that_is_not_whole_is_not_taken(tmp_path: Path) -> None:
    given = tmp_path / "given"
    given.mkdir()
    (given / "pyodide.js").write_text("something else")
    with pytest.raises(distribution.Unobtainable) as problem:
        distribution.obtain(tmp_path / "release", given)
    assert "pyodide.js" in str(problem.value)
    assert not (tmp_path / "release" / "pyodide.js").exists()


def test_where_nothing_can_be_had_it_says_what_to_do(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def refuse(*_: object, **__: object) -> None:
        raise distribution.Unobtainable("no network")

    monkeypatch.setattr(distribution, "fetch", refuse)
    monkeypatch.setattr(distribution, "RELEASE", "http://127.0.0.1:9/{version}/{name}")
    with pytest.raises(distribution.Unobtainable, match="make lite PYODIDE=") as problem:
        distribution.obtain(tmp_path / "release")
    assert "no network" in str(problem.value)


def test_all_that_a_kernel_starts_with_is_there() -> None:
    listed = {**distribution.table()["packages"], **wheels.NEEDS}
    assert {name.replace("_", "-") for name in wheels.STARTED} <= set(listed)
    needed = {need for needs in wheels.NEEDS.values() for need in needs}
    needed |= {need for entry in distribution.table()["packages"].values() for need in entry["depends"]}
    assert {need.lower().replace("_", "-") for need in needed} <= set(listed)


def test_only_notebooks_with_collected_data_bring_scikit_learn() -> None:
    def adapted(text: str) -> str:
        notebook = {
            "metadata": {},
            "cells": [{"cell_type": "code", "source": ["start"]}, {"cell_type": "code", "source": [text]}],
        }
        site.adapt(notebook)
        return json.dumps(notebook["cells"][0]["source"])

    assert "sklearn" in adapted('for (x, t) in data("digits.train") epochs 1')
    assert "sklearn" not in adapted('for (x, t) in data("xor") epochs 1')
