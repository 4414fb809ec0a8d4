"""Warnings about lost updates (RH143): which programs have one, where it is, and what it says."""

import time

import pytest

from rh_kernel.session.results import ItemFailed, Result, Warned
from rh_kernel.session.session import Session, actions_of
from rh_kernel.source.span import Source
from rh_kernel.syntax.parsing.parser import parse
from rh_kernel.syntax.runtime_errors import NumberNotFinite
from rh_kernel.typing.errors import LostUpdate
from tests.typing.cells import run

START = """op FC[l : Loc(m, n)] : Real(n) -> Real(m)
op Two[l : Loc(m, n), v : Loc(m, n)] : Real(n) -> Real(m)
op At[vs : Loc(m, m)[k]] : Real(m) -> Real(m)
op Tick : Real(n) -> Real(n)
op Pass : Real(2) -> Real(2)
loc w : Real(2, 2) = eye
loc v : Real(2, 2) = eye
loc ws[4] : Real(2, 2) = eye
loc count : Real = zeros
fun less(a : Real(m, n), g : Real(m, n)) : Real(m, n) = a - g
"""
KEEP = "FC[l](x) -> let w <= Get[l]() in return (w @ x, (w, x)) | y, (w, x) -> "
STALE = f"{KEEP}let _ <= Put[l](w - outer(y, x)) in return w^T @ y"
SHARED = "let x <= FC[w](x) in FC[w](x)"


def handled(body: str, clause: str = STALE) -> str:
    return f"rev handle ([1, 2]) <x>. {body} with {{\n  return y -> return y\n  {clause}\n}}"


def warned(results: list[Result]) -> list[LostUpdate]:
    assert not any(isinstance(result, ItemFailed) for result in results), results
    found = [d for result in results if isinstance(result, Warned) for d in result.diagnostics]
    # A program that divides by 0 is warned of that as well.
    assert all(isinstance(d, LostUpdate | NumberNotFinite) for d in found)
    return [d for d in found if isinstance(d, LostUpdate)]


def warnings(item: str, *before: str) -> list[LostUpdate]:
    """The warnings about the last cell, after ``START`` and the cells before it."""
    session: Session | None = None
    for number, cell in enumerate([START, *before]):
        _, session = run(cell, session, f"cell {number}")
    results, _ = run(item, session, "last")
    return warned(results)


@pytest.mark.parametrize(
    ("body", "where"),
    [
        (SHARED, "`w` is used at several places"),
        ("let x <= FC[w](x) in let x <= FC[v](x) in FC[w](x)", "`w` is used at several places"),
        ("repeat i < 2 from x = x do FC[w](x)", "`w` is used in several rounds of `repeat`"),
        ("repeat i < 2 from x = x do repeat j < 1 from x = x do FC[w](x)", "`w` is used in several rounds of `repeat`"),
        ("let (_, x) <= scan (a in [1, 2]) from x = x do let x <= FC[w](x) in return (a, x) in return x",
         "`w` is used in several rounds of `scan`"),
        ("repeat i < 4 from x = x do FC[ws[i // 2]](x)", "`ws[0]` and `ws[1]` are used in several rounds of `repeat`"),
        ("let x <= (repeat i < 4 from x = x do FC[ws[i]](x)) in repeat i < 4 from x = x do FC[ws[3 - i]](x)",
         "`ws[3]` and 3 other locations are used at several places"),
        ("let x <= (repeat i < 4 from x = x do FC[ws[i]](x)) in FC[ws[1]](x)", "`ws[1]` is used at several places"),
        ("repeat i < 3 from x = x do let x <= FC[ws[i]](x) in FC[ws[i + 1]](x)",
         "`ws[1]` and `ws[2]` are used at several places"),
        ("repeat i < 2 from x = x do repeat j < 2 from x = x do FC[ws[i + j]](x)",
         "`ws[1]` is used in several rounds of `repeat`"),
        ("if x.e > 0 then FC[w](x) else return x", ""),
        ("let x <= (if 1 > 0 then FC[w](x) else return x) in FC[w](x)", "`w` is used at several places"),
    ],
)  # fmt: skip
def test_a_location_with_several_uses_is_named(body: str, where: str) -> None:
    assert [d.where for d in warnings(handled(body.replace("x.e", "sum(x)")))] == ([where] if where else [])


@pytest.mark.parametrize(
    "body",
    [
        "FC[w](x)",
        "let x <= FC[w](x) in FC[v](x)",
        "repeat i < 1 from x = x do FC[w](x)",
        "repeat i < 0 from x = x do FC[w](x)",
        "repeat i < 4 from x = x do FC[ws[i]](x)",
        "repeat i < 3 from x = x do FC[ws[3 - i]](x)",
        "let x <= (repeat i < 2 from x = x do FC[ws[i]](x)) in repeat i < 2 from x = x do FC[ws[i + 2]](x)",
        "repeat i < 2 from x = x do repeat j < 2 from x = x do FC[ws[2 * i + j]](x)",
        "repeat i < 2 from x = x do repeat j < i from x = x do FC[ws[j]](x)",
        "if sum(x) > 0 then FC[w](x) else FC[w](x)",
        "repeat i < 4 from x = x do let x <= Tick(x) in FC[ws[i]](x)",
    ],
)
def test_a_location_with_one_use_is_not_warned_of(body: str) -> None:
    tick = "Tick(x) -> return (x, ()) | y, _ -> let c <= Get[count]() in let _ <= Put[count](c + 1) in return y"
    assert warnings(handled(body, f"{STALE}\n  {tick}")) == []


@pytest.mark.parametrize(
    "backward",
    [
        "return w^T @ y",
        "let v <= Get[l]() in let _ <= Put[l](v - outer(y, x)) in return w^T @ y",
        "let v <= Get[l]() in let _ <= Put[l](v - outer(y, x) - 0.1 * w) in return w^T @ y",
        "let _ <= Put[l](w) in return w^T @ y",
        "let _ <= Put[l](outer(y, x)) in return w^T @ y",
        "let _ <= Put[l](outer(y + w @ x, x)) in return w^T @ y",
        "let u <= Get[count]() in let _ <= Put[count](u - sum(w)) in return w^T @ y",
        "let w <= Get[l]() in let _ <= Put[l](w - outer(y, x)) in return w^T @ y",
    ],
)
def test_a_clause_that_keeps_no_update_from_another_is_not_warned_of(backward: str) -> None:
    assert warnings(handled(SHARED, f"{KEEP}{backward}")) == []


@pytest.mark.parametrize(
    "content",
    ["w - y'", "0.9 * w - y'", "-(y' - w)", "w / less(y', y') + y'", "less(w, y')", "(0, w).2 - y'", "maximum(w - y', w)",
     "let a <- w - y' in a", "w - w", "if sum(y) > 0 then w - y' else w"],
)  # fmt: skip
def test_a_content_made_from_a_stale_one_is_found(content: str) -> None:
    clause = f"{KEEP}let y' <- outer(y, x) in let _ <= Put[l]({content}) in return w^T @ y"
    (warning,) = warnings(handled(SHARED, clause))
    assert warning.fix is not None
    assert "let w' <= Get[l]() in" in warning.fix.text


def test_the_other_clauses_of_the_handler_are_not_meant() -> None:
    single = "FC[w](x) -> return (x, ()) | y, _ -> return y"
    assert warnings(handled(SHARED, f"{STALE}\n  {single}")) == []
    assert len(warnings(handled(SHARED.replace("[w]", "[v]"), f"{STALE}\n  {single}"))) == 1


def test_a_location_of_the_clause_itself_is_one_for_all_uses() -> None:
    clause = "Tick(x) -> let c <= Get[count]() in return (x, c) | y, c -> let _ <= Put[count](c + 1) in return y"
    (warning,) = warnings(handled("repeat i < 4 from x = x do Tick(x)", clause))
    assert warning.where == "`count` is used in several rounds of `repeat`"


def test_members_of_a_family_in_a_clause_are_told_apart() -> None:
    clause = "At[vs](x) -> let w <= Get[vs[0]]() in return (w @ x, (w, x)) | y, (w, x) -> "
    clause += "let _ <= Put[vs[0]](w - outer(y, x)) in return w^T @ y"
    (warning,) = warnings(handled("let x <= At[ws](x) in At[ws](x)", clause))
    assert warning.where == "`ws[0]` is used at several places"
    assert warning.fix is not None
    assert "Get[vs[0]]()" in warning.fix.text


def test_two_locations_of_one_operation_are_two() -> None:
    clause = "Two[l, r](x) -> let w <= Get[l]() in return (w @ x, (w, x)) | y, (w, x) -> "
    clause += "let _ <= Put[l](w - outer(y, x)) in return w^T @ y"
    assert warnings(handled("let x <= Two[w, v](x) in Two[v, w](x)", clause)) == []
    assert len(warnings(handled("let x <= Two[w, v](x) in Two[w, ws[0]](x)", clause))) == 1


def test_an_inner_handler_replaces_its_operations_by_those_of_its_clauses() -> None:
    ordinary = "handle let x <= Pass(x) in Pass(x) with { return y -> return y; Pass(x), k -> let x <= FC[w](x) in k(x) }"
    assert len(warnings(handled(ordinary))) == 1
    hidden = f"handle {SHARED} with {{ return y -> return y; FC[l](x), k -> k(0) }}"
    assert warnings(handled(hidden)) == []


def test_a_handler_around_it_may_make_something_else_of_put() -> None:
    dry = f"handle ({' '.join(handled(SHARED).split())}) with {{ return y -> return y; Put[l](x), k -> k() }}"
    assert warnings(dry.replace("return y FC", "return y; FC")) == []


def test_of_a_handler_that_was_declared_elsewhere_the_use_is_underlined() -> None:
    handler = f"handler h : rev handler(Real(2)) = {{\n  return y -> return y\n  {STALE}\n}}"
    (warning,) = warnings(f"rev handle ([1, 2]) <x>. {SHARED} with h", handler)
    assert warning.span is not None
    assert warning.span.source.name == "last"
    assert warning.notes[0].span.source.name == "cell 1"
    assert warning.fix is not None
    assert warning.fix.span.source.name == "cell 1"


def test_a_training_run_is_warned_of() -> None:
    handler = f"handler h : rev handler(Real(2)) = {{\n  return y -> return y\n  {STALE}\n}}"
    given = 'train rev handle (x) <x>. let x <= FC[w](x) in FC[w](x) with h for (x, t) in data("xor") epochs 1'
    assert len(warnings(given, handler)) == 1


def test_a_chain_of_many_layers_is_looked_at_in_no_time() -> None:
    """Whether ``many[i]`` differs from round to round is seen from its index, without going through the rounds."""
    _, session = run(f"{START}\nloc many[20000] : Real(2, 2) = eye", None, "cell 0")
    source = Source("last", handled("repeat i < 20000 from x = x do FC[many[i]](x)"))
    ((_, action),) = actions_of(session, parse(source), "")
    began = time.process_time()
    assert action.warnings(source) == ()
    assert time.process_time() - began < 0.1
