"""Rerun cells, the outdated definitions that they leave behind, and `%undo`."""

from collections.abc import Generator
from dataclasses import replace
from pathlib import Path
from types import MappingProxyType

import pytest

from rh_kernel.session.actions import AnalysisContext, Refuse, ShowResult
from rh_kernel.session.analyze import analyze_at_once
from rh_kernel.session.declare import Declare
from rh_kernel.session.directives import undo
from rh_kernel.session.evaluate import Evaluate
from rh_kernel.session.results import NamesShown, Notice, Result
from rh_kernel.session.session import Session, execute
from rh_kernel.session.settings import DEFAULT
from rh_kernel.source.span import Source
from rh_kernel.syntax.parsing.parser import Unparsed, parse
from rh_kernel.syntax.surface_traversal import free_names
from rh_kernel.typing.definitions import BUILT_IN, Definitions
from tests.session.cells import codes, run_to_end

HERE = Path(__file__).parent
PROGRAMS = sorted((HERE.parent / "programs").glob("good/*.rh")) + sorted((HERE.parent / "programs").glob("paper/*.rh"))


class Notebook:
    """Runs cells by id, in any order."""

    def __init__(self) -> None:
        self.session = Session.start(HERE)

    def run(self, cell: str, text: str) -> list[Result]:
        found, self.session = run_to_end(execute(self.session, Source(f"cell {cell}", text), cell=cell))
        return [shown.result for shown in found]

    @property
    def names(self) -> list[str]:
        return [name for name, d in self.session.definitions.named.items() if d.span is not None]

    @property
    def older(self) -> dict[str, tuple[str, ...]]:
        return dict(self.session.definitions.outdated())

    @property
    def heap(self) -> dict[str, object]:
        return {f"{loc.name}{loc.version}": a.tolist() for loc, a in self.session.heap.items()}


@pytest.fixture
def notebook() -> Notebook:
    return Notebook()


def taken(events: Generator[object, None, Session]) -> list[Session]:
    """Return the session after a text."""
    found: list[Session] = []

    def through() -> Generator[object, None, None]:
        found.append((yield from events))

    list(through())
    return found


def notices(results: list[Result]) -> list[str]:
    return [r.text for r in results if isinstance(r, Notice)]


# -- run again -----------------------------------------------------------------------------------------------------------------


def test_a_cell_that_is_run_again_replaces_what_it_declared(notebook: Notebook) -> None:
    notebook.run("a", "const one = 1\nconst two = 2")
    notebook.run("b", "const three = 3")
    notebook.run("a", "const two = 22")
    assert notebook.names == ["three", "two"]


def test_what_another_cell_declared_since_stays(notebook: Notebook) -> None:
    notebook.run("a", "const one = 1\nconst two = 2")
    notebook.run("b", "const one = 11")
    notebook.run("a", "const two = 22")
    assert notebook.names == ["one", "two"]


def test_a_name_that_a_cell_no_longer_declares_is_unknown_in_it(notebook: Notebook) -> None:
    notebook.run("a", "const one = 1")
    assert codes(notebook.run("a", "const two = one + one")) == ["RH101"]
    assert notebook.names == ["one"]


def test_a_cell_that_fails_when_it_is_run_again_forgets_nothing(notebook: Notebook) -> None:
    notebook.run("a", "const one = 1")
    before = notebook.session
    assert codes(notebook.run("a", "const one = [1, 2] + 1"))
    assert notebook.session is before


def test_what_was_made_from_the_older_one_is_reported(notebook: Notebook) -> None:
    notebook.run("1", "const a = 1")
    notebook.run("2", "fun f(x : Real) : Real = a + x")
    notebook.run("3", "net g(x : Real) : Real = return f(x)")
    notebook.run("4", "const b = 1")
    assert notices(notebook.run("1", "const a = 2")) == [
        "`f` and `g` still use the earlier `a`: run cell 2 and cell 3 again to renew"
    ]
    assert notebook.older == {"f": ("a",), "g": ("a",)}
    assert notices(notebook.run("1", "const a = 2")) == []
    notebook.run("2", "fun f(x : Real) : Real = a + x")
    assert notebook.older == {"g": ("f",)}
    notebook.run("3", "net g(x : Real) : Real = return f(x)")
    assert notebook.older == {}


def test_a_cell_that_is_run_again_unchanged_makes_nothing_older(notebook: Notebook) -> None:
    notebook.run("1", "const a = 1\nop Op : 1 -> Real\nfun f(x : Real) : Real = a + x")
    notebook.run("2", "net g(x : Real) : Real = let y <= Op() in return f(x + y)")
    past = len(notebook.session.past)
    assert notices(notebook.run("1", "const a = 1\n\nop Op : 1 -> Real\nfun f(x : Real) : Real = a + x  # the same")) == []
    assert notebook.older == {}
    assert len(notebook.session.past) == past
    notebook.run("1", "const a = 2\nop Op : 1 -> Real\nfun f(x : Real) : Real = a + x")
    assert notebook.older == {"g": ("f",)}


def test_what_is_no_longer_declared_is_reported(notebook: Notebook) -> None:
    notebook.run("1", "const a = 1")
    notebook.run("2", "const b = a")
    assert notices(notebook.run("1", "const c = 1")) == ["`b` still uses the earlier `a`; `a` is no longer declared"]


def test_what_a_text_declares_anew_below_makes_nothing_above_it_older(notebook: Notebook) -> None:
    notebook.run("1", "loc u : Real = zeros\nnet gu(x : Real(0)) : Real = Get[u]()\nloc u : Real = ones")
    assert notebook.older == {}


def test_what_python_declares_is_declared_again_there(notebook: Notebook) -> None:
    notebook.run("1", "const a = 1")
    events = execute(notebook.session, Source("program", "const b = a"))
    (notebook.session,) = taken(events)
    assert notices(notebook.run("1", "const a = 2")) == ["`b` still uses the earlier `a`: declare it again to renew"]


def test_a_cell_that_is_run_again_as_a_whole_leaves_nothing_older_in_it(notebook: Notebook) -> None:
    text = "const a = 1\nconst b = a\nconst c = b"
    notebook.run("1", text)
    assert notices(notebook.run("1", text)) == []
    assert notebook.older == {}


def test_a_name_made_from_its_own_older_meaning_is_not_older_than_itself(notebook: Notebook) -> None:
    notebook.run("1", "const a = 1")
    notebook.run("2", "const a = a + a")
    assert notebook.older == {}


def test_what_is_made_from_its_own_older_meaning_is_another_thing_each_time(notebook: Notebook) -> None:
    for cell, text in enumerate(["const a = 1", "const a = a + 1", "const b = a", "const a = a + 1"]):
        notebook.run(str(cell), text)
    assert notebook.older == {"b": ("a",)}
    notebook.run("undo", "%undo")
    assert notebook.names == ["a", "b"]
    assert not notebook.older


def test_a_variable_that_hides_a_name_is_no_use_of_it(notebook: Notebook) -> None:
    notebook.run("1", "const x = 1\nconst y = 2\nloc w : Real(2) = zeros")
    notebook.run("2", "fun f(x : Real) : Real = let y <- x in y + x\nnet g(w : Real) : Real = let x <= return w in return x")
    notebook.run("1", "const x = 3\nconst y = 4\nloc w : Real(2) = ones")
    assert notebook.older == {}


def test_whos_tells_where_a_name_is_from_and_what_is_older(notebook: Notebook) -> None:
    notebook.run("1", "\nconst a = 1")
    notebook.run("2", "const b = a")
    notebook.run("1", "\nconst a = 2")
    (shown,) = notebook.run("3", "%whos")
    assert isinstance(shown, NamesShown)
    assert [(n.name, n.kind, n.type, n.place, n.newer) for n in shown.names] == [
        ("b", "a constant", "Real(1)", "cell 2, line 1", ("a",)),
        ("a", "a constant", "Real(1)", "cell 1, line 2", ()),
    ]


# -- locations -----------------------------------------------------------------------------------------------------------------


def test_a_net_keeps_the_location_that_it_was_made_with(notebook: Notebook) -> None:
    notebook.run("1", "loc w : Real(2) = [1, 2]")
    notebook.run("2", "net g(x : Real(0)) : Real(2) = Get[w]()")
    notebook.run("1", "loc w : Real(2) = [3, 4]")
    assert notebook.heap == {"w0": [1, 2], "w1": [3, 4]}
    notebook.run("3", "let _ <= Put[w]([5, 6]) in g(())")
    assert notebook.heap == {"w0": [1, 2], "w1": [5, 6]}


def test_a_location_that_nothing_knows_any_more_is_let_go(notebook: Notebook) -> None:
    notebook.run("2", "net g(x : Real(0)) : Real(2) = return [1, 2]")
    for _ in range(5):
        notebook.run("1", "loc w : Real(2) = [1, 2]")
    assert list(notebook.heap) == ["w4"]
    assert [loc.version for loc in notebook.session.initial] == [4]


def test_a_location_is_never_the_one_that_a_cell_had_before(notebook: Notebook) -> None:
    notebook.run("1", "loc w : Real(2) = [1, 2]")
    notebook.run(
        "2",
        "handler h : rev handler(Real) = { return x -> return x\n  Get[w]() -> return ([7, 8], ())\n    | y, z -> return () }",
    )
    notebook.run("1", "const nothing = 1")
    notebook.run("1", "loc w : Real(2) = [3, 4]")
    assert notebook.heap == {"w0": [1, 2], "w1": [3, 4]}


# -- undo ----------------------------------------------------------------------------------------------------------------------


def test_undo_takes_back_one_cell_after_the_other(notebook: Notebook) -> None:
    notebook.run("1", "loc w : Real(2) = [1, 2]")
    first = notebook.session
    notebook.run("2", "let _ <= Put[w]([3, 4]) in return 1")
    notebook.run("3", "const a = 1\n%strict on")
    notebook.run("4", "1 + 1")
    assert notices(notebook.run("5", "%undo")) == ["undone: a no longer declared; the settings as before"]
    assert notices(notebook.run("5", "%undo")) == ["undone: the content of w as before"]
    assert notebook.session.definitions.named == first.definitions.named
    assert notebook.session.settings == first.settings
    assert notebook.heap == {"w0": [1, 2]}
    assert notices(notebook.run("5", "%undo")) == ["undone: w no longer declared"]
    assert codes(notebook.run("5", "%undo")) == ["RH045"]


def test_undo_brings_an_older_meaning_back(notebook: Notebook) -> None:
    notebook.run("1", "const a = 1")
    notebook.run("2", "const b = a")
    notebook.run("1", "const a = 2")
    assert notices(notebook.run("3", "%undo")) == ["undone: a as before"]
    assert notebook.older == {}


def test_a_cell_that_failed_is_no_cell_to_undo(notebook: Notebook) -> None:
    notebook.run("1", "const a = 1")
    notebook.run("2", "const b = nowhere")
    notebook.run("3", "%undo")
    assert notebook.names == []


def test_undo_stands_alone(notebook: Notebook) -> None:
    notebook.run("1", "const a = 1")
    assert codes(notebook.run("2", "%undo\nconst b = 1")) == ["RH042"]
    assert notebook.names == ["a"]


def test_what_was_undone_is_not_taken_for_what_comes_after(notebook: Notebook) -> None:
    notebook.run("1", "const a = 1")
    notebook.run("2", "const b = a")
    notebook.run("3", "const a = 2")
    notebook.run("4", "const c = a")
    notebook.run("5", "%undo")
    notebook.run("5", "%undo")
    notebook.run("6", "const a = 3")
    assert notebook.older == {"b": ("a",)}


def test_only_so_many_cells_are_remembered(notebook: Notebook) -> None:
    for i in range(undo.MAX_CELLS + 5):
        notebook.run(f"{i}", f"const a{i} = {i}")
    assert len(notebook.session.past) == undo.MAX_CELLS
    assert all(not session.past for session in notebook.session.past)


def test_what_is_remembered_holds_so_much_at_most(notebook: Notebook, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(undo, "MAX_BYTES", 3 * 800)
    notebook.run("0", "loc w : Real(100) = zeros")
    for _ in range(6):
        notebook.run("1", "let v <= Get[w]() in let _ <= Put[w](v + v) in return 1")
    assert len(notebook.session.past) == 3


# -- the names that an item uses -----------------------------------------------------------------------------------------------


@pytest.mark.parametrize("program", PROGRAMS, ids=lambda p: p.stem)
def test_an_item_means_the_same_where_only_the_names_are_known_that_it_uses(program: Path) -> None:
    context = AnalysisContext(BUILT_IN, program.parent, {}, DEFAULT)
    for item in parse(Source("program", program.read_text(encoding="utf-8"))):
        assert not isinstance(item, Unparsed)
        known = context.definitions
        after, action = analyze_at_once(item, context)
        assert not isinstance(action, Refuse)
        uses = {*free_names(item), *BUILT_IN.named}
        few = Definitions(MappingProxyType({n: d for n, d in known.named.items() if n in uses}), versions=known.versions)
        again = analyze_at_once(item, replace(context, definitions=few))[1]
        match action:
            case ShowResult(NamesShown()):
                pass  # the list of all names
            case Declare(definition):
                assert isinstance(again, Declare)
                assert again.definition == definition
            case Evaluate(subject):
                assert isinstance(again, Evaluate)
                assert again.closed == subject
            case _:
                assert type(again) is type(action)
        context = after


def test_a_name_that_an_item_binds_is_not_free_in_it() -> None:
    text = "net f[l : Loc(m, n)](x : Real(n)) : Real(m) = let y <= FC[l](x) in let (a, b) <- (y, y) in return a + b + c"
    (item,) = parse(Source("text", text))
    assert not isinstance(item, Unparsed)
    assert free_names(item) == {"FC", "c", "m", "n"}
