"""Several diagnostics about one item: all that are independent, and none that is a consequence of another."""

from collections.abc import Iterator
from dataclasses import fields, is_dataclass
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from rh_kernel.session.session import Session
from rh_kernel.source.span import Source, Span
from rh_kernel.syntax import surface as s
from rh_kernel.syntax.parsing.parser import Unparsed, parse
from rh_kernel.syntax.types import Product, Type
from rh_kernel.typing.elaboration.error_recovery import MAX_FAILURES
from rh_kernel.typing.errors import DependsOnError, UnknownName
from rh_kernel.typing.unification.unify import Unifier
from tests.tiers import law
from tests.typing.cells import wrong
from tests.typing.test_unify import types

PROGRAMS = sorted((Path(__file__).parents[1] / "programs").glob("*/*.rh"))
GOOD = [program for program in PROGRAMS if program.parent.name in ("good", "paper")]


def codes(text: str) -> list[tuple[str, str]]:
    """Each diagnostic with what it is about."""
    return [(d.code, d.span.text) for d in wrong(text) if d.span is not None]


FC = "op FC[l : Loc(m, n)] : Real(n) -> Real(m)\n"

SEVERAL: list[tuple[str, list[tuple[str, str]]]] = [
    ("aa + bb", [("RH101", "aa"), ("RH101", "bb")]),
    ("(aa, 1, bb)", [("RH101", "aa"), ("RH101", "bb")]),
    ("dot(aa, [1, 2] + [1])", [("RH101", "aa"), ("RH103", "[1, 2] + [1]")]),
    ("aa + aa * aa", [("RH101", "aa")]),
    ("let x <- aa in let y <- x + 1 in y + bb", [("RH101", "aa"), ("RH101", "bb")]),
    ("let (x, (y, z)) <- aa in x + y + z + bb", [("RH101", "aa"), ("RH101", "bb")]),
    ("let (x, y) <- [1, 2] in x + y + bb", [("RH110", "(x, y)"), ("RH101", "bb")]),
    ("let x <- aa in x.1 @ x^T", [("RH101", "aa")]),
    ("let x <= return aa in let y <= return x in return (y, bb)", [("RH101", "aa"), ("RH101", "bb")]),
    ("rev handle (aa) <x, y>. return x + bb with { return x -> return x + cc }", [("RH101", n) for n in ("aa", "bb", "cc")]),
    ("rev handle ([1]) <x>. return bb with { return x -> return x + [1, 2] }", [("RH101", "bb")]),
    ("handle return aa with { return x -> return bb }", [("RH101", "aa"), ("RH101", "bb")]),
    ("handle return aa with { return x -> return x }", [("RH101", "aa")]),
    (f"{FC}handler h = {{ return x -> return aa\n  FC[l](x), k -> k(bb) }}", [("RH101", "aa"), ("RH101", "bb")]),
    (
        f"{FC}handler h = {{ return x -> return x\n  FC[l](x) -> return aa | y, z -> return z + bb }}",
        [("RH101", "aa"), ("RH101", "bb")],
    ),
    ("fun f(x : Real(n)) : Real = aa with rd(w, x) = bb", [("RH101", "aa"), ("RH101", "bb")]),
    ("fun f(x : Real(2), y : Real(3)) : Real = 1\nf([1], [1, 2])", [("RH102", "[1]"), ("RH102", "[1, 2]")]),
    ("check aa == bb", [("RH101", "aa"), ("RH101", "bb")]),
    ("fun step(x : Real, y : Real) = aa\nstep(1, 2)", [("RH101", "aa"), ("RH120", "step")]),
    ("handler step = { return x -> return aa }\nhandle return 1 with step", [("RH101", "aa"), ("RH120", "step")]),
    ("const a = aa\na + bb", [("RH101", "aa"), ("RH120", "a"), ("RH101", "bb")]),
]


@pytest.mark.parametrize(("text", "expected"), SEVERAL, ids=[text.split("\n")[-1] for text, _ in SEVERAL])
def test_what_is_independent_is_told_together(text: str, expected: list[tuple[str, str]]) -> None:
    assert codes(text) == expected


def test_a_long_program_is_given_up_after_many_errors() -> None:
    text = "let x <- 1 in " + "".join(f"let y{i} <- x + aa{i} in " for i in range(3 * MAX_FAILURES)) + "x"
    assert len(wrong(text)) == MAX_FAILURES


def names(node: Any) -> Iterator[s.Var]:
    """The names that are used in the terms and commands of an item."""
    if isinstance(node, s.Var):
        yield node
    elif isinstance(node, tuple):
        for part in node:  # pyright: ignore[reportUnknownVariableType]
            yield from names(part)
    elif is_dataclass(node) and not isinstance(node, Span | s.RealType | s.LocKind):
        for f in fields(node):
            yield from names(getattr(node, f.name))


@law(60)
@given(st.sampled_from(GOOD), st.data())
def test_names_that_are_taken_away_are_all_that_is_complained_about(program: Path, data: st.DataObject) -> None:
    text = program.read_text(encoding="utf-8")
    items = parse(Source("cell", text))
    assert not any(isinstance(item, Unparsed) for item in items)
    used = {use.span.start: use for item in items for use in names(item)}
    chosen = data.draw(st.sets(st.sampled_from(sorted(used)), min_size=1, max_size=6)) if used else set[int]()
    taken = {f"taken{start}away" for start in chosen}
    for start in sorted(chosen, reverse=True):
        text = f"{text[:start]}taken{start}away{text[used[start].span.end :]}"
    found = wrong(text, Session.start(program.parent))
    assert {d.name for d in found if isinstance(d, UnknownName)} <= taken
    assert all(isinstance(d, UnknownName | DependsOnError) for d in found)
    assert bool(found) == bool(chosen)


@given(st.lists(st.tuples(st.integers(0, 5), types), max_size=6), st.lists(st.tuples(st.integers(0, 5), types), max_size=6))
def test_what_the_unifier_forgets_was_never_there(before: list[tuple[int, Type]], after: list[tuple[int, Type]]) -> None:
    unifier = Unifier()
    unknown = [unifier.fresh_type() for _ in range(6)]
    for i, A in before:
        unifier.unify_types(unknown[i], Product((A, unknown[i - 1])) if i % 2 else A)
    known = [unifier.type(X) for X in unknown]
    mark = unifier.mark()
    for i, A in after:
        unifier.unify_types(unknown[i], A)
    unifier.back(mark)
    assert [unifier.type(X) for X in unknown] == known
