"""Files of views: pages that need no network and no kernel, and pictures that stand still or move."""

from __future__ import annotations

import base64
import json
import re
import zlib
from typing import Any
from xml.etree import ElementTree

import pytest
from hypothesis import given
from hypothesis import strategies as st

from rh_kernel.display.live import saved
from rh_kernel.display.live.saved import MIME, encoded, notebook_form, saved_record
from rh_kernel.display.registry import live_view
from rh_kernel.display.view_files import encode_view
from rh_kernel.session.results import Result
from tests.display.every_view import every_view
from tests.display.pages import PASS, shown

SUBJECTS = {
    "stepper": f"%trace {PASS}",
    "player": f"%gradient {PASS}",
    "diagram": f"%diagram {PASS}",
    "derivation": f"%derivation {PASS}",
    "rewriting": "%%lambda\nfun f(x : Real) : Real = sin(x * x)\n%ad linear-negation f(1) --trace",
    "sweep": "sweep a in [1, 2]\n  a * a",
}


def result_of(text: str) -> Result:
    return shown(text)[-1]


@pytest.mark.parametrize("kind", SUBJECTS)
def test_a_page_asks_for_nothing_and_has_its_record(kind: str) -> None:
    page = encode_view(result_of(SUBJECTS[kind]), ".html", title="a <title> & more")
    assert not re.search(r"""\b(?:src|href)=["'](?!data:)|\burl\(|@import""", page)
    assert "default-src 'none'" in page
    assert "<h1>a &lt;title&gt; &amp; more</h1>" in page
    found = re.search(r'<script type="application/json" data-kind="(\w+)">([^<]*)</script>', page)
    assert found is not None
    assert found[1] == decoded(found[2])["kind"] == kind
    assert "rh-saved-static" in page


def decoded(record: str) -> Any:
    return json.loads(zlib.decompress(base64.b64decode(record, validate=True)))


@given(st.recursive(st.text() | st.none(), lambda inner: st.lists(inner) | st.dictionaries(st.text(), inner)))
def test_an_encoded_record_means_the_same(record: Any) -> None:
    assert decoded(encoded(record)) == record


def test_a_notebook_keeps_small_views_only(monkeypatch: pytest.MonkeyPatch) -> None:
    view = live_view(result_of(SUBJECTS["derivation"]))
    assert view is not None
    form = notebook_form(view)[MIME]
    assert (form["kind"], decoded(form["record"])["whole"]) == ("derivation", True)
    monkeypatch.setattr(saved, "LARGEST_IN_NOTEBOOK", 1_000)
    assert notebook_form(view) == {}


def test_all_samples_of_a_small_confusion_matrix_are_saved_once() -> None:
    view = live_view(every_view()["confusion with pictures: ConfusionShown"])
    assert view is not None
    record: Any = saved_record(view)
    pool = [sample["number"] for q, a in record["answers"] if q["ask"] == "pool" for sample in a["samples"]]
    assert sorted(pool) == [*range(360)]
    cells = {(q["target"], q["predicted"]): a["count"] for q, a in record["answers"] if q["ask"] == "samples"}
    assert [[cells[i, j] for j in range(10)] for i in range(10)] == record["opening"]["counts"]


def test_every_step_of_a_trace_is_saved() -> None:
    view = live_view(result_of(SUBJECTS["stepper"]))
    assert view is not None
    record: Any = saved_record(view)
    assert record["whole"]
    windows = [(q["from"], len(a["details"]), q["width"]) for q, a in record["answers"] if q["ask"] == "window"]
    for width in (90, 40):
        known = {n for begin, count, w in windows if w == width for n in range(begin, begin + count)}
        assert known == {*range(record["opening"]["steps"])}


def test_every_judgment_of_a_derivation_is_saved() -> None:
    view = live_view(result_of(SUBJECTS["derivation"]))
    assert view is not None
    record: Any = saved_record(view)
    known = {node["id"] for q, a in record["answers"] if q["ask"] == "open" for node in a["nodes"]}
    assert known == {*range(record["opening"]["trees"][0]["size"])}


def test_a_record_is_as_small_as_demanded_and_says_so() -> None:
    view = live_view(result_of(SUBJECTS["stepper"]))
    assert view is not None
    record: Any = saved_record(view, most=5_000)
    assert not record["whole"]
    assert sum(len(json.dumps(answer)) for _, answer in record["answers"]) <= 6_000


@pytest.mark.parametrize("kind", SUBJECTS)
def test_a_picture_is_one_document_with_a_title(kind: str) -> None:
    root = ElementTree.fromstring(encode_view(result_of(SUBJECTS[kind]), ".svg", title="a <title>"))
    assert root.tag == "{http://www.w3.org/2000/svg}svg"
    assert root[0].text == "a <title>"
    assert float(root.attrib["width"]) > 50
    assert float(root.attrib["height"]) > 20


def test_curves_of_training_are_a_picture() -> None:
    train = 'train rev handle (x) <u>. mlp(u) with sgd(0.1, t) for (x, t) in data("xor") epochs 3'
    root = ElementTree.fromstring(encode_view(result_of(train), ".svg", title="training"))
    assert root.findall(".//{http://www.w3.org/2000/svg}svg")


def test_a_moving_picture_shows_the_boxes_in_their_order() -> None:
    text = encode_view(result_of(SUBJECTS["player"]), ".svg", title="", animated=True)
    root = ElementTree.fromstring(text)
    said = [e.text or "" for e in root.iter("{http://www.w3.org/2000/svg}text") if "say" in e.attrib.get("class", "")]
    assert [int(words.split(" of ")[0]) for words in said] == [*range(1, len(said) + 1)]
    assert len(said) > 5
    moving = text.index("@media(prefers-reduced-motion:no-preference)")
    assert "animation" not in text[:moving]
