"""The parser of ``%%eff`` cells and its diagnostics."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from rh_kernel.ad.eff.frontend.parsing_items import chunks, item
from rh_kernel.ad.eff.frontend.surface import (
    Adapted,
    AdaptorExpr,
    Infix,
    LetExpr,
    ListExpr,
    Literal,
    MatchExpr,
    OperationClause,
    ReturnClause,
    Row,
    Sequence,
    ThunkExpr,
    ThunkType,
)
from rh_kernel.ad.eff.frontend.surface_items import DataItem, EffectItem, FunItem, HandlerItem, Item, RunItem
from rh_kernel.ad.eff.frontend.texts import quoted, unquoted
from rh_kernel.ad.eff.loading import parse
from rh_kernel.source.diagnostic import Diagnostic, Rejected
from rh_kernel.source.span import Source, Span
from tests.ad.eff.texts import soup


def read(text: str) -> Item | None:
    """Parse a text as one item."""
    return item(Span(Source("cell", text), 0, len(text)))


def diagnostic(text: str) -> Diagnostic:
    """The diagnostic of a text."""
    with pytest.raises(Rejected) as rejected:
        read(text)
    return rejected.value.diagnostics[0]


@pytest.mark.parametrize(
    ("text", "bracketed"),
    [
        ("f x y", "(f) (x) (y)"),
        ("f x! y", "f (x!) y"),
        ("f @x y", "f (@x) y"),
        ("@x!", "(@x)!"),
        ("x.1!", "(x.1)!"),
        ("-f x", "-(f x)"),
        ("f -2", "f - 2"),
        ("-2 - -2", "(-2) - (-2)"),
        ("- - x", "-(-x)"),
        ("<Smooth> f x + y", "(<Smooth> (f x)) + y"),
        ("-<Smooth> x", "-(<Smooth> x)"),
        ("a + b * c - d", "(a + (b * c)) - d"),
        ("a / b / c", "(a / b) / c"),
        ('a ++ "t" ++ c', '(a ++ "t") ++ c'),
        ("a + b <= c * d", "(a + b) <= (c * d)"),
        ("a < b :: c == d :: e", "(a < b) :: ((c == d) :: e)"),
        ("r := a :: b", "r := (a :: b)"),
        ("r := p @r x; s := y", "(r := (p (@r) x)); (s := y)"),
        ("a; b; c", "a; (b; c)"),
        ("let x = a; b in c; d", "let x = (a; b) in (c; d)"),
        ("if a then b; c else d; e", "(if a then (b; c) else d); e"),
        ("1 + if a then b else c", "1 + (if a then b else c)"),
        ("\\x -> a; b", "\\x -> (a; b)"),
        ("match a | x -> b; c | y -> match d | z -> e | w -> f", "match a | x -> (b; c) | y -> (match d | z -> e | w -> f)"),
        ("handle a; b with h c!; d", "(handle (a; b) with h (c!)); d"),
        ("handle handle a with g with h x", "handle (handle a with g) with h x"),
        ("a ; let x = b in c", "a; (let x = b in c)"),
        ("λ x → x", "\\x -> x"),
        ("a ≤ b", "a <= b"),
    ],
)
def test_precedence(text: str, bracketed: str) -> None:
    assert read(text) == read(bracketed)


def test_thunks_have_parameters_where_an_arrow_follows_patterns() -> None:
    match parse("{x (Paired y _) -> f x}\n{f x}\n{match x | y -> z}\n{\\x -> x}\n{[(a, 1)] -> a}"):
        case (
            RunItem(ThunkExpr((_, _))),
            RunItem(ThunkExpr(())),
            RunItem(ThunkExpr((), MatchExpr())),
            RunItem(ThunkExpr(())),
            RunItem(ThunkExpr((_,))),
        ):
            pass
        case other:
            pytest.fail(str(other))


def test_a_match_in_a_clause_ends_where_the_next_clause_begins() -> None:
    text = "handler h =\n  <op x -> k> -> match x\n    | [] -> k 0\n    | Just y -> k y\n  | <op2 -> _> -> 1\n| return z -> z"
    match read(text):
        case HandlerItem(_, (), clauses):
            first, second, third = clauses.clauses
            assert isinstance(first, OperationClause)
            assert isinstance(first.body, MatchExpr)
            assert len(first.body.branches) == 2
            assert isinstance(second, OperationClause)
            assert second.continuation.text == "_"
            assert isinstance(third, ReturnClause)
        case other:
            pytest.fail(str(other))


def test_declarations() -> None:
    found = parse(
        "data Cont x [e] = Cont x {x -> [e | Smooth x] x}  # a row is a parameter\n"
        "effect Smooth x =\n    ap0 : Nullary -> x\n  | ap1 : Unary -> x -> x\n"
        "fun lift (x : a) (Paired y z) : [Smooth a, Smooth (Paired a)] Paired a = x\n"
        "handler state s =\n    return x -> x\n  | <get -> k> -> k s\n"
    )
    data, effect, function, handler = found
    assert isinstance(data, DataItem)
    assert [p.is_row for p in data.parameters] == [False, True]
    thunk = data.constructors[0].fields[1]
    assert isinstance(thunk, ThunkType)
    assert thunk.computation.row == row("e", "Smooth")
    assert isinstance(effect, EffectItem)
    assert [len(o.domain) for o in effect.operations] == [1, 2]
    assert isinstance(function, FunItem)
    assert [A is not None for _, A in function.parameters] == [True, False]
    assert function.result is not None
    assert function.result.row is not None
    assert len(function.result.row.labels) == 2
    assert isinstance(handler, HandlerItem)
    assert [x.text for x, _ in handler.parameters] == ["s"]


def row(tail: str, effect: str) -> Row:
    """``[tail | effect x]``"""
    found = read(f"data D = D {{[{tail} | {effect} x] x}}")
    assert isinstance(found, DataItem)
    thunk = found.constructors[0].fields[0]
    assert isinstance(thunk, ThunkType)
    assert thunk.computation.row is not None
    return thunk.computation.row


def test_adaptors_name_instances_from_the_outermost_inwards() -> None:
    match read("<Smooth(s a b -> s b), RefState> f x"):
        case RunItem(Adapted((AdaptorExpr(_, (a, b), (c,)), AdaptorExpr(_, None, ())))):
            assert (a.text, b.text, c.text) == ("a", "b", "b")
        case other:
            pytest.fail(str(other))


def test_lines_that_begin_with_a_bar_a_brace_or_a_comment_continue_an_item() -> None:
    text = "handler h =\n  return x -> x\n# said\n| <op -> k> -> {\n}\n\n  k 1\nf x\n%trace f x\n"
    assert [chunk.text.split()[0] for chunk in chunks(Source("cell", text))] == ["handler", "f", "%trace"]


@pytest.mark.parametrize(
    ("text", "code", "place", "hint"),
    [
        ("f (x, y", "RH006", "y", ""),
        ("f x)", "RH007", ")", "no bracket"),
        ("[x, y)", "RH007", ")", ""),
        ("1 +", "RH005", "+", ""),
        ("let x <- 1 in x", "RH004", "<-", "let p = M in N"),
        ("let x := 1 in x", "RH004", ":=", "let p = M in N"),
        ("let x = 1", "RH005", "1", "let p = M in N; to define it for later, declare fun"),
        ("let in = 1 in 2", "RH008", "in", "keyword"),
        ("x = 3", "RH004", "=", "let x = M in N"),
        ("a < b < c", "RH004", "<", "do not chain"),
        ("a > b", "RH004", ">", "y < x"),
        ("a >= b", "RH017", ">=", "y <= x"),
        ("a && b", "RH017", "&&", "if M then N else False"),
        ("x += 1", "RH017", "+=", "r := @r + x"),
        ("x -> y", "RH004", "->", "{x -> M}"),
        ("2 x", "RH004", "x", "product"),
        ("3x", "RH003", "3x", ""),
        ("1e400", "RH003", "1e400", "largest"),
        ('"open', "RH002", '"open', "text ends"),
        ('"\\q"', "RH004", "\\q", "twice"),
        ("f ? x", "RH001", "?", ""),
        ("a; b;", "RH005", ";", "last"),
        ("(a; )", "RH004", ")", "last"),
        ("match x with | y -> z", "RH004", "with", "match M | p"),
        ("match x", "RH005", "x", "match M | p"),
        ("handle x", "RH005", "x", "handle M with h"),
        ("handle x with Evaluate", "RH008", "Evaluate", "lower-case letter"),
        ("if x then y", "RH005", "y", "if M then N else L"),
        ("handler h = <op x> -> x", "RH004", ">", "<op x y -> k> -> M"),
        ("handler h = op x -> x", "RH004", "op", "return x -> M"),
        ("data paired x = Paired x x", "RH008", "paired", "capital"),
        ("data D = D [e]", "RH004", "[", "in brackets"),
        ("effect Smooth x = Ap0 : x", "RH008", "Ap0", ""),
        ("fun f (g : a -> b) = g", "RH004", "->", ""),
        ("fun f x : A -> [E] B -> C = x", "RH004", "->", "final result"),
        ("fun F x = x", "RH008", "F", ""),
        ("fun f x", "RH005", "x", "fun f x (y : A) : [E] B = M"),
        ("<Smooth(s a b -> t b)> x", "RH004", "t", "adaptor"),
        ("<smooth> x", "RH008", "smooth", ""),
        ("x.3", "RH004", ".3", "let (x, y)"),
        ("%run f x", "RH004", "run", "%%rh"),
        ("f YOUR_CODE_HERE", "RH020", "YOUR_CODE_HERE", ""),
        ("f {-> x}", "RH004", "->", ""),
        ("return x", "RH004", "return", "last value"),
        ("f let x = 1 in x", "RH004", "let", ""),
        ("1.", "RH004", ".", "both sides of the point"),
        ("f .5", "RH004", ".5", "two sides"),
        ("1 + .5", "RH004", ".5", "both sides of the point"),
        ('print "a\\qb"', "RH004", "\\q", "twice"),
        ('print "a\\n\\q', "RH002", '"a\\n\\q', "on its line"),
        ("g -1 2", "RH004", "2", "stands in brackets"),
        ("2 - 1 2", "RH004", "2", "a product"),
        ('"a" "b"', "RH004", '"b"', "concatenate texts"),
    ],
)
def test_syntax_errors_are_reported_at_their_spans(text: str, code: str, place: str, hint: str) -> None:
    found = diagnostic(text)
    assert found.span is not None
    assert (found.code, found.span.text) == (code, place)
    assert hint in found.hint
    assert found.hint or found.expected or found.fix


def test_quick_fix_that_indents_the_line_after_an_item() -> None:
    source = Source("cell", "fun f x =\nf x\n")
    with pytest.raises(Rejected) as rejected:
        item(next(iter(chunks(source))))
    fix = rejected.value.diagnostics[0].fix
    assert fix is not None
    mended = source.text[: fix.span.start] + fix.text + source.text[fix.span.end :]
    assert isinstance(read(mended), FunItem)


def test_long_chains_of_lets_statements_operators_and_elements() -> None:
    count = 10_000
    found = read("let x = 1 in\n " * count + "x")
    assert isinstance(found, RunItem)
    assert isinstance(found.expression, LetExpr)
    found = read("f x;\n " * count + "x")
    assert isinstance(found, RunItem)
    assert isinstance(found.expression, Sequence)
    for sign in ("+", "::", "++"):
        found = read(f"x {sign} " * count + "x")
        assert isinstance(found, RunItem)
        assert isinstance(found.expression, Infix)
    found = read(f"[{', '.join(['1'] * count)}]")
    assert isinstance(found, RunItem)
    assert isinstance(found.expression, ListExpr)
    assert len(found.expression.items) == count


@pytest.mark.parametrize(
    "text",
    [
        "(" * 300 + "x" + ")" * 300,
        "{" * 300 + "x" + "}" * 300,
        "x" + "!" * 300,
        "@" * 300 + "x",
        "-" * 300 + "x",
        "f (" * 300 + "x" + ")" * 300,
        "if x then y else " * 300 + "z",
        "match x | y -> " * 300 + "z",
        "\\x -> " * 300 + "z",
        "fun f " + "(" * 300 + "x" + ")" * 300 + " = x",
        "data D = D " + "{" * 300 + "x" + "}" * 300,
    ],
)
def test_nesting_has_a_limit(text: str) -> None:
    assert diagnostic(text).code == "RH016"


@given(st.text())
def test_quoting_a_text_and_parsing_it_again(text: str) -> None:
    assert unquoted(quoted(text)) == text
    match read(quoted(text)):
        case RunItem(Literal(value)):
            assert value == text
        case other:
            pytest.fail(str(other))


@given(soup())
def test_every_text_is_parsed_or_rejected(text: str) -> None:
    for chunk in chunks(Source("cell", text)):
        try:
            found = item(chunk)
        except Rejected as rejected:
            for diagnostic in rejected.diagnostics:
                assert diagnostic.message
                assert diagnostic.span is not None
                assert chunk.start <= diagnostic.span.start <= diagnostic.span.end <= chunk.end
        else:
            assert found is None or (chunk.start <= found.span.start <= found.span.end <= chunk.end)


def test_a_number_without_a_point_is_an_int() -> None:
    found = [read(text) for text in ("2", "2.0", "-2", "2e0")]
    values = [i.expression.value for i in found if isinstance(i, RunItem) and isinstance(i.expression, Literal)]
    assert [(type(value), value) for value in values] == [(int, 2), (float, 2.0), (int, -2), (float, 2.0)]
