"""Remarks about clauses for a declared location where a parameter may have been meant (LANGUAGE §3)."""

import pytest

from rh_kernel.session.results import DeclarationMade, Notice, ValueFound
from tests.typing.cells import run

START = """op FC[l : Loc(m, n)] : Real(n) -> Real(m)
op Two[l : Loc(m, n), v : Loc(m, n)] : Real(n) -> Real(m)
op Drop[a : Real] : Real(n) -> Real(n)
loc w0 : Real(2, 2) = eye
loc w1 : Real(2, 2) = eye
loc l : Real(2, 2) = eye
const a = 2
"""
RETURN = "{ return x -> return x\n  "
ALL = "FC[k](x) -> let w <= Get[k]() in return (w @ x, w) | y, w -> return w^T @ y"
INSTEAD = "To cover all locations, use an undeclared name"


def remarks(item: str) -> list[str]:
    """The notices of the last item, which has no errors."""
    _, session = run(START)
    results, _ = run(item, session)
    *notices, result = results
    assert isinstance(result, DeclarationMade | ValueFound)
    assert all(isinstance(notice, Notice) for notice in notices)
    return [notice.text for notice in notices if isinstance(notice, Notice)]


@pytest.mark.parametrize(
    ("clause", "said"),
    [
        (
            "FC[w0](x) -> return (x, 0) | y, z -> return y",
            f"line 2: the clause for `FC[w0]` only covers the declared location `w0`, and this handler has no other clause "
            f"for `FC`. {INSTEAD}: `FC[l']`.",
        ),
        (
            "Two[l', w0](x) -> return (x, 0) | y, z -> return y",
            f"line 2: the clause for `Two[l', w0]` only covers the declared location `w0`, and this handler has no other "
            f"clause for `Two`. {INSTEAD}: `Two[l', v]`.",
        ),
        (
            "Two[w1, w0](x) -> return (x, 0) | y, z -> return y",
            f"line 2: the clause for `Two[w1, w0]` only covers the declared locations `w1` and `w0`, and this handler has no "
            f"other clause for `Two`. {INSTEAD}: `Two[l', v]`.",
        ),
    ],
)
def test_the_only_clause_of_an_operation_at_a_declared_location_is_remarked(clause: str, said: str) -> None:
    assert remarks(f"handler h = {RETURN}{clause} }}") == [said]


@pytest.mark.parametrize(
    "clauses",
    [
        ALL,
        f"{ALL}\n  FC[w0](x) -> return (2 * x, 0) | y, z -> return y",
        "FC[w0](x) -> return (x, 0) | y, z -> return y\n  FC[w1](x) -> return (2 * x, 0) | y, z -> return y",
        "Get[w0](_) -> return (fill[2, 2](1), 0) | y, z -> return 0",
        "Put[w0](x) -> return ((), 0) | y, z -> return 0",
        "Drop[a](x) -> return (x, 0) | y, z -> return y",
    ],
    ids=["parameter", "override", "each location", "Get", "Put", "a value"],
)
def test_ordinary_clauses_are_not_remarked(clauses: str) -> None:
    assert remarks(f"handler h = {RETURN}{clauses} }}") == []


def test_handlers_inside_commands_and_clauses_are_looked_at() -> None:
    inner = f"handle FC[w0]([1, 2]) with {RETURN}FC[w0](x), k -> k(x) }}"
    assert [r.split(" only ")[0] for r in remarks(inner)] == ["line 2: the clause for `FC[w0]`"]
    assert len(remarks(f"net f(x : Real(2)) = let y <= {inner} in return y")) == 1
    assert len(remarks(f"handler h = {RETURN}FC[w0](x), k -> {inner} }}")) == 2


def test_the_remark_comes_before_what_the_item_gives() -> None:
    _, session = run(START)
    results, _ = run(f"handle FC[w0]([1, 2]) with {RETURN}FC[w0](x), k -> k(x) }}", session)
    assert [type(r) for r in results] == [Notice, ValueFound]
