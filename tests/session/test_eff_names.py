"""``%whos``, ``%help`` and ``%undo`` for ``%%eff`` cells, and the error for ``%count`` outside them."""

from __future__ import annotations

import pytest

from rh_kernel.ad.eff import core
from rh_kernel.ad.eff.frontend.lexing import KEYWORDS
from rh_kernel.session.directives.help import help_text
from rh_kernel.session.directives.registry import names
from rh_kernel.session.results import DeclarationMade, ItemFailed, NamesShown, Notice, Returned
from rh_kernel.session.sections.eff_forms import EFF_FORMS, EFF_SIGNS
from rh_kernel.typing.definitions import BUILT_IN
from tests.session.test_eff_cells import STATE, codes, last, run, value


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


def test_a_cell_that_is_run_again_unchanged_breaks_nothing() -> None:
    """An unchanged redeclaration has a result, moves the place of the declaration, and cannot be undone."""
    text = "%%eff\ndata Tree = Leaf | Node Tree Tree\neffect Yield a = yield : a -> Unit"
    first, session = run(text)
    uses = "%%eff\nfun size (t : Tree) : Float = match t | Leaf -> 1 | Node l r -> size l + size r"
    _, session = run(f"{uses}\nhandler collect = return _ -> [] | <yield x -> k> -> x :: k ()", session)
    again, after = run(f"\n{text}", session)
    assert again == first
    assert value("%%eff\nsize (Node Leaf Leaf)", after) == core.Literal(2.0)
    assert isinstance(last("%%eff\nhandle (yield 1) with collect", after), Returned)
    listed = last("%whos", after)
    assert isinstance(listed, NamesShown)
    assert [(n.name, n.place) for n in listed.names] == [
        ("Tree", "cell, line 3"),
        ("Yield", "cell, line 4"),
        ("size", "cell, line 2"),
        ("collect", "cell, line 3"),
    ]
    assert after.past == session.past
    assert run("%undo", after)[0] == [Notice("undone: size, collect no longer declared")]


def test_undo_brings_back_what_a_type_was() -> None:
    _, session = run("%%eff\ndata T = A Float\nfun f (t : T) = match t | A x -> x")
    _, other = run("%%eff\ndata T = A Text", session)
    assert codes('%%eff\nf (A "a")', other) == ["RH102"]
    said, undone = run("%undo", other)
    assert said == [Notice("undone: T as before")]
    assert value("%%eff\nf (A 1)", undone) == core.Literal(1.0)
    _, again = run("%%eff\ndata T = A Int", undone)
    assert value("%%eff\nmatch A 1 | A n -> n", again) == core.Literal(1)


def test_what_is_included_can_be_declared_again() -> None:
    (_, told), session = run("%%eff\ninclude forward\ndata Paired x = Paired x x")
    assert told == DeclarationMade("Paired", "a data type", "Type -> Type")
    _, after = run("%%eff\ndata Paired x = Paired x x", session)
    assert after.effects is session.effects
    assert value("%%eff\nvalue (Paired 1 2)", after) == core.Literal(1.0)
    assert run("%undo", after)[0] == [Notice("undone: include forward no longer declared")]


def test_what_every_program_has_can_be_declared_again() -> None:
    results, session = run("%%eff\ndata Maybe a = Nothing | Just a\ndata Bool = False | True\nif True then Just 1 else Nothing")
    assert results[:2] == [
        DeclarationMade("Maybe", "a data type", "Type -> Type"),
        DeclarationMade("Bool", "a data type", "Type"),
    ]
    assert isinstance(results[2], Returned)
    assert codes("%%eff\neffect RefState = new : Int", session) == ["RH124"]


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


@pytest.mark.parametrize("word", [*EFF_FORMS, *EFF_SIGNS, "%%eff", *names("%%eff")])
def test_help_knows_every_word(word: str) -> None:
    assert not help_text(BUILT_IN, (word,)).startswith("nothing")


def test_the_forms_are_those_of_the_language() -> None:
    assert EFF_FORMS.keys() == KEYWORDS


def test_count_in_another_place_is_reported_where_it_belongs() -> None:
    failed = last("%count 1")
    assert isinstance(failed, ItemFailed)
    (diagnostic,) = failed.diagnostics
    assert diagnostic.code == "RH041"
    assert "%%eff" in diagnostic.hint
