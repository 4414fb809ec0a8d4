"""What ``%whos``, ``%help`` and ``%undo`` say of ``%%eff`` cells, and what is said of ``%count`` in another place."""

from __future__ import annotations

import pytest

from rh_kernel.ad.eff.reading.lexing import KEYWORDS
from rh_kernel.session.directives import EFFECTS_DIRECTIVES
from rh_kernel.session.effects_forms import EFFECTS_FORMS, EFFECTS_SIGNS
from rh_kernel.session.helping import help_text
from rh_kernel.session.results import ItemFailed, NamesShown, Notice
from rh_kernel.typing.definitions import BUILT_IN
from tests.session.test_effects import STATE, last, run


def test_whos_lists_names_with_their_kinds_and_places() -> None:
    found = last(f"const tick = 1\n{STATE}include exceptions\n%%rh\n%whos")
    assert isinstance(found, NamesShown)
    assert [(n.name, n.kind, n.place) for n in found.names][:4] == [
        ("tick", "a constant", "cell, line 1"),
        ("State", "an effect", "cell, line 3"),
        ("runState", "a handler", "cell, line 4"),
        ("tick", "a function", "cell, line 8"),
    ]
    (program,) = found.names[4:]
    assert (program.name, program.kind, program.type) == ("exceptions", "a program", "3 effects, 3 handlers")


def test_undo_names_what_is_gone_and_what_is_back() -> None:
    _, session = run("%%eff\nfun f = 1")
    _, declared = run("%%eff\nfun f = 2\nfun g = 3\ninclude smooth", session)
    said, undone = run("%undo", declared)
    assert said == [Notice("undone: g, include smooth no longer declared; f as before")]
    assert undone.effects is session.effects
    assert run("%undo", undone)[0] == [Notice("undone: f no longer declared")]


def test_an_expression_is_nothing_to_undo() -> None:
    _, session = run("%%eff\nfun f = 1")
    _, after = run("%%eff\nf! + 1", session)
    assert after.past == session.past


def test_help_tells_of_what_is_declared() -> None:
    _, session = run(f"{STATE}fun exp = 1")
    told = last("%help tick exp", session)
    assert isinstance(told, Notice)
    assert told.text.startswith("tick is a function of %%eff cells: {[State Float] Float}")
    assert told.text.endswith("exp is a function of %%eff cells: {Float}")
    assert help_text(BUILT_IN, ("exp",)) in told.text


@pytest.mark.parametrize("word", [*EFFECTS_FORMS, *EFFECTS_SIGNS, "%%eff", *EFFECTS_DIRECTIVES])
def test_help_knows_every_word(word: str) -> None:
    assert not help_text(BUILT_IN, (word,)).startswith("nothing")


def test_the_forms_are_those_of_the_language() -> None:
    assert EFFECTS_FORMS.keys() == KEYWORDS


def test_count_in_another_place_is_told_where_it_belongs() -> None:
    failed = last("%count 1")
    assert isinstance(failed, ItemFailed)
    (complaint,) = failed.diagnostics
    assert complaint.code == "RH041"
    assert "%%eff" in complaint.hint
