"""The views of a recorded training run: text, pictures, table, record, and what a page gets."""

import json
from dataclasses import replace
from functools import cache

import numpy as np
import pytest

from rh_kernel.display.flow.picture import size_text
from rh_kernel.display.flow.tints import TintScale, tint_scale
from rh_kernel.display.live.flow import FlowView
from rh_kernel.display.registry import bundle, live_view, records, text
from rh_kernel.session.flow.records import QUANTITIES, Finding, FlowMade, Quantity
from tests.display.allowed import assert_allowed_html, assert_allowed_svg
from tests.session.test_flow import TRAIN, flow


@cache
def made() -> FlowMade:
    found, _ = flow(f"{TRAIN} epochs 6 batch 5")
    finding = Finding("FC[w0] sleeps", (0,), 1, Quantity.VALUE, "09-convolution-and-pooling", 5)
    return replace(found, findings=(finding,))


def test_the_text_has_a_row_for_each_box_and_the_findings() -> None:
    title, summary, headings, *rows, finding = text(made()).split("\n")
    assert title == "flow of rev handle (x) <u>. mlp(u) with sgd(0.1, t)"
    assert "recorded in 12 batches" in summary
    assert headings.split() == ["box", "value", "cotangent", "change"]
    assert [row.split()[0] for row in rows] == ["FC[w0]", "swish(h)", "FC[w1]"]
    assert finding == "! FC[w0] sleeps (lesson 9, section 5)"


def test_the_page_has_the_first_the_middle_and_the_last_frame() -> None:
    shown = bundle(made())
    assert_allowed_html(shown["text/html"])
    assert_allowed_svg(shown["image/svg+xml"])
    batches = [made().frames[i].batch for i in (0, -1)]
    assert shown["text/html"].count("<img") == 4  # with the scale
    assert all(f"batch {batch}" in shown["text/html"] for batch in batches)
    assert '<a href="09-convolution-and-pooling.md">lesson 9, section 5</a>' in shown["text/html"]
    last = made().sizes[-1, 1]
    assert all(f">{size_text(float(size))}</text>" in shown["image/svg+xml"] for size in last)


def test_no_text_is_markup() -> None:
    bad = "<script>alert(1)</script>"
    (net,) = made().nets
    boxes = tuple([replace(box, label=bad) for box in net.boxes])
    finding = replace(made().findings[0], text=bad)
    hostile = replace(made(), subject=bad, nets=(replace(net, boxes=boxes),), findings=(finding,))
    shown = bundle(hostile)
    assert_allowed_html(shown["text/html"])
    assert_allowed_svg(shown["image/svg+xml"])
    assert "<script" not in shown["text/html"] + shown["image/svg+xml"]


def test_a_long_table_is_shortened() -> None:
    (net,) = made().nets
    many = replace(made(), nets=(replace(net, boxes=net.boxes * 40),), sizes=np.tile(made().sizes, (1, 1, 40)))
    assert "… 60 more" in text(many)


def test_the_record_has_all_sizes() -> None:
    (strict,) = records(3, made())
    record = json.loads(json.dumps(strict, allow_nan=False))
    assert record["kind"] == "flow"
    assert [box["label"] for box in record["boxes"]] == ["FC[w0]", "swish(h)", "FC[w1]"]
    first = record["boxes"][0]
    assert len(first["value"]) == len(made().frames)
    assert record["findings"][0]["batch"] == made().frames[1].batch
    assert set(record["boxes"][1]["change"]) == {None}


def test_a_page_gets_the_drawing_with_the_boxes_that_are_measured() -> None:
    view = live_view(made())
    assert isinstance(view, FlowView)
    opening = json.loads(json.dumps(view.opening(), allow_nan=False))
    (net,) = opening["nets"]
    labels = {box["id"]: box["label"] for box in net["drawing"]["boxes"]}
    assert {labels[box]: [opening["boxes"][i] for i in at] for box, at in net["measured"]} == {
        "FC[w0]": ["FC[w0]"],
        "swish(h)": ["swish(h)"],
        "FC[w1]": ["FC[w1]"],
    }
    assert [len(opening["sizes"]), len(opening["sizes"][0]), len(opening["sizes"][0][0])] == [3, len(made().frames), 3]
    assert opening["shown"] == QUANTITIES.index(Quantity.COTANGENT)


def test_sizes_that_are_no_numbers_are_marked() -> None:
    sizes = made().sizes.copy()
    sizes[:, 0, 0] = np.inf
    sizes[:, 0, 1] = 0
    found = replace(made(), sizes=sizes)
    assert "not finite" in text(found)
    opening = json.loads(json.dumps(FlowView(found).opening(), allow_nan=False))
    assert opening["sizes"][0][0][:2] == [-1.0, 0.0]
    assert_allowed_html(bundle(found)["text/html"])


def test_a_scale_maps_the_extremes_to_its_ends() -> None:
    scale = TintScale(1e-3, 10.0)
    assert [scale.strength(size) for size in (1e-3, 0.1, 10.0, 1e-9)] == pytest.approx([0, 0.5, 1, 0])
    assert scale.strength(0.0) is None
    assert scale.strength(float("inf")) is None
    assert scale.opacity(0.0) == 0
    assert scale.opacity(1e-3) > 0


@pytest.mark.parametrize("quantity", QUANTITIES)
def test_small_differences_do_not_look_large(quantity: Quantity) -> None:
    scale = tint_scale(replace(made(), sizes=np.full_like(made().sizes, 2.0)), quantity)
    assert scale is not None
    assert scale.high / scale.low == pytest.approx(10)
    assert scale.strength(2.0) == pytest.approx(0.5)


def test_without_any_size_there_is_no_scale() -> None:
    assert tint_scale(replace(made(), sizes=np.zeros_like(made().sizes)), Quantity.VALUE) is None
