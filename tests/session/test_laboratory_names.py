"""What ``%whos``, ``%help`` and ``%undo`` say of ``%%lambda`` cells, and what is said of ``%ad`` in another place."""

from pathlib import Path

import pytest

from rh_kernel.ad.registry import NAMES
from rh_kernel.session.directives.help import help_text
from rh_kernel.session.directives.registry import names
from rh_kernel.session.results import ItemFailed, NamesShown, Notice, Result, Shown
from rh_kernel.session.sections.lambda_forms import LABORATORY_FORMS, LABORATORY_SIGNS
from rh_kernel.session.session import Session, execute
from rh_kernel.source.span import Source
from rh_kernel.typing.definitions import BUILT_IN

SQUARE = "%%lambda\nfun f(x : Real) : Real = x * x"


def run(text: str, session: Session | None = None) -> tuple[Result, Session]:
    """The last result of a cell, and the session after it."""
    shown: list[Result] = []
    events = execute(session or Session.start(Path()), Source("cell", text))
    while True:
        try:
            event = next(events)
        except StopIteration as end:
            return shown[-1], end.value
        if isinstance(event, Shown):
            shown.append(event.result)


def test_whos_lists_the_functions_after_the_names() -> None:
    """A name of the language and a function of the laboratory may be the same word."""
    found, _ = run(f"const f = 1\n{SQUARE}\n%%rh\n%whos")
    assert isinstance(found, NamesShown)
    assert [(n.name, n.kind, n.type, n.place, n.newer) for n in found.names] == [
        ("f", "a constant", "Real(1)", "cell, line 1", ()),
        ("f", "a function", "Real -> Real", "%%lambda", ()),
    ]


def test_undo_names_the_functions() -> None:
    """What was declared is gone, and what was declared anew is as before."""
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
    assert told.text.endswith("exp is a function of the laboratory: Real -> Real")


@pytest.mark.parametrize("word", [*LABORATORY_FORMS, *LABORATORY_SIGNS, *NAMES, "%%lambda", "%%rh", *names("%%lambda")])
def test_help_knows_every_word(word: str) -> None:
    """A word of the laboratory that means something in the language too is told as it is there."""
    assert not help_text(BUILT_IN, (word,)).startswith("nothing")


def test_help_lists_the_directives_of_the_laboratory() -> None:
    told = help_text(BUILT_IN, ())
    assert all(f"\n{name} " in told for name in ("%ad SYSTEM", "%%lambda", "%%rh"))


def test_ad_in_another_place_is_told_where_it_belongs() -> None:
    """No directive of the language is nearly ``%ad``: nothing is offered in its place."""
    failed, _ = run(f"{SQUARE}\n%%rh\n%ad chad f(1)")
    assert isinstance(failed, ItemFailed)
    (complaint,) = failed.diagnostics
    assert complaint.code == "RH041"
    assert "%%lambda" in complaint.hint
    assert complaint.fix is None
