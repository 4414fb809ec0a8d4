"""The registry of views: each kind of result has one, and other distributions can add views."""

import json
import subprocess
import sys
from pathlib import Path

import pytest

from rh_kernel.display.registry import Output, bundle, live_view, records, text, view_of
from rh_kernel.session import results
from rh_kernel.session.results import Notice, Result
from rh_kernel.source.records import frozen

KINDS = [kind for kind in Result.__subclasses__() if kind.__module__ == results.__name__]

VIEWS = """
from rh_kernel.display.markup import code
from rh_kernel.display.registry import Output, ResultView
from rh_kernel.session.results import Result
from rh_kernel.source.records import frozen

@frozen
class Histogram(Result):
    title: str
    counts: tuple[int, ...]

HISTOGRAM = ResultView(
    Histogram,
    text=lambda h: f"{h.title}: {' '.join(map(str, h.counts))}",
    records=lambda h: ({"kind": "histogram", "counts": [*h.counts]},),
    rich=lambda h: {"text/html": code(h.title), "image/svg+xml": "<svg/>"},
    output=Output.VALUE,
)
"""

SHOWN = """
import json, warnings
warnings.simplefilter("error")
warnings.filterwarnings("default", category=Warning, message=".*broken.*")
from histograms import Histogram
from rh_kernel.display.registry import bundle, records
from rh_kernel.session.results import Shown
from rh_kernel.workspace.outcomes import outcome
from rh_kernel.workspace.outputs import Outputs
made = Histogram("<b>\\x1b", (1, 2))
sent = []
outputs = Outputs(lambda kind, content: sent.append((kind, content.get("data"))), 1, lambda: 0.0)
outputs.take(Shown(1, made))
outputs.finish()
print(json.dumps([bundle(made), records(3, made), outcome(made).text, sent]))
"""


@pytest.mark.parametrize("kind", KINDS, ids=lambda kind: kind.__name__)
def test_every_kind_of_result_has_a_view_of_its_own(kind: type[Result]) -> None:
    assert view_of(kind).result is kind


def test_another_distribution_adds_a_view(tmp_path: Path) -> None:
    """It has text, HTML and records; a broken entry point beside it is a warning."""
    (tmp_path / "histograms.py").write_text(VIEWS, encoding="utf-8")
    metadata = tmp_path / "histograms-1.0.dist-info"
    metadata.mkdir()
    (metadata / "METADATA").write_text("Metadata-Version: 2.1\nName: histograms\nVersion: 1.0\n", encoding="utf-8")
    entries = "[rh_kernel.views]\nbroken = histograms:NOTHING\nhistogram = histograms:HISTOGRAM\n"
    (metadata / "entry_points.txt").write_text(entries, encoding="utf-8")
    code = f"import sys; sys.path.insert(0, {str(tmp_path)!r})\n{SHOWN}"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert "`broken` of histograms is skipped" in done.stderr
    shown, record, for_python, sent = json.loads(done.stdout)
    assert shown["text/plain"] == for_python == "<b>␛: 1 2"
    assert shown["text/html"] == '<span style="font-family:monospace">&lt;b&gt;␛</span>'
    assert shown["image/svg+xml"] == "<svg/>"
    assert record == [{"item": 3, "kind": "histogram", "counts": [1, 2]}]
    assert sent == [["execute_result", shown]]


@frozen
class Unknown(Result):
    """A result without a view."""

    words: str

    def __str__(self) -> str:
        return self.words


class Remark(Notice):
    """A result that is shown like its base class."""


def test_a_result_without_a_view_is_shown_as_text() -> None:
    made = Unknown("<i>\x07")
    assert text(made) == "<i>␇"
    assert bundle(made)["text/html"].endswith(">&lt;i&gt;␇</pre>")
    assert records(1, made) == ({"item": 1, "kind": "result", "text": "<i>\x07"},)
    assert live_view(made) is None
    assert view_of(Unknown).output is Output.OWN


def test_a_subclass_has_the_view_of_its_base_class() -> None:
    assert records(1, Remark("hello")) == ({"item": 1, "kind": "notice", "text": "hello"},)
