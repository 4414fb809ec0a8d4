"""``%locked``: the meanings of names in a check, whatever other cells declare, and what a check must compare."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

from rh_kernel.session.results import CheckPassed, Result, Shown
from rh_kernel.session.session import Session, execute
from rh_kernel.source.span import Source
from tests.session.cells import codes, run_to_end


class Notebook:
    """Run cells one after the other, as a kernel does."""

    def __init__(self) -> None:
        self.session = Session.start(Path())
        self.count = 0

    def run(self, text: str, cell: str = "") -> list[Result]:
        """Return the results of a cell."""
        self.count += 1
        source = Source(f"cell {self.count}", text)
        found, self.session = run_to_end(execute(self.session, source, cell=cell or f"{self.count}"))
        return [shown.result for shown in found]

    def checked(self, text: str) -> CheckPassed:
        """Return the result of a cell whose last item is a check that passes."""
        results = self.run(text)
        assert codes(results) == []
        last = results[-1]
        assert isinstance(last, CheckPassed)
        return last


@pytest.fixture
def notebook() -> Notebook:
    return Notebook()


def test_functions_of_the_language_are_those_of_the_language(notebook: Notebook) -> None:
    notebook.run("fun dot(x : Real(n), y : Real(n)) : Real = 0 * sum(x + y)")
    wrong = "check dot([1, 2], [3, 4]) == 0"
    assert notebook.checked(wrong).remarks == ("`dot` is what cell 1 declares here, and not the language's",)
    assert codes(notebook.run(f"%locked\n{wrong}")) == ["RH207"]
    right = notebook.checked("%locked\ncheck dot([1, 2], [3, 4]) == 11")
    assert right.remarks == ("`dot` is the language's here, and not what cell 1 declares",)
    assert codes(notebook.run("%locked off\ncheck dot([1, 2], [3, 4]) == 11")) == ["RH207"]


def test_what_a_locked_cell_declares_stays_what_it_is(notebook: Notebook) -> None:
    notebook.run("%locked\nconst golden : Real(2) = [1, 2]\nfun twice(x : Real(n)) : Real(n) = x + x\nloc v : Real(2) = [5, 6]")
    notebook.run("const golden : Real(2) = [7, 8]\nfun twice(x : Real(n)) : Real(n) = x\nloc v : Real(3) = zeros")
    notebook.checked("check twice(golden) == [7, 8]")
    told = notebook.checked("%locked\ncheck twice(golden) == [2, 4]")
    assert len(told.remarks) == 2
    notebook.checked("%locked\ncheck Get[v]() == [5, 6]")
    notebook.checked("%locked\ncheck twice ⊢ Real(7) -> Real(7)")
    assert notebook.checked("%locked off\ncheck twice(golden) == [7, 8]").remarks


def test_a_locked_cell_that_runs_again_declares_anew(notebook: Notebook) -> None:
    notebook.run("%locked\nconst golden = 1\nconst gone = 2", cell="teacher")
    notebook.run("const golden = 5\nconst gone = 5")
    notebook.run("%locked\nconst golden = 3", cell="teacher")
    notebook.checked("%locked\ncheck golden == 3")
    notebook.checked("%locked\ncheck gone == 5")


def test_what_the_solution_uses_is_its_own_affair(notebook: Notebook) -> None:
    """A function keeps its dependencies; only the names in the check itself are those of the language."""
    notebook.run("fun square(x : Real(n)) : Real(n) = x\nfun answer(x : Real) : Real = square(x)")
    notebook.checked("%locked\ncheck answer(3) == 3")


NOTHING = {
    "infinite": ("const a = exp(1000)", "check a == exp(2000)", "both sides are infinite"),
    "infinite in a tuple": (
        "const a = exp(1000)",
        "check (1, a * [2, 1]) == (1, a * [1, 2])",
        "both sides are infinite at entry 1 in component 2 of the tuples",
    ),
    "empty": (
        "dim n = 0\nfun f(x : Real(n, 2)) : Real(n, 2) = x",
        "check f(fill[n, 2](1)) == fill[n, 2](5)",
        "there are no entries to compare",
    ),
}


@pytest.mark.parametrize(("above", "check", "why"), NOTHING.values(), ids=NOTHING)
def test_a_locked_check_compares_something(notebook: Notebook, above: str, check: str, why: str) -> None:
    notebook.run(above)
    assert notebook.checked(check).remarks == (why,)
    assert codes(notebook.run(f"%locked\n{check}")) == ["RH217"]
    word, other = ("empty", "infinite") if "entries" in why else ("infinite", "empty")
    assert notebook.checked(f"%locked {word}\n{check}").remarks == (why,)
    assert codes(notebook.run(f"%locked {other}\n{check}")) == ["RH217"]
    notebook.checked(f"%locked {word} {other}\n{check}")


def test_the_lock_ends_with_its_cell(notebook: Notebook) -> None:
    notebook.run("%locked")
    assert notebook.session.settings.locked is None
    assert notebook.session.past == (), "there is nothing to undo"
    notebook.checked("check exp(1000) == exp(2000)")


def test_in_a_file_the_lock_holds_to_its_end() -> None:
    text = "%locked\ncheck exp(1000) == exp(2000)\n%locked off\ncheck exp(1000) == exp(2000)\n%locked"
    events = execute(Session.start(Path()), Source("file", text), keep_going=True)
    assert codes([event.result for event in events if isinstance(event, Shown)]) == ["RH217"]


def test_a_declaration_that_fails_hides_nothing_from_a_locked_check() -> None:
    text = "fun dot(x : Real) : Real = nowhere\ncheck dot([1, 2], [3, 4]) == 11\n%locked\ncheck dot([1, 2], [3, 4]) == 11"
    events = execute(Session.start(Path()), Source("file", text), keep_going=True)
    results = [event.result for event in events if isinstance(event, Shown)]
    assert [isinstance(result, CheckPassed) for result in results][-1]
    assert codes(results)[0] == "RH101"


@pytest.mark.parametrize("words", ["on", "off empty", "emty", "empty infinit"])
def test_other_words_are_refused(notebook: Notebook, words: str) -> None:
    assert codes(notebook.run(f"%locked {words}")) == ["RH042"]


def test_training_goes_on_below_a_lock(notebook: Notebook) -> None:
    """The heap is that of the session, so that a check can test trained weights."""
    notebook.run("%locked\nloc w : Real(2) = [0, 0]")
    notebook.run("Put[w]([1, 2])")
    notebook.checked("%locked\ncheck Get[w]() == [1, 2]")
    (content,) = notebook.session.heap.values()
    np.testing.assert_array_equal(content, [1, 2])
