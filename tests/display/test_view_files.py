"""Files of views: pages that need no network and no kernel, and pictures that stand still or move."""

from __future__ import annotations

import json
import re
from typing import Any
from xml.etree import ElementTree

import pytest
from hypothesis import given
from hypothesis import strategies as st

from rh_kernel.display.live.saved import saved_record
from rh_kernel.display.registry import live_view
from rh_kernel.display.saved_page import inlined_json
from rh_kernel.display.view_files import encode_view
from rh_kernel.session.results import Result
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
    found = re.search(r'<script type="application/json" id="record">([^<]*)</script>', page)
    assert found is not None
    assert json.loads(found[1])["kind"] == kind
    assert "<noscript>" in page


@given(st.recursive(st.text() | st.none(), lambda inner: st.lists(inner) | st.dictionaries(st.text(), inner)))
def test_inlined_json_ends_no_element_and_means_the_same(record: object) -> None:
    shown = inlined_json(record)
    assert "<" not in shown
    assert json.loads(shown) == record


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
