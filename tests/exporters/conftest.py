"""A notebook with every kind of output of the kernel and of other libraries, and its page."""

from __future__ import annotations

import base64
from pathlib import Path
from typing import Any

import nbformat
import pytest
from nbclient import NotebookClient

from rh_kernel.exporters.exporter import RHHTMLExporter
from tests.exporters.reading import Page

PIXEL = "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNkYPhfDwAChwGA60e6kgAAAABJRU5ErkJggg=="  # one pixel of PNG
PROSE = [
    "# A lesson\n\nInside: [the second part](#Second-part). Outside: [a paper](https://paper.example/p.pdf), https://auto.example/.\n\n"
    "![the pixel](pixel.png) ![far away](https://images.example/a.png) ![attached](attachment:a.png)\n\n"
    '<img src="pixel.png" alt="in HTML"> <script>document.title = "taken over"</script>\n\n'
    '<iframe src="https://frames.example/"></iframe> <a href="javascript:alert(1)">do not</a>\n\n- [x] done\n- [ ] open',
    "## Second part\n\nInline $x\\cdot\\sigma(x)$ and $\\unknown{y}$, displayed\n\n"
    "$$\\frac{\\partial L}{\\partial w} = y\\,x^{\\mathsf T}$$\n\n"
    "\\begin{align}\na + a &= \\sum_{i=1}^n x_i \\\\\nb &= \\begin{pmatrix}1 & 2\\\\ 3 & 4\\end{pmatrix}\n\\end{align}\n\n"
    "| a | b |\n|---|---|\n| 1 | `x <y>` |\n\n```python\ndef f(x): return 'text' # comment\n```\n\n```mermaid\ngraph TD;\n```",
]
CELLS = [
    "op FC[l : Loc(m, n)] : Real(n) -> Real(m)\n"
    "loc w0 : Real(3, 2) = [[0.1, -0.2], [0.3, 0.4], [-0.5, 0.6]]\nloc w1 : Real(1, 3) = [[0.7, -0.8, 0.9]]\n"
    "net mlp(x : Real(2)) : Real(1) =\n  let z <= FC[w0](x) in\n  let h <= return swish(z) in\n  FC[w1](h)\n"
    "handler sgd(alpha : Real, t : Real(k)) : rev handler(Real(k)) = {\n  return x -> return alpha * (x - t)\n"
    "  FC[l](x) -> let w <= Get[l]() in return (w @ x, (w, x))\n    | y, z -> let (w, x) <- z in\n"
    "              let _ <= Put[l](w - outer(y, x)) in\n              return w^T @ y\n}\n"
    "handler infer : Real(k) => Real(k) = {\n  return x -> return x\n"
    "  FC[l](x), k -> let w <= Get[l]() in k(w @ x)\n}",
    "handle mlp([1, -2]) with infer",
    "rev handle ([1, -2]) <x>. mlp(x) with sgd(0.1, 0.5)",
    "%trace rev handle ([1, -2]) <x>. mlp(x) with sgd(0.1, 0.5)",
    "%gradient rev handle ([1, -2]) <x>. mlp(x) with sgd(0.1, 0.5)",
    "%diagram rev handle ([1, -2]) <x>. mlp(x) with sgd(0.1, 0.5)",
    "%derivation mlp",
    "%compile rev handle ([1, -2]) <x>. mlp(x) with sgd(0.1, 0.5)",
    "%type mlp\n%heap\n%help",
    'train rev handle (x) <u>. mlp(u) with sgd(0.1, t)\n  for (x, t) in data("xor") epochs 20\n'
    "  measure let y <= handle mlp(x) with infer in return dot(y - t, y - t)",
    "mlp([1, -2])",
]


def foreign() -> list[Any]:
    """Outputs of other kernels and libraries, some of them hostile."""
    new, error = nbformat.v4.new_output, nbformat.v4.new_output
    opening = '<svg xmlns="http://www.w3.org/2000/svg" width="9" height="9">'
    hostile = f'{opening}<script>alert(1)</script><rect width="9" height="9"/></svg>'
    widget = {"application/vnd.jupyter.widget-view+json": {"model_id": "a", "version_major": 2, "version_minor": 1}}
    return [
        new("display_data", data={"image/png": PIXEL, "text/plain": "a <pixel>"}),
        new("display_data", data={"image/svg+xml": hostile}),
        new(
            "display_data",
            data={"text/html": '<p onclick="alert(1)">kept<script src="https://scripts.example/x.js"></script></p>'},
        ),
        new("display_data", data={"text/html": '<style>@import "https://styles.example/a.css"</style><b>bold</b>'}),
        new("display_data", data={"application/javascript": "document.title = 'taken over'"}),
        new("display_data", data={"text/latex": "$\\alpha \\le \\beta$"}),
        new("display_data", data={"text/markdown": "*marked* $x^2$"}),
        new("display_data", data={"text/vnd.mermaid": "graph TD"}),
        new("display_data", data={**widget, "text/html": "", "text/plain": ""}),
        new("display_data", data={**widget, "text/plain": "Slider(value=3)"}),
        new("stream", name="stdout", text="\x1b[31mred\x1b[0m <b>not bold</b>\n"),
        new("stream", name="stderr", text="a warning\n"),
        error("error", ename="Wrong", evalue="<i>", traceback=["\x1b[1;31mWrong\x1b[0m: <i>no</i>"]),
    ]


@pytest.fixture(scope="session")
def notebook(tmp_path_factory: pytest.TempPathFactory) -> Any:
    """The notebook, executed by the kernel."""
    folder = tmp_path_factory.mktemp("lesson")
    (folder / "pixel.png").write_bytes(base64.b64decode(PIXEL))
    prose = [nbformat.v4.new_markdown_cell(text) for text in PROSE]
    prose[0].attachments = {"a.png": {"image/png": PIXEL}}
    cells = [*prose, *[nbformat.v4.new_code_cell(text) for text in CELLS], nbformat.v4.new_raw_cell("<script>raw</script>")]
    made = nbformat.v4.new_notebook(cells=cells)
    NotebookClient(
        made, kernel_name="rh", allow_errors=True, timeout=120, resources={"metadata": {"path": str(folder)}}
    ).execute()
    made.cells.append(nbformat.v4.new_code_cell("foreign()", execution_count=99, outputs=foreign()))
    made.metadata["title"] = "A <lesson>"
    made.metadata["folder"] = str(folder)
    return made


@pytest.fixture(scope="session")
def html(notebook: Any) -> str:
    """The page."""
    resources = {"metadata": {"name": "lesson", "path": notebook.metadata.folder}}
    return RHHTMLExporter().from_notebook_node(notebook, resources)[0]


@pytest.fixture(scope="session")
def page(html: str) -> Page:
    return Page(html)


@pytest.fixture(scope="session")
def file(html: str, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The page as a file."""
    found = tmp_path_factory.mktemp("page") / "lesson.html"
    found.write_text(html, encoding="utf-8")
    return found
