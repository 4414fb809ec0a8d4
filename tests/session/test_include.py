"""``include "file.rh"``: a file means what its text means in its place, and one that is in force is not run again."""

from __future__ import annotations

import os
from collections.abc import Mapping
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import IO, Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from rh_kernel.display.diagnostics import error, text
from rh_kernel.session import included_files
from rh_kernel.session.included_files import DEEPEST, LARGEST, LIBRARY
from rh_kernel.session.results import ItemFailed, NamesShown, Notice, Result, SweepDone, ValueFound
from rh_kernel.session.session import Session, execute, is_same
from rh_kernel.source.diagnostic import Diagnostic
from rh_kernel.source.span import Source
from rh_kernel.syntax.core import Array
from rh_kernel.typing.definitions import DimDefinition
from tests.session.cells import codes, run, run_to_end
from tests.tiers import law

DECLARATIONS = (
    "dim n = 3",
    "const t : Real = [0.5]",
    "loc w : Real(n, 2) = normal(0.5, seed=1)",
    "loc ws[2] : Real(n, n) = glorot(seed=2)",
    "fun double(x : Real(m)) : Real(m) = x + x",
    "op FC[l : Loc(a, b)] : Real(b) -> Real(a)",
    "loc w : Real(n, n) = eye",
    "net two(x : Real(n)) : Real(n) = let y <= FC[w](x) in FC[ws[1]](double(y))",
    "handler apply = {\n  return x -> return x\n  FC[l](x), k -> let w <= Get[l]() in k(w @ x)\n}",
    "const after : Real = t * t",
)
USE = "handle two([1, 2, 3]) with apply"


def written(folder: Path, **files: str) -> Session:
    """A session in a folder with these files."""
    for name, contents in files.items():
        (folder / f"{name}.rh").write_text(contents, encoding="utf-8")
    return Session.start(folder)


def cell(session: Session, contents: str, cell_id: str) -> tuple[list[Result], Session]:
    """Run a cell of a notebook, which can be run again."""
    found, after = run_to_end(execute(session, Source(f"cell {cell_id}", contents), cell=cell_id))
    return [shown.result for shown in found], after


def notices(results: list[Result]) -> list[str]:
    return [result.text for result in results if isinstance(result, Notice)]


def failures(results: list[Result]) -> list[Diagnostic]:
    return [d for result in results if isinstance(result, ItemFailed) for d in result.diagnostics]


def contents_of(session: Session) -> Mapping[str, Array]:
    return {location.name: array for location, array in session.heap.items()}


# -- what it means -------------------------------------------------------------------------------------------------------------

Nested = str | list["Nested"]


@st.composite
def divided(draw: st.DrawFn, parts: tuple[str, ...] = DECLARATIONS, depth: int = 3) -> list[Nested]:
    """The declarations in their order, some of them in files, some of these in further files."""
    found: list[Nested] = []
    at = 0
    while at < len(parts):
        end = draw(st.integers(at + 1, len(parts)))
        if depth and draw(st.booleans()):
            found.append(draw(divided(parts[at:end], depth - 1)))
        else:
            found += parts[at:end]
        at = end
    return found


def write(folder: Path, nested: list[Nested], name: str) -> str:
    """Write each list to a file, every second one in a folder of its own; return the text with their includes."""
    lines: list[str] = []
    for number, part in enumerate(nested):
        if isinstance(part, str):
            lines.append(part)
            continue
        inner = f"{name}_{number}"
        way = f"{inner}/" if number % 2 else ""
        (folder / way).mkdir(exist_ok=True)
        (folder / way / f"{inner}.rh").write_text(write(folder / way, part, inner), encoding="utf-8")
        lines.append(f'include "{way}{inner}.rh"')
    return "\n".join(lines)


@given(divided())
@law(60)
def test_a_file_means_what_its_text_means_in_its_place(nested: list[Nested]) -> None:
    with TemporaryDirectory() as folder:
        session = Session.start(Path(folder))
        wanted, whole = run(session, "\n".join(DECLARATIONS) + f"\n{USE}")
        got, included = run(session, write(Path(folder), nested, "part") + f"\n{USE}")
    assert {name: d.definition for name, d in included.definitions.named.items()} == {
        name: d.definition for name, d in whole.definitions.named.items()
    }
    assert contents_of(included).keys() == contents_of(whole).keys()
    for name, array in contents_of(whole).items():
        np.testing.assert_array_equal(contents_of(included)[name], array)
    assert isinstance(wanted[-1], ValueFound)
    assert isinstance(got[-1], ValueFound)
    assert got[-1].value == wanted[-1].value


@given(st.lists(st.lists(st.integers(0, 9), max_size=4), min_size=1, max_size=6), st.lists(st.integers(0, 5), max_size=4))
@law(60)
def test_however_files_include_one_another_each_is_run_once(graph: list[list[int]], first: list[int]) -> None:
    """Random acyclic graphs: file i includes some of those below i. In one cell, in a cell each, and in a file."""
    graph = [[j for j in below if j < i] for i, below in enumerate(graph)]
    first = [i for i in first if i < len(graph)]
    reached = set(first)
    for i in reversed(range(len(graph))):
        reached |= set(graph[i]) if i in reached else set()
    with TemporaryDirectory() as folder:
        files = {
            f"f{i}": "".join([f'include "f{j}.rh"\n' for j in below])
            + f"loc w{i} : Real = [{i}]\n"
            + f"net n{i}() : Real = let x <= Get[w{i}]() in {''.join([f'let y <= n{j}() in ' for j in below])}return x"
            for i, below in enumerate(graph)
        }
        session = written(Path(folder), **files)
        lines = [f'include "f{i}.rh"' for i in first]
        _, at_once = run(session, "\n".join(lines))
        _, as_file = run(session, "\n".join(lines), keep_going=True)
        one_by_one = session
        for line in lines:
            _, one_by_one = run(one_by_one, line)
    for after in (at_once, as_file, one_by_one):
        assert {location.name: location.version for location in after.heap} == {f"w{i}": 0 for i in reached}
        assert not after.definitions.outdated()


def test_the_line_says_what_is_declared(tmp_path: Path) -> None:
    many = "\n".join(f"dim d{i} = {i}" for i in range(10))
    session = written(tmp_path, one="dim n = 3", none="# only a comment", many=many, again="dim n = 3\ndim n = 4")
    results, after = run(session, 'include "one.rh"\ninclude "none.rh"\ninclude "many.rh"\ninclude "again.rh"')
    assert notices(results) == [
        "included one.rh: 1 declaration (n)",
        "included none.rh: 0 declarations",
        "included many.rh: 10 declarations (d0, d1, d2, d3, d4, d5, d6, …, d9)",
        "included again.rh: 1 declaration (n)",
    ]
    assert after.definitions.get("n") == DimDefinition("n", 4)


def test_names_tell_the_file_and_the_line(tmp_path: Path) -> None:
    session = written(tmp_path, a='include "b.rh"\n\nconst x : Real = 1', b="\n\ndim n = 3")
    results, _ = run(session, 'include "a.rh"\n%whos')
    (shown,) = [result for result in results if isinstance(result, NamesShown)]
    assert [(name.name, name.place) for name in shown.names] == [("n", "b.rh, line 3"), ("x", "a.rh, line 3")]


def test_paths_start_from_the_file(tmp_path: Path) -> None:
    folder = tmp_path / "parts"
    folder.mkdir()
    np.save(folder / "w.npy", np.array([1.0, 2.0]))
    (folder / "a.rh").write_text('include "b.rh"\nloc w : Real(2) = load("w.npy")', encoding="utf-8")
    (folder / "b.rh").write_text('loc v : Real(2) = load("../parts/w.npy")', encoding="utf-8")
    session = written(tmp_path, b="dim wrong = 1")
    results, after = run(session, 'include "parts/a.rh"\nloc u : Real(2) = load("parts/w.npy")\nGet[w]()')
    assert not codes(results)
    assert {name: array.tolist() for name, array in contents_of(after).items()} == {name: [1.0, 2.0] for name in "wvu"}
    assert "wrong" not in after.definitions.named


def test_bytes_and_line_ends_of_other_systems(tmp_path: Path) -> None:
    (tmp_path / "a.rh").write_bytes(b"\xef\xbb\xbfdim n = 3\r\nconst t : Real =\r\n  n +\r\n")
    results, _ = run(Session.start(tmp_path), 'include "a.rh"')
    (d,) = failures(results)
    assert d.span is not None
    assert d.span.position[0] == 3


# -- what is in force ----------------------------------------------------------------------------------------------------------


def test_a_file_in_force_is_not_run_again(tmp_path: Path) -> None:
    session = written(tmp_path, a="loc w : Real = [1]")
    _, once = run(session, 'include "a.rh"\nPut[w]([5])')
    results, twice = run(once, 'include "a.rh"\ninclude "./a.rh"')
    assert notices(results) == ["a.rh is included already"] * 2
    assert is_same(once, twice)
    assert contents_of(twice)["w"].tolist() == [5.0]


@pytest.mark.parametrize(
    ("change", "edited"),
    [
        ("dim n = 2", "dim n = 3\nloc w : Real(n) = zeros"),
        ("loc w : Real(3) = ones", "dim n = 3\nloc w : Real(n) = zeros"),
        ("", "dim n = 2\nloc w : Real(n) = zeros"),
    ],
    ids=["a name it depends on", "a name of it", "its text"],
)
def test_what_has_changed_is_run_again(tmp_path: Path, change: str, edited: str) -> None:
    session = written(tmp_path, a="dim n = 3\nloc w : Real(n) = zeros")
    _, once = run(session, 'include "a.rh"')
    _, changed = run(once, change)
    results, again = run(written(tmp_path, a=edited) and changed, 'include "a.rh"')
    assert notices(results) == ["included a.rh: 2 declarations (n, w)"]
    assert {location.version for location in again.heap} == {2 if "loc" in change else 1}
    assert not again.definitions.outdated()


def test_what_it_takes_from_outside_and_has_changed_is_taken_again(tmp_path: Path) -> None:
    session = written(tmp_path, a="loc w : Real(n) = zeros")
    _, once = run(session, 'dim n = 2\ninclude "a.rh"')
    _, again = run(once, 'dim n = 3\ninclude "a.rh"')
    assert contents_of(again)["w"].shape == (3,)


def test_a_cell_that_is_run_again_declares_again(tmp_path: Path) -> None:
    session = written(tmp_path, a="loc w : Real = [1]", b='include "a.rh"\nnet get() : Real = Get[w]()')
    _, first = cell(session, 'include "a.rh"\nPut[w]([5])', "1")
    _, second = cell(first, 'include "b.rh"', "2")
    results, second = cell(second, "get()", "3")
    assert isinstance(results[0], ValueFound)
    assert contents_of(second)["w"].tolist() == [5.0]
    results, again = cell(second, 'include "a.rh"', "1")
    assert contents_of(again)["w"].tolist() == [1.0]
    assert notices(results)[0].startswith("`get` still uses the earlier `w`")
    results, renewed = cell(again, 'include "b.rh"', "2")
    assert not renewed.definitions.outdated()
    assert {location.version for location in renewed.heap} == {1}


def test_undo_takes_back_the_whole_file(tmp_path: Path) -> None:
    session = written(tmp_path, a="dim n = 3\nloc w : Real = [1]")
    _, first = run(session, "dim m = 1")
    _, second = run(first, 'include "a.rh"')
    _, undone = run(second, "%undo")
    assert set(undone.definitions.named) == set(first.definitions.named)
    assert not undone.heap
    assert notices(run(undone, 'include "a.rh"')[0]) == ["included a.rh: 2 declarations (n, w)"]


def test_locked_names_are_those_of_a_file_that_is_included_below(tmp_path: Path) -> None:
    session = written(tmp_path, a="fun f(x : Real) : Real = x + 1")
    _, before = run(session, 'include "a.rh"')
    _, locked = run(before, '%locked\ninclude "a.rh"')
    _, changed = run(locked, "fun f(x : Real) : Real = 5")
    assert not codes(run(changed, "%locked\ncheck f(1) == 2")[0])
    assert codes(run(changed, "check f(1) == 2")[0]) == ["RH207"]


def test_a_sweep_below_an_include_has_its_names(tmp_path: Path) -> None:
    session = written(tmp_path, a="fun f(x : Real) : Real = x * x")
    results, _ = run(session, 'include "a.rh"\nsweep a in [2, 3]\n  f(a)')
    (done,) = [result for result in results if isinstance(result, SweepDone)]
    assert [dict(one.results) for one in done.runs] == [{"f(a)": 4.0}, {"f(a)": 9.0}]


# -- where a file is looked up -------------------------------------------------------------------------------------------------


def test_the_library_comes_last(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    library = tmp_path / "library"
    (tmp_path / "here").mkdir()
    library.mkdir()
    monkeypatch.setattr(included_files, "LIBRARY", library)
    for folder, name, contents in (
        (library, "a.rh", 'include "b.rh"'),
        (library, "b.rh", "dim shipped = 1"),
        (tmp_path / "here", "c.rh", 'include "b.rh"'),
    ):
        (folder / name).write_text(contents, encoding="utf-8")
    session = Session.start(tmp_path / "here")
    assert notices(run(session, 'include "c.rh"')[0]) == ["included c.rh: 1 declaration (shipped)"]
    results, _ = run(session, 'include "./b.rh"')
    assert "there is no file" in failures(results)[0].message
    (tmp_path / "here" / "b.rh").write_text("dim own = 1", encoding="utf-8")
    assert "own" in run(session, 'include "b.rh"')[1].definitions.named
    # A file of the library has the library's.
    results, after = run(session, 'include "a.rh"')
    assert notices(results) == ["included library/a.rh: 1 declaration (shipped)"]
    assert "own" not in after.definitions.named


# -- errors --------------------------------------------------------------------------------------------------------------------


def test_an_error_is_shown_in_its_file_with_the_way_there(tmp_path: Path) -> None:
    (tmp_path / "parts").mkdir()
    (tmp_path / "parts" / "b.rh").write_text("dim n = 3\n\nconst t : Real = unknown + 1\n", encoding="utf-8")
    session = written(tmp_path, a='# The first one\ninclude "parts/b.rh"\n')
    results, after = run(session, 'dim m = 1\ninclude "a.rh"')
    assert after is session
    (d,) = failures(results)
    assert text(d) == (
        "RH101 Unknown name: `unknown` is not defined\n"
        " ── parts/b.rh, line 3, column 18\n"
        "3 │ const t : Real = unknown + 1\n"
        "  │                  ^^^^^^^\n"
        " ── a.rh, line 2, column 1\n"
        '2 │ include "parts/b.rh"\n'
        "  │ -------------------- included from here\n"
        " ── cell, line 2, column 1\n"
        '2 │ include "a.rh"\n'
        "  │ -------------- included from here\n"
        "    hint      declare it: `const unknown = …`"
    )
    record = error(d)
    assert (record["source"], record["line"], record["column"]) == ("parts/b.rh", 3, 18)


def test_an_error_of_the_cell_is_as_before(tmp_path: Path) -> None:
    session = written(tmp_path, a="dim n = 3")
    _, alone = run(session, "dim n = 3")
    (expected,) = failures(run(alone, "\nconst t : Real(n) = [1, 2]")[0])
    (d,) = failures(run(session, 'include "a.rh"\nconst t : Real(n) = [1, 2]')[0])
    assert text(d) == text(expected)
    assert "source" not in error(d)


def test_an_error_while_a_file_is_run_is_shown_there_too(tmp_path: Path) -> None:
    session = written(tmp_path, a='dim n = 3\nloc w : Real(n) = zeros\ninclude "b.rh"', b='loc v : Real = load("v.npy")')
    results, after = run(session, 'include "a.rh"')
    assert after is session
    (d,) = failures(results)
    assert d.code == "RH341"
    places = [d.span, *(note.span for note in d.notes)]
    assert [(span.source.name, span.position[0]) for span in places if span is not None] == [
        ("b.rh", 1),
        ("a.rh", 3),
        ("cell", 1),
    ]


def test_all_errors_of_a_file_are_reported_and_those_after_it(tmp_path: Path) -> None:
    session = written(tmp_path, a="dim n = \nconst t : Real(2) = [1]\nconst s : Real = t")
    results, _ = run(session, 'include "a.rh"\nconst u : Real(2) = [1]\nt')
    assert [(d.code, d.span.source.name) for d in failures(results) if d.span is not None] == [
        ("RH005", "a.rh"), ("RH102", "a.rh"), ("RH120", "a.rh"), ("RH102", "cell"), ("RH120", "cell"),
    ]  # fmt: skip


@pytest.mark.parametrize(
    ("item", "what"),
    [
        ("1 + 2", "a term or a command"),
        ("return 1", "a term or a command"),
        ('train return x for x in data("xor")', "a training run"),
        ("sweep a in [1, 2]\n  a", "a sweep"),
        ("%heap", "a directive"),
        ("%trace 1", "a directive"),
        ("%%lambda\nfun f(x : Real) = x", "an item of `%%lambda`"),
        ("%%eff\nlet x = 1 in x", "an item of `%%eff`"),
    ],
)
def test_a_file_holds_declarations_only(tmp_path: Path, item: str, what: str) -> None:
    session = written(tmp_path, a=f"dim n = 3\n{item}")
    results, after = run(session, 'include "a.rh"')
    (d,) = failures(results)
    assert (d.code, d.message) == ("RH344", f"an included file holds declarations only, and this is {what}")
    assert d.span is not None
    assert (d.span.source.name, d.span.position[0]) == ("a.rh", 2 + item.startswith("%%"))
    assert after is session


def test_the_checks_of_a_file_are_not_run_where_it_is_included(tmp_path: Path) -> None:
    session = written(
        tmp_path,
        one="loc w : Real = 3\ncheck let x <= Get[w]() in return x == 4",
        two='check 1 == 2\ndim n = 3\ncheck n ⊢ Real\ninclude "one.rh"',
        broken="dim n = 3\ncheck 1 ==",
    )
    results, after = run(session, 'include "one.rh"\ninclude "two.rh"\nGet[w]()')
    assert not codes(results)
    texts = [r.text for r in results if isinstance(r, Notice)]
    assert texts == [
        "included one.rh: 1 declaration (w); its check is not run here",
        "included two.rh: 2 declarations (n, w); its 2 checks are not run here",
    ]
    assert codes(run(after, 'include "broken.rh"')[0]) == ["RH005"]


def test_what_follows_an_unfinished_declaration_is_not_reported(tmp_path: Path) -> None:
    session = written(tmp_path, a="net f(x : Real) : Real =\nlet y <- x in\nreturn y")
    assert {d.code for d in failures(run(session, 'include "a.rh"')[0])} <= {"RH005"}


def test_cycles_are_named(tmp_path: Path) -> None:
    session = written(
        tmp_path, a='include "b.rh"', b='dim n = 3\ninclude "c.rh"', c='include "a.rh"', self='include "./self.rh"'
    )
    (d,) = failures(run(session, 'include "a.rh"')[0])
    assert d.message == "the file includes itself: a.rh includes b.rh includes c.rh includes a.rh"
    assert d.span is not None
    assert (d.span.source.name, d.span.text) == ("c.rh", 'include "a.rh"')
    assert [note.span.source.name for note in d.notes] == ["b.rh", "a.rh", "cell"]
    (d,) = failures(run(session, 'include "self.rh"')[0])
    assert d.message == "the file includes itself: self.rh includes self.rh"


def test_a_link_is_the_file_that_it_leads_to(tmp_path: Path) -> None:
    session = written(tmp_path, a='include "link.rh"')
    (tmp_path / "link.rh").symlink_to(tmp_path / "a.rh")
    (d,) = failures(run(session, 'include "a.rh"')[0])
    assert d.message == "the file includes itself: a.rh includes a.rh"


def test_a_chain_has_a_bound(tmp_path: Path) -> None:
    chain = {f"f{i}": f'include "f{i + 1}.rh"' for i in range(DEEPEST)}
    session = written(tmp_path, **chain, **{f"f{DEEPEST}": "dim n = 3"})
    assert not codes(run(session, 'include "f1.rh"')[0])
    (d,) = failures(run(session, 'include "f0.rh"')[0])
    assert d.message == f"{DEEPEST} files include one another already, from f0.rh to f{DEEPEST - 1}.rh"


def test_a_file_is_read_once_however_often_it_is_included(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Each of these files includes the next one twice, so there are 2¹⁵ ways to the last, which declares nothing."""
    ladder = {f"f{i}": f'include "f{i + 1}.rh"\n' * 2 for i in range(15)}
    session = written(tmp_path, **ladder, f15="1 + 1")
    opened: list[str] = []
    original = Path.open

    def counted(self: Path, mode: str) -> IO[Any]:
        opened.append(self.name)
        return original(self, mode)

    monkeypatch.setattr(Path, "open", counted)
    assert codes(run(session, 'include "f0.rh"')[0]) == ["RH344"]
    assert opened == [f"f{i}.rh" for i in range(16)]


def test_a_file_has_a_bound(tmp_path: Path) -> None:
    session = written(tmp_path, a="dim n = 3\n#" + "x" * (LARGEST - 11), b="#" + "x" * LARGEST)
    assert not codes(run(session, 'include "a.rh"')[0])
    (d,) = failures(run(session, 'include "b.rh"')[0])
    assert (d.message, d.expected) == ('"b.rh" is too large', "at most 1,000,000 bytes")


@pytest.mark.parametrize(
    "name", ["", ".rh", "a\\0b.rh", "x" * 5000 + ".rh", "..", "/nowhere/a.rh", "a.rh/b.rh", "~/a.rh", "pipe.rh"]
)
def test_a_name_that_is_no_file_is_an_error(tmp_path: Path, name: str) -> None:
    session = written(tmp_path, a="dim n = 3")
    os.mkfifo(tmp_path / "pipe.rh")
    results, after = run(session, f'include "{name}"'.replace("\\0", "\0"))
    assert codes(results) == ["RH344"]
    assert after is session


def test_what_is_no_text_is_an_error(tmp_path: Path) -> None:
    (tmp_path / "folder.rh").mkdir()
    (tmp_path / "latin1.rh").write_bytes(b"dim n = 3\n# caf\xe9\n")
    session = Session.start(tmp_path)
    (d,) = failures(run(session, 'include "folder.rh"')[0])
    assert (d.message, d.expected) == ('"folder.rh" is a folder', "a file that ends in .rh")
    (d,) = failures(run(session, 'include "latin1.rh"')[0])
    assert (d.message, d.found, d.hint) == ('"latin1.rh" is not UTF-8 text', "the byte 0xe9 in line 2", "save it as UTF-8")


def test_a_file_that_cannot_be_read_is_an_error(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    session = written(tmp_path, a="dim n = 3")

    def refuse(*_: object, **__: object) -> None:
        raise PermissionError(13, "Permission denied")

    monkeypatch.setattr(Path, "open", refuse)
    (d,) = failures(run(session, 'include "a.rh"')[0])
    assert (d.message, d.found) == ('"a.rh" cannot be read', "Permission denied")


def test_in_a_program_an_include_that_fails_leaves_the_other_items(tmp_path: Path) -> None:
    session = written(tmp_path, a="dim n = 3\nconst t : Real = [1, 2]")
    results, after = run(session, 'dim m = 1\ninclude "a.rh"\nfun f(x : Real) : Real = x\nt', keep_going=True)
    assert codes(results) == ["RH102", "RH101"]
    assert failures(results)[1].hint == "perhaps the file that could not be included declares it"
    assert {"m", "f"} <= after.definitions.named.keys()
    assert "n" not in after.definitions.named


# -- the library ---------------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("name", sorted(file.name for file in LIBRARY.glob("*.rh")))
def test_each_file_of_the_library_can_be_included(tmp_path: Path, name: str) -> None:
    results, _ = run(Session.start(tmp_path), f'include "{name}"')
    assert not codes(results)
    assert notices(results)[0].startswith(f"included library/{name}: ")
