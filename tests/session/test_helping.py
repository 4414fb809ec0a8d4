"""``%help`` for each kind of word."""

from __future__ import annotations

from pathlib import Path

import pytest

from rh_kernel.primitives.table import SYMBOLS
from rh_kernel.session.directives.help import help_text, known, overview
from rh_kernel.session.directives.registry import directives
from rh_kernel.session.forms import FORMS, SIGNS
from rh_kernel.session.results import Notice, Shown
from rh_kernel.session.session import Session, execute
from rh_kernel.source.span import Source
from rh_kernel.typing.definitions import BUILT_IN

TEXT = """# The learning rate,
# as in the lesson.
const rate : Real = 0.5

net twice(x : Real) : Real =
  let y <= return x in

  return y + y   # doubled
# of the next
%heap
"""


def said(text: str) -> str:
    """Return the message of the last item of a cell."""
    shown = [event.result for event in execute(Session.start(Path.cwd()), Source("cell 7", text)) if isinstance(event, Shown)]
    assert isinstance(shown[-1], Notice)
    return shown[-1].text


def test_a_declared_name_is_reported_with_words_source_and_place() -> None:
    assert said(f"{TEXT}%help rate twice").split("\n") == [
        "rate is a constant: Real(1)",
        "The learning rate,",
        "as in the lesson.",
        "const rate : Real = 0.5",
        "declared in cell 7, line 3",
        "twice is a net: Real(1) ~> Real(1)",
        "net twice(x : Real) : Real =",
        "  let y <= return x in",
        "",
        "  return y + y   # doubled",
        "declared in cell 7, line 5",
    ]


@pytest.mark.parametrize("name", SYMBOLS)
def test_a_function_symbol_is_reported_with_types_formula_and_derivative(name: str) -> None:
    told = help_text(BUILT_IN, (name,))
    assert told.startswith(SYMBOLS[name].doc)
    assert all(signature in told for signature in SYMBOLS[name].signatures)
    assert SYMBOLS[name].formula in told
    assert f"rd[{name}](w, v) = " in told
    assert ("not smooth" in told) is (SYMBOLS[name].nonsmooth is not None)


@pytest.mark.parametrize("word", [word for word in (*FORMS, *SIGNS) if word not in SYMBOLS])
def test_a_form_is_reported_with_its_meaning(word: str) -> None:
    title, meaning = (FORMS | SIGNS)[word].split("\n")
    assert help_text(BUILT_IN, (word,)) == f"{title}\n  {meaning}"


@pytest.mark.parametrize("name", directives())
def test_a_directive_is_reported_with_its_arguments(name: str) -> None:
    directive, of_effects = directives()[name], directives("%%eff").get(name)
    first, *others = help_text(BUILT_IN, (f"%{name}",)).split("\n")
    assert first == f"{directive.call}: {directive.help}"
    assert others == ([] if of_effects is None else [f"%{name} M: {of_effects.help}"])
    assert directive.call in overview().text


def test_what_comes_with_the_language_has_no_place() -> None:
    get = known(BUILT_IN, "Get")
    assert get is not None
    assert (get.place, get.source(None), get.kind) == ("", "", "an operation that comes with the language")
    assert help_text(BUILT_IN, ("Get",)) == "Get is an operation: [l : Loc(s…)] Real(0) -> Real(s…)"


def test_a_word_that_nothing_is_called_is_reported() -> None:
    assert help_text(BUILT_IN, ("nowhere",)) == "nothing is called `nowhere`"
    assert known(BUILT_IN, "nowhere") is None
