"""Coverage of patterns, compared with all values up to a depth, and the diagnostics."""

from collections.abc import Iterator, Sequence
from itertools import islice, product

import pytest
from hypothesis import given
from hypothesis import strategies as st

from rh_kernel.ad.eff import core, loading
from rh_kernel.ad.eff.core import AnyPattern, ConstructorPattern, LiteralPattern, NamePattern, Pattern, TuplePattern
from rh_kernel.ad.eff.printing.patterns import pattern
from rh_kernel.ad.eff.types import BOOL, INT, TEXT, Base, Constructor, Data, Product, ValueType
from rh_kernel.ad.eff.typing.coverage import Patterns, coverage
from rh_kernel.source.diagnostic import Diagnostic, Rejected
from tests.tiers import law

ANY = AnyPattern()
LIST = Data("List", (BOOL,))
"""Lists of truth values."""

TREE = Data("Tree")
SIGNATURES: dict[str, tuple[Constructor, ...]] = {
    "Bool": (Constructor("False", ()), Constructor("True", ())),
    "List": (Constructor("Nil", ()), Constructor("Cons", (BOOL, LIST))),
    "Tree": (
        Constructor("Leaf", (INT,)),
        Constructor("Node", (TREE, TREE)),
        Constructor("Mark", (TEXT, BOOL)),
        Constructor("End", ()),
    ),
    "Alone": (Constructor("Alone", (LIST, BOOL)),),
}
LITERALS: dict[str, tuple[int | str, ...]] = {"Int": (0, 1, 2), "Text": ("", "a", "b")}
"""The literals in random patterns, and one more."""

_MAX_VALUES = 20_000

TYPES: tuple[ValueType, ...] = (BOOL, LIST, TREE, Data("Alone"), INT, TEXT, Product((BOOL, LIST)), Product((TREE, INT, BOOL)))


def siblings(constructor: str) -> Sequence[Constructor]:
    """The constructors of a type."""
    return next(ks for ks in SIGNATURES.values() if any(k.name == constructor for k in ks))


def values(A: ValueType, depth: int) -> Iterator[Pattern]:
    """All values of a type up to a depth, as patterns that match only them."""
    match A:
        case Base(name):
            yield from map(LiteralPattern, LITERALS[name])
        case Product(components):
            yield from map(TuplePattern, product(*[[*values(B, depth)] for B in components]))
        case Data(name):
            for k in SIGNATURES[name] if depth else ():
                for fields in product(*[[*values(B, depth - 1)] for B in k.fields]):
                    yield ConstructorPattern(k.name, fields)
        case _:
            raise AssertionError(A)


def fits(p: Pattern, V: Pattern) -> bool:
    """Whether a pattern matches a value."""
    match p, V:
        case ((AnyPattern() | NamePattern()), _):
            return True
        case LiteralPattern(a), LiteralPattern(b):
            return a == b
        case TuplePattern(ps), TuplePattern(Vs):
            return all(map(fits, ps, Vs))
        case ConstructorPattern(k, ps), ConstructorPattern(j, Vs):
            return k == j and all(map(fits, ps, Vs))
        case _:
            raise AssertionError(p, V)


def all_fit(row: Patterns, Vs: Patterns) -> bool:
    """Whether a row matches values."""
    return all(map(fits, row, Vs))


@st.composite
def patterns(draw: st.DrawFn, A: ValueType, depth: int = 3) -> Pattern:
    """A random pattern for values of a type, without the last literal."""
    kind = draw(st.integers(0, 3))
    if kind == 0 or depth == 0:
        return ANY if draw(st.booleans()) else NamePattern("x")
    match A:
        case Base(name):
            return LiteralPattern(draw(st.sampled_from(LITERALS[name][:-1])))
        case Product(components):
            return TuplePattern(tuple(draw(patterns(B, depth - 1)) for B in components))
        case Data(name):
            k = draw(st.sampled_from(SIGNATURES[name]))
            return ConstructorPattern(k.name, tuple(draw(patterns(B, depth - 1)) for B in k.fields))
        case _:
            raise AssertionError(A)


@st.composite
def matrices(draw: st.DrawFn) -> tuple[tuple[ValueType, ...], list[Patterns]]:
    """Rows of patterns for one, two or three values."""
    types = tuple(draw(st.lists(st.sampled_from(TYPES), min_size=1, max_size=3)))
    rows = st.tuples(*[patterns(A) for A in types])
    return types, draw(st.lists(rows, min_size=1, max_size=6))


def all_values(types: Sequence[ValueType]) -> tuple[list[Patterns], bool]:
    """All values up to a depth, and whether that exceeds the depth of the random patterns."""
    has_trees = any(TREE in (A, *(A.components if isinstance(A, Product) else ())) for A in types)
    depth = 2 if has_trees else 4
    each = [[*values(A, depth)] for A in types]
    found = [*islice(product(*each), _MAX_VALUES)]
    return found, not has_trees and len(found) < _MAX_VALUES


@law(300)
@given(matrices())
def test_missing_patterns_match_no_row(drawn: tuple[tuple[ValueType, ...], list[Patterns]]) -> None:
    """No row matches a value of the witness, and some row does if a part of the witness is left out."""
    types, rows = drawn
    found = coverage(rows, siblings).missing
    Vs, is_all = all_values(types)
    left = [V for V in Vs if not any(all_fit(row, V) for row in rows)]
    if found is None:
        assert not left
        return
    assert left or not is_all
    assert len(found) == len(types)
    assert not any(meets(found, row) for row in rows)
    for less in weaker(found):
        assert any(meets(less, row) for row in rows)


@law(300)
@given(matrices())
def test_a_useless_row_is_never_the_first_to_match(drawn: tuple[tuple[ValueType, ...], list[Patterns]]) -> None:
    """A row is useless if and only if each value that it matches is matched by a row before it."""
    types, rows = drawn
    useless = coverage(rows, siblings).useless
    Vs, is_all = all_values(types)
    reached = {next((n for n, row in enumerate(rows) if all_fit(row, V)), None) for V in Vs}
    assert reached.isdisjoint(useless)
    assert not is_all or {*range(len(rows))} == {*useless} | (reached - {None})
    for n in range(len(rows)):
        alone = coverage([(TuplePattern(row),) for row in rows[: n + 1]], siblings)
        assert (n in useless) == (n in alone.useless)


@law(200)
@given(patterns(TREE), st.lists(patterns(TREE), max_size=5))
def test_adding_the_missing_rows_makes_a_matrix_exhaustive(p: Pattern, others: list[Pattern]) -> None:
    """Adding the missing patterns as rows, one after the other, ends in an exhaustive matrix without useless new rows."""
    rows: list[Patterns] = [(p,), *[(q,) for q in others]]
    before = coverage(rows, siblings)
    for _ in range(400):
        found = coverage(rows, siblings)
        if found.missing is None:
            break
        rows.append(found.missing if not literal_in(found.missing) else (ANY,))
    else:
        raise AssertionError("no end")
    assert found.useless == before.useless


def literal_in(row: Patterns) -> bool:
    """Whether a row has a literal."""
    return any("LiteralPattern" in repr(p) for p in row)


def meets(some: Patterns, others: Patterns) -> bool:
    """Whether some values match two rows."""
    return all(map(_meet, some, others))


def _meet(p: Pattern, q: Pattern) -> bool:
    if isinstance(p, AnyPattern | NamePattern) or isinstance(q, AnyPattern | NamePattern):
        return True
    match p, q:
        case LiteralPattern(a), LiteralPattern(b):
            return a == b
        case TuplePattern(ps), TuplePattern(qs):
            return meets(ps, qs)
        case ConstructorPattern(k, ps), ConstructorPattern(j, qs):
            return k == j and meets(ps, qs)
        case _:
            raise AssertionError(p, q)


def weaker(row: Patterns) -> Iterator[Patterns]:
    """The row with one of its parts replaced by ``_``."""
    for n, p in enumerate(row):
        for q in _weaker(p):
            yield (*row[:n], q, *row[n + 1 :])


def _weaker(p: Pattern) -> Iterator[Pattern]:
    match p:
        case AnyPattern() | NamePattern():
            return
        case LiteralPattern():
            yield ANY
        case TuplePattern(ps):
            yield ANY
            yield from map(TuplePattern, weaker(ps))
        case ConstructorPattern(k, ps):
            yield ANY
            for qs in weaker(ps):
                yield ConstructorPattern(k, qs)


# ------------------------------------------------------------------------------------------------ diagnostics


def diagnostics(text: str) -> list[Diagnostic]:
    """The diagnostics of a text."""
    try:
        loading.declared(text)
    except Rejected as refusal:
        return [*refusal.diagnostics]
    return []


COLOURS = "data Colour = Red | Green | Blue Int\neffect Pick = pick : Colour -> Maybe Float -> Float\n"

WRONG: dict[str, tuple[str, str, str, str]] = {
    "a constructor": (
        "fun f c = match c | Red -> 1 | Green -> 2",
        "match c | Red -> 1 | Green -> 2",
        "`Blue _`",
        "`Blue _ -> …`",
    ),
    "a longer list": (
        "fun f xs = match xs | [] -> 1 | [x] -> x",
        "match xs | [] -> 1 | [x] -> x",
        "`_ :: _ :: _`",
        "`_ :: _ :: _ -> …`",
    ),
    "an inner list": (
        "fun f p = match p | (True, []) -> 1 | (False, _) -> 2",
        "match p | (True, []) -> 1 | (False, _) -> 2",
        "`(True, _ :: _)`",
        "`(True, _ :: _) -> …`",
    ),
    "numbers": ("fun f (n : Int) = match n | 0 -> 1 | 2 -> 3", "match n | 0 -> 1 | 2 -> 3", "`1`", "`_ -> …`"),
    "texts": ('fun f t = match t | "" -> 1 | "b" -> 3', 'match t | "" -> 1 | "b" -> 3', '`"a"`', "`_ -> …`"),
    "inner numbers": ("fun f c = match c | Blue 0 -> 1 | Red -> 2 | Green -> 3", "match c", "`Blue 1`", "`Blue _ -> …`"),
    "a let": ("fun f xs = let [x, y] = xs in x + y", "[x, y]", "`[]`", "match M | [x, y] -> N | [] -> L"),
    "a parameter": ("fun f (Just x) = x", "(Just x)", "`Nothing`", "match M | Just x -> N | Nothing -> L"),
    "a parameter of a thunk": ("let f = {0 -> 1} in f 0", "0", "`1`", "match M | 0 -> N | _ -> L"),
    "a return clause": ("handle 1.0 with { return 2 -> 1 }", "2", "`0`", "use a name here"),
    "a clause": (
        "handler h = return x -> x | <pick Red (Just y) -> k> -> k y",
        "Red",
        "`Green`",
        "use a name here",
    ),
    "a clause's second argument": (
        "handler h = return x -> x | <pick _ (Just y) -> k> -> k y",
        "(Just y)",
        "`Nothing`",
        "use a name here",
    ),
}


@pytest.mark.parametrize("case", WRONG)
def test_missing_branches_are_named(case: str) -> None:
    text, at, missing, hint = WRONG[case]
    (found,) = diagnostics(COLOURS + text)
    assert found.code == "RH521"
    assert found.span is not None
    assert found.span.text.startswith(at.removeprefix("(").removesuffix(")")) or found.span.text.startswith(at)
    assert found.message.endswith(missing)
    assert hint in found.hint


def test_unreachable_branches_are_named() -> None:
    text = "fun f c = match c | Red -> 1 | Blue _ -> 2 | Red -> 3 | Green -> 4 | Blue 1 -> 5 | _ -> 6"
    found = diagnostics(COLOURS + text)
    assert [(d.code, d.span.text if d.span else "") for d in found] == [("RH522", "Red"), ("RH522", "Blue 1"), ("RH522", "_")]


def test_all_diagnostics_of_an_item_are_reported_at_once() -> None:
    text = "fun f c = match c | Red -> (let (x :: _) = [1] in x) | Red -> 2 | Blue n -> if n == 0 then 1 else 2"
    assert [d.code for d in diagnostics(COLOURS + text)] == ["RH521", "RH522", "RH521"]


def test_type_errors_are_reported_before_missing_branches() -> None:
    assert [d.code for d in diagnostics("fun f (x : Float) = match x | [] -> 1.0")] == ["RH102"]


@pytest.mark.parametrize(
    "text",
    [
        "fun f c = match c | Red -> 1 | Green -> 2 | Blue 0 -> 3 | Blue n -> 4",
        "fun f p = let (x, Just y) = (match p | Nothing -> (1, Just 2) | Just q -> (q, Just q)) in x".replace("Just y", "y"),
        "fun f xs ys = match (xs, ys) | ([], _) -> 1 | (_, []) -> 2 | (x :: _, y :: _) -> x + y",
        "fun f (x : Float) = match x | 0 -> 1.0 | -1.5 -> 2.0 | _ -> 3.0",
        "data Only = Only Int (Int, Int)\nfun f (Only x (y, z)) = x + y + z",
        "fun f b = if b then 1 else 2",
        "data Nest = Nest (Maybe Nest)\nfun f n = match n | Nest Nothing -> 0 | Nest (Just m) -> 1",
    ],
)
def test_exhaustive_matches_are_accepted(text: str) -> None:
    assert diagnostics(COLOURS + text) == []


def test_many_branches_are_checked_quickly() -> None:
    """3,000 literals, a list of 300 patterns, and 40 truth values with one constructor in each row."""
    literals = [(LiteralPattern(n),) for n in range(3000)]
    assert coverage(literals, siblings).missing == (LiteralPattern(3000),)
    long: Pattern = ConstructorPattern("Nil", ())
    for _ in range(300):
        long = ConstructorPattern("Cons", (ANY, long))
    assert coverage([(long,), (ANY,)], siblings).useless == ()
    true = ConstructorPattern("True", ())
    diagonal = [tuple(true if n == m else ANY for m in range(40)) for n in range(40)]
    missing = coverage(diagonal, siblings).missing
    assert missing is not None
    assert {pattern(p) for p in missing} == {"False"}


def test_a_checked_program_never_fails_to_match() -> None:
    """Tensor programs fail explicitly in impossible cases."""
    text = 'fun second xs = match xs | _ :: y :: _ -> y | _ -> fail "there are too few"'
    assert isinstance(loading.checked("second [1, 2]", loading.declared(text)).term, core.Apply)
