"""Completion and inspection, on texts with the cursor at ``|``."""

from __future__ import annotations

from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from rh_kernel.kernel.completion import completions, inspection
from rh_kernel.kernel.forms import FORMS
from rh_kernel.session.directives import DIRECTIVES
from rh_kernel.session.session import Session, execute
from rh_kernel.source.span import Source
from rh_kernel.syntax.parser import completeness
from rh_kernel.syntax.tokens import DECLARATIONS, INITIALS, KEYWORDS, TRAINING_OPTIONS
from rh_kernel.training.bundled import NAMES
from rh_kernel.typing.definitions import Definitions

TEXT = """dim size = 2
const target : Real = 0.5
loc weight : Real(size, 2) = zeros
fun twice(x : Real(n)) : Real(n) = x + x
op Layer[l : Loc(m, n)] : Real(n) -> Real(m)
net network(x : Real(2)) : Real(size) = Layer[weight](x)
handler stay : rev handler(Real(1)) = { return x -> return x }
"""


def after(session: Session, text: str) -> Definitions:
    events = execute(session, Source("cell", text))
    while True:
        try:
            next(events)
        except StopIteration as end:
            return end.value.definitions


@pytest.fixture(scope="module")
def definitions() -> Definitions:
    return after(Session.start(Path.cwd()), TEXT)


def complete(definitions: Definitions, text: str) -> dict[str, str]:
    cursor = text.index("|")
    start, found = completions(definitions, text.replace("|", ""), cursor)
    word = text[start:cursor].lower()
    assert all(c.text.lower().startswith(word) for c in found)
    assert len({c.text for c in found}) == len(found)
    return {c.text: c.signature for c in found}


@pytest.mark.parametrize(
    ("text", "name", "signature"),
    [
        ("1 + ta|", "target", "target : Real(1)"),
        ("si|", "size", "size : Dim"),
        ("Put[we|](1)", "weight", "weight : Loc(2, 2)"),
        ("tw|", "twice", "twice : Real(n) -> Real(n)"),
        ("Lay|[weight]", "Layer", "Layer : [l : Loc(m, n)] Real(n) -> Real(m)"),
        ("network(x) with st|", "stay", "stay : rev handler(Real(1))"),
        ("let y ⇐ netw| in y", "network", "network : Real(2) ~> Real(2)"),
        ("sof|", "softmax", ""),
        ("NET|", "network", "network : Real(2) ~> Real(2)"),
        ("han|", "handle", FORMS["handle"].split("\n")[0]),
        ("%tr|", "%trace", "%trace P"),
    ],
)
def test_names_are_completed_with_their_types(definitions: Definitions, text: str, name: str, signature: str) -> None:
    found = complete(definitions, text)
    assert name in found
    assert found[name].startswith(signature)


def test_what_is_named_in_the_cell_is_completed_too(definitions: Definitions) -> None:
    assert "hidden" in complete(definitions, "let hidden <- 1.0 in hid|")
    assert "hid" not in complete(definitions, "let hidden <- 1.0 in hid|")


def test_nothing_is_completed_in_a_comment(definitions: Definitions) -> None:
    assert complete(definitions, "1 + 2 # ta|") == {}


def test_data_sets_are_completed_in_quotes(definitions: Definitions) -> None:
    assert {"digits", "digits.train", "digits.test"} <= set(complete(definitions, 'train f(x) for x in data("dig|'))
    assert {f"{name}.test" for name in NAMES} <= set(complete(definitions, 'data("|'))


def test_the_case_that_was_typed_comes_first(definitions: Definitions) -> None:
    _, found = completions(definitions, "La", 2)
    assert found[0].text == "Layer"


def test_every_word_of_the_language_has_a_form() -> None:
    assert {*KEYWORDS, *DECLARATIONS, *INITIALS, *TRAINING_OPTIONS} <= set(FORMS)
    assert all(len(form.split("\n")) == 2 for form in FORMS.values())


@pytest.mark.parametrize("name", DIRECTIVES)
def test_every_directive_is_explained(definitions: Definitions, name: str) -> None:
    text = f"%{name}"
    assert name in (inspection(definitions, text, 3) or "")


@pytest.mark.parametrize(
    ("text", "known"),
    [
        ("1 + |target", "Real(1)"),
        ("targ|et", "Real(1)"),
        ("network|(x)", "Real(2) ~> Real(2)"),
        ("swi|sh(x)", "swish"),
        ("train| f", "sample"),
        ("let x <- 1 i|n x", "let"),
    ],
)
def test_the_word_at_the_cursor_is_explained(definitions: Definitions, text: str, known: str) -> None:
    assert known in (inspection(definitions, text.replace("|", ""), text.index("|")) or "")


@pytest.mark.parametrize("text", ["nowhere|", "|", "1 + | 2", "%nowhere|", "# |"])
def test_what_is_unknown_is_not_explained(definitions: Definitions, text: str) -> None:
    assert inspection(definitions, text.replace("|", ""), text.index("|")) is None


def test_a_declaration_hides_what_the_language_has(definitions: Definitions) -> None:
    hidden = after(Session(Path.cwd(), definitions), "const data : Real = 1.0")
    assert "Real(1)" in (inspection(hidden, "data", 1) or "")


PIECES = st.sampled_from(
    ["let", " ", "x", "w'", "%tr", "%", '"', 'data("', "#", "\n", "network", "(", "←", "α", ".", "1", "|", "𝔸"],
)


@settings(max_examples=200)
@given(st.lists(PIECES, max_size=12).map("".join), st.data())
def test_every_text_can_be_asked_about_at_every_place(definitions: Definitions, text: str, data: st.DataObject) -> None:
    cursor = data.draw(st.integers(0, len(text)))
    start, _ = completions(definitions, text, cursor)
    assert 0 <= start <= cursor
    inspection(definitions, text, cursor)
    completeness(text)
