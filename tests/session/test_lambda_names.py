"""``%whos``, ``%help`` and ``%undo`` for ``%%lambda`` cells, and the error for ``%ad`` outside them."""

from pathlib import Path

import pytest

from rh_kernel.ad.registry import NAMES
from rh_kernel.session.directives.help import help_text, overview
from rh_kernel.session.directives.registry import names
from rh_kernel.session.results import ItemFailed, NamesShown, Notice, Result
from rh_kernel.session.sections.lambda_forms import LAMBDA_FORMS, LAMBDA_SIGNS
from rh_kernel.session.session import Session
from rh_kernel.typing.definitions import BUILT_IN
from tests.session import cells

SQUARE = "%%lambda\nfun f(x : Real) : Real = x * x"


def run(text: str, session: Session | None = None) -> tuple[Result, Session]:
    """Return the last result of a cell and the session after it."""
    results, after = cells.run(session or Session.start(Path()), text)
    return results[-1], after


def test_whos_lists_the_functions_after_the_names() -> None:
    """The main language and ``%%lambda`` cells may declare the same name."""
    found, _ = run(f"const f = 1\n{SQUARE}\n%%rh\n%whos")
    assert isinstance(found, NamesShown)
    assert [(n.name, n.kind, n.type, n.place, n.newer) for n in found.names] == [
        ("f", "a constant", "Real(1)", "cell, line 1", ()),
        ("f", "a function", "Real -> Real", "%%lambda", ()),
    ]


def test_undo_names_the_functions() -> None:
    """New declarations are removed, and redeclarations reverted."""
    _, session = run(SQUARE)
    _, declared = run("%%lambda\nfun f(x : Real) : Real = x\nfun g(x : Real) : Real = x", session)
    said, undone = run("%undo", declared)
    assert said == Notice("undone: g no longer declared; f as before")
    assert undone.functions == session.functions
    assert run("%undo", undone)[0] == Notice("undone: f no longer declared")


def test_help_tells_of_a_function_beside_what_else_has_its_name() -> None:
    _, session = run("%%lambda\nfun exp(x : Real) : Real = x")
    told, _ = run("%help exp", session)
    assert isinstance(told, Notice)
    assert told.text.startswith(help_text(BUILT_IN, ("exp",)))
    assert told.text.endswith("exp is a function of %%lambda cells: Real -> Real")


@pytest.mark.parametrize("word", [*LAMBDA_FORMS, *LAMBDA_SIGNS, *NAMES, "%%lambda", "%%rh", *names("%%lambda")])
def test_help_knows_every_word(word: str) -> None:
    """A keyword of both languages is explained as in the main language."""
    assert not help_text(BUILT_IN, (word,)).startswith("nothing")


def test_help_lists_the_directives_of_lambda_cells() -> None:
    told = overview().text
    assert all(f"\n{name} " in told for name in ("%ad SYSTEM", "%%lambda", "%%rh"))


def test_ad_in_another_place_is_reported_where_it_belongs() -> None:
    """No directive is similar to ``%ad``, so there is no quick fix."""
    failed, _ = run(f"{SQUARE}\n%%rh\n%ad chad f(1)")
    assert isinstance(failed, ItemFailed)
    (diagnostic,) = failed.diagnostics
    assert diagnostic.code == "RH041"
    assert "%%lambda" in diagnostic.hint
    assert diagnostic.fix is None
