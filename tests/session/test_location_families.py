"""Families of locations in a session: their contents, ``%heap``, ``%save`` and ``%load``, names, and declaring them again."""

from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from rh_kernel.display.registry import records, text
from rh_kernel.session.results import HeapShown, NamesShown, Result
from rh_kernel.session.session import Session
from rh_kernel.training.reading.formats import saved_suffixes
from rh_kernel.workspace.workspace import Workspace
from tests.session.cells import codes, run

Draw = Callable[[np.random.Generator], np.ndarray]
DRAWN: dict[str, Draw] = {
    "normal(0.5, seed=3)": lambda rng: rng.normal(0.0, 0.5, (2, 4)),
    "uniform(-1, 2, seed=3)": lambda rng: rng.uniform(-1, 2, (2, 4)),
    "glorot(seed=3)": lambda rng: rng.uniform(-1, 1, (2, 4)),
}


@pytest.fixture
def session(tmp_path: Path) -> Session:
    return run(Session.start(tmp_path), "dim layers = 3\nloc ws[layers] : Real(2, 4) = glorot(seed=7)")[1]


def record_of(item: int, result: Result) -> Mapping[str, Any]:
    """The only record of a result."""
    (record,) = records(item, result)
    return record


def contents(session: Session) -> dict[str, list[Any]]:
    """The contents of the locations that are declared now, by name."""
    return {name: session.heap[location].tolist() for name, location in session.definitions.locations().items()}


@pytest.mark.parametrize(
    ("how", "drawn"),
    DRAWN.items(),
)
def test_the_content_of_a_member_is_drawn_by_the_seed_and_its_number(how: str, drawn: Draw) -> None:
    found = contents(run(Session.start(Path()), f"loc ws[3] : Real(2, 4) = {how}")[1])
    assert [*found] == ["ws[0]", "ws[1]", "ws[2]"]
    for i, array in enumerate(found.values()):
        assert callable(drawn)
        np.testing.assert_array_equal(array, drawn(np.random.default_rng((3, i))))


def test_other_contents_are_the_same_for_every_member(tmp_path: Path) -> None:
    np.save(tmp_path / "a.npy", [1.0, 2.0])
    text = 'loc a[2] : Real(2) = load("a.npy")\nloc b[2] : Real(2) = 2 * [1, 2]\nloc c[2] : Real(2, 2) = eye'
    found = contents(run(Session.start(tmp_path), text)[1])
    assert found["a[0]"] == found["a[1]"] == [1, 2]
    assert found["b[0]"] == found["b[1]"] == [2, 4]
    assert found["c[0]"] == found["c[1]"] == [[1, 0], [0, 1]]


def test_a_family_may_be_empty() -> None:
    results, after = run(Session.start(Path()), "loc ws[0] : Real(2) = ones\nrepeat i < 0 from s = 1 do return s")
    assert not codes(results)
    assert contents(after) == {}


def test_the_heap_shows_members_and_families_by_name(session: Session) -> None:
    _, one, all_of_them = run(session, "loc b : Real = zeros\n%heap ws[1]\n%heap ws b ws[2]")[0]
    assert isinstance(one, HeapShown)
    assert isinstance(all_of_them, HeapShown)
    assert [c.location.name for c in one.contents] == ["ws[1]"]
    assert [c.location.name for c in all_of_them.contents] == ["ws[0]", "ws[1]", "ws[2]", "b"]
    assert codes(run(session, "%heap ws[3]")[0]) == ["RH042"]


@pytest.mark.parametrize("form", saved_suffixes())
def test_members_are_saved_and_loaded_by_name(session: Session, form: str) -> None:
    _, changed = run(session, f"%save a{form}\nPut[ws[1]](0)")
    assert contents(changed)["ws[1]"] != contents(session)["ws[1]"]
    results, again = run(changed, f"%load a{form}")
    assert contents(again) == contents(session)
    assert "ws[0], ws[1], ws[2]" in text(results[0])


def test_reset_restores_every_member(session: Session) -> None:
    _, changed = run(session, "repeat i < layers from s = 1 do let _ <= Put[ws[i]](0) in return s")
    assert not np.any([*contents(changed).values()])
    assert contents(run(changed, "%reset")[1]) == contents(session)


def test_a_family_of_another_length_is_another_family(session: Session) -> None:
    _, before = run(session, "net last(x : Real(4)) = let w <= Get[ws[2]]() in return w @ x")
    results, after = run(before, "loc ws[2] : Real(2, 4) = ones\nlast([1, 0, 0, 0])\nGet[ws[1]]()\n%heap")
    assert not codes(results)
    assert [*contents(after)] == ["ws[0]", "ws[1]"]
    kept = record_of(2, results[1])
    assert kept["value"] == [row[0] for row in contents(session)["ws[2]"]]
    assert codes(run(after, "Get[ws[2]]()")[0]) == ["RH141"]
    plain = run(after, "loc ws : Real = [5]\nGet[ws]()")
    assert not codes(plain[0])
    assert codes(run(plain[1], "Get[ws[0]]()")[0]) == ["RH107"]


def test_names_and_changes_are_those_of_the_members(session: Session) -> None:
    results, _ = run(session, "Put[ws[1]](0)\n%whos")
    assert [*record_of(1, results[0])["heap"]] == ["ws[1]"]
    assert isinstance(results[1], NamesShown)
    assert "Loc(2, 4)[3]" in text(results[1])


def test_a_workspace_reads_members_by_name() -> None:
    workspace = Workspace()
    workspace.run("loc ws[2] : Real(2) = [3, 4]")
    assert [*workspace.heap] == ["ws[0]", "ws[1]"]
    assert workspace.heap["ws[1]"].tolist() == [3, 4]


def test_too_large_a_family_is_refused_before_it_is_made() -> None:
    assert codes(run(Session.start(Path()), "loc ws[90000] : Real(100000, 100) = zeros")[0]) == ["RH241"]
    assert codes(run(Session.start(Path()), "loc ws[90000000] : Real = zeros")[0]) == ["RH117"]


def test_a_chain_is_trained_through_the_members_of_a_family(session: Session) -> None:
    program = """
op FC[l : Loc(m, n)] : Real(n) -> Real(m)
loc vs[2] : Real(2, 2) = normal(0.5, seed=1)
net deep[us : Loc(d, d)[k]](x : Real(d)) : Real(d) = repeat i < k from s = x do let y <= FC[us[i]](s) in return tanh(y)
handler sgd(t : Real(k)) : rev handler(Real(k)) = {
  return x -> return 0.5 * (x - t)
  FC[l](x) -> let w <= Get[l]() in return (w @ x, (w, x)) | y, (w, x) -> let _ <= Put[l](w - outer(y, x)) in return w^T @ y
}
handler infer : Real(2) => Real(2) = { return x -> return x ; FC[l](x), k -> let w <= Get[l]() in k(w @ x) }
train rev handle (x) <u>. deep[vs](u) with sgd(concat(t, t)) for (x, t) in data("xor") epochs 30 batch 4
  measure let y <= handle deep[vs](x) with infer in return let d <- y - concat(t, t) in dot(d, d)
"""
    results, after = run(session, program)
    assert not codes(results)
    record = record_of(6, results[-1])
    assert record["measure"][-1] < record["measure"][0]
    assert [*record["heap"]] == ["vs[0]", "vs[1]"]
    assert contents(after)["ws[0]"] == contents(session)["ws[0]"]


CLAUSES = """
loc us[3] : Real = ones
loc vs[2] : Real = ones
loc ts[3] : Real = ones
op Deep[fs : Loc(1)[k]] : Real -> Real
net all_of[fs : Loc(1)[k]](x : Real) : Real = Deep[fs](x)
handler h : rev handler(Real) = {
  return x -> return 1
  Deep[fs](x) -> return (10 * x, ()) | y, _ -> return 10 * y
  Deep[us](x) -> let w <= Get[us[1]]() in return ((1 + w) * x, (w, x))
    | y, (w, x) -> let _ <= Put[us[2]](x * y) in return (1 + w) * y
}
handler g = {
  return x -> return x
  Deep[fs](x), k -> k(x + 1)
  Deep[ts](x), k -> let y <= k(x) in return 100 * y
}
"""


@pytest.mark.parametrize("evaluator", ["compiled", "stepped", "denoted"])
@pytest.mark.parametrize(
    ("command", "expected", "after"),
    [
        ("rev handle (3) <x>. Deep[us](x) with h", 2.0, 3.0),
        ("rev handle (3) <x>. all_of[us](x) with h", 2.0, 3.0),
        ("rev handle (3) <x>. Deep[vs](x) with h", 10.0, 1.0),
        ("rev handle (3) <x>. Deep[ts](x) with h", 10.0, 1.0),
        ("rev handle (3) <x>. let x <= Deep[ts](x) in let x <= Deep[us](x) in Deep[vs](x) with h", 200.0, 300.0),
        ("handle let x <= Deep[us](2) in let x <= Deep[ts](x) in all_of[ts](x) with g", 30000.0, 1.0),
    ],
)
def test_a_clause_for_a_declared_family_is_the_one_for_that_family(
    evaluator: str, command: str, expected: float, after: float
) -> None:
    results, session = run(Session.start(Path()), f"{CLAUSES}%evaluator {evaluator}\n{command}")
    assert record_of(1, results[-1])["value"] == [expected]
    assert contents(session)["us[2]"] == [after]
