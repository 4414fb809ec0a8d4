"""Source locations: the declaration that a line originates from, and the excerpt for a step."""

from pathlib import Path
from typing import Any, cast

import pytest

from rh_kernel.display.live.lines import piece, units
from rh_kernel.display.live.sources import MOST_LINES, Origins, excerpt
from rh_kernel.display.live.stepper import Stepper
from rh_kernel.session.results import TraceMade, results
from rh_kernel.session.session import Session, execute
from rh_kernel.source.span import Source, Span
from tests.display.live.stepping import ask, walked
from tests.display.pages import MLP, PASS


def stepper() -> Stepper:
    """The pass of the toy net, with the spans of its declarations."""
    made = results(execute(Session.start(Path()), Source("cell 1", f"{MLP}\n%trace {PASS}")))[-1]
    assert isinstance(made, TraceMade)
    return Stepper(made)


def test_every_line_says_in_whose_text_it_was_written() -> None:
    view = stepper()
    names = cast(list[str], view.opening()["origins"])
    assert names == ["", "infer", "mlp", "sgd"]
    states = walked(view, 90, 30)
    assert [(text, names[origin]) for text, _, origin in states[0]] == [
        ("rev handle ([1.0, -2.0]) ⟨x⟩.", ""),
        ("  let x ⇐ ⌊x⌋ in let z ⇐ FC[w0](x) in let h ⇐ ⌊swish(z)⌋ in FC[w1](h)", "mlp"),
        ("with sgd(0.1, t)", ""),
    ]
    found = {text.strip(): names[origin] for lines in states for text, _, origin in lines}
    for text in found:
        if text.startswith(("⌊wᵀ @", "let _ ⇐ Put")):
            assert found[text] == "sgd"
    assert set(found.values()) == {"", "mlp", "sgd"}


def cell(view: Stepper, n: int) -> Any:
    return ask(view, "window", **{"from": n, "count": 1})["details"][0]


def test_a_step_shows_the_source_that_it_is_about() -> None:
    view = stepper()
    seen: set[str] = set()
    for n in range(90):
        detail = cell(view, n)
        span = detail["span"]
        if span is None:
            continue
        (first, start), (last, end) = span["from"], span["to"]
        lines = span["lines"]
        assert first == 0
        assert last == len(lines) - 1
        text = piece(lines[0], start, end if last == 0 else units(lines[0]))
        source = f"{MLP}\n%trace {PASS}"
        assert source.split("\n")[span["line"] - 1] == lines[0]
        assert source.split("\n")[span["line"] - 1][span["column"] - 1 :].startswith(text)
        seen.add(text)
    assert {"FC[w0](x)", "swish(z)", "FC[w1](h)", "Get[l]()", "Put[l](w - outer(y, x))", "w^T @ y", "alpha * (x - t)"} <= seen
    assert span_of(view, 25) == "return alpha * (x - t)"
    assert span_of(view, 59) == "swish(z)"


def span_of(view: Stepper, n: int) -> str:
    span = cell(view, n)["span"]
    return piece(span["lines"][0], span["from"][1], span["to"][1])


def test_a_long_span_is_cut() -> None:
    source = Source("cell", "\n".join([f"line {n}" for n in range(20)]))
    told = excerpt(Span(source, 2, len(source.text)))
    assert told is not None
    assert told["lines"] == [f"line {n}" for n in range(MOST_LINES)]
    assert (told["from"], told["to"]) == ([0, 2], [MOST_LINES - 1, len(f"line {MOST_LINES - 1}")])
    assert excerpt(None) is None


def test_columns_of_a_source_count_as_a_page_does() -> None:
    source = Source("cell", "a\n𝔸𝔸 x\n")
    told = excerpt(Span(source, source.text.index("x"), source.text.index("x") + 1))
    assert told is not None
    assert (told["line"], told["column"], told["lines"], told["from"], told["to"]) == (2, 4, ["𝔸𝔸 x"], [0, 5], [0, 6])


@pytest.mark.parametrize(
    ("start", "end", "name"), [(0, 2, ""), (5, 9, "outer"), (6, 7, "inner"), (6, 9, "outer"), (20, 21, "")]
)
def test_the_least_declaration_around_a_span(start: int, end: int, name: str) -> None:
    source, other = Source("cell 1", "x" * 30), Source("cell 2", "x" * 30)
    origins = Origins({"outer": Span(source, 5, 10), "inner": Span(source, 6, 8), "else": Span(other, 0, 30)})
    assert origins.names[origins.of(Span(source, start, end))] == name
    assert origins.names[origins.of(Span(other, start, end))] == "else"
