"""Parsing inverts writing, whatever the spelling; and every slip is told where it is."""

import inspect
import re

import pytest
from hypothesis import assume, given
from hypothesis import strategies as st

from rh_kernel.source.diagnostic import Diagnostic, Rejected
from rh_kernel.source.span import Source
from rh_kernel.syntax import errors
from rh_kernel.syntax.parsing.parser import Unparsed, completeness, parse, parse_expression
from rh_kernel.syntax.parsing.tokens import KEYWORDS, PYTHON
from rh_kernel.syntax.surface import Apply, Binary, BinaryOperator, Expr, LetExpr, Number, Var, spine
from rh_kernel.syntax.surface_items import Directive, Evaluation, Initial, Item, LocDeclaration, NetDeclaration, TrainItem
from tests.syntax.surface_programs import written_expressions, written_items
from tests.tiers import law

EXAMPLE = """\
dim  n_hid = 3                                   # a named number, usable in types
const t : Real(1) = [0.5]                        # a named closed value
loc  w0 : Real(n_hid, 2) = normal(0.5, seed=1)   # a location and its initial content
fun  sq(x : Real(n)) : Real(n) = x * x           # a function symbol
op   FC[l : Loc(m, n)] : Real(n) -> Real(m)      # a family of operation symbols
net  mlp(x : Real(2)) : Real(1) =
  let z <= FC[w0](x) in
  let h <= return swish(z) in
  FC[w1](h)

handler sgd(alpha : Real, t : Real(k)) : rev handler(Real(k)) = {
  return x -> return alpha * (x - t)
  FC[l](x) -> let w <= Get[l]() in return (w @ x, (w, x))
    | y, z -> let (w, x) <- z in
              let _ <= Put[l](w - outer(y, x)) in
              return w^T @ y
}
train rev handle (x) <u>. mlp(u) with sgd(0.1, t)
  for (x, t) in data("xor") epochs 200 batch 4 shuffle 0
  measure let y <= handle mlp(x) with infer in return dot(y - t, y - t)
%trace rev handle (v) <x>. mlp(x) with sgd(0.1, [1.0])
%save "my file.npz"   # and a comment
"""


def expr(text: str) -> Expr:
    return parse_expression(Source("test", text))


def unparsed(text: str) -> Unparsed:
    [item] = [item for item in parse(Source("test", text)) if isinstance(item, Unparsed)]
    return item


@given(written_expressions())
def test_parse_inverts_write_on_expressions(written: tuple[str, Expr]) -> None:
    text, M = written
    assert expr(text) == M


@given(written_items())
@law(150)
def test_parse_inverts_write_on_items(written: tuple[str, Item]) -> None:
    text, item = written
    assert parse(Source("test", text)) == (item,)


@given(st.lists(written_items(), max_size=4))
@law(30)
def test_items_are_parsed_one_by_one(written: list[tuple[str, Item]]) -> None:
    text = "\n".join(text for text, _ in written)
    assert parse(Source("test", text)) == tuple(item for _, item in written)


@given(st.lists(written_items(), max_size=2), st.text())
@law(50)
def test_from_python_on_nothing_is_read(written: list[tuple[str, Item]], python: str) -> None:
    text = "".join(f"{text}\n" for text, _ in written)
    *before, last = parse(Source("test", f"{text}%%python\n{python}"))
    assert before == [item for _, item in written]
    assert isinstance(last, Unparsed)
    assert [d.code for d in last.diagnostics] == ["RH019"]


@given(written_items())
@law(30)
def test_the_span_of_an_item_is_its_text(written: tuple[str, Item]) -> None:
    text, _ = written
    [item] = parse(Source("test", f"# before\n{text}\n\n# after\n"))
    assert not isinstance(item, Unparsed)
    assert item.span.text == text


@given(written_expressions())
@law(50)
def test_what_stands_at_a_span_is_the_node(written: tuple[str, Expr]) -> None:
    text, _ = written
    for node in subexpressions(expr(text)):
        assert expr(node.span.text) == node


def subexpressions(M: Expr) -> list[Expr]:
    """The operands of the nodes whose parts are plain expressions."""
    match M:
        case Binary(_, L, N):
            return [M, *subexpressions(L), *subexpressions(N)]
        case LetExpr(_, _, L, N):
            return [M, *subexpressions(L), *subexpressions(N)]
        case Apply(_, (), arguments):
            return [M, *(N for argument in arguments for N in subexpressions(argument))]
        case _:
            return [M]


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ("a + b * c", "a + (b * c)"),
        ("a - b - c", "(a - b) - c"),
        ("a / b * c @ d", "((a / b) * c) @ d"),
        ("a // b + c", "(a // b) + c"),
        ("-a * b", "(-a) * b"),
        ("-a.1", "-(a.1)"),
        ("-w^T @ y", "(-(w^T)) @ y"),
        ("x.1.2", "proj_2(proj_1(x))"),
        ("proj_1(x, y)", "(x, y).1"),
        ("f(x).1^T", "((f(x)).1)ᵀ"),
        ("w.rd(x. x + x)(v).1", "(w.rd(x. (x + x))((v))).1"),
        ("w.rd(x. x)(u, v)", "w.rd(x. x)((u, v))"),
        ("let x <- a in x + 1", "let x ← a in (x + 1)"),
        ("let x <= P() in let y <= Q() in x", "let x ⇐ P() in (let y ⇐ Q() in x)"),
        ("let x <- let y <- a in y in x", "let x <- (let y <- a in y) in x"),
        ("return a + b", "⌊a + b⌋"),
        ("1 + let x <- a in x + 1", "1 + (let x <- a in (x + 1))"),
        ("k • x + 1", "k • (x + 1)"),
        ("handle handle P() with h with k", "handle (handle P() with h) with k"),
        ("rev handle (a, b) <x, (y, z)>. x with h", "rev handle ⟨a, b⟩ ⟨x, ⟨y, z⟩⟩. (x) with h"),
        ("rev handle () <>. P() with h", "rev handle ⟨⟩ ⟨⟩. P() with h"),
        ("let () <- x in y", "let _ <- x in y"),
        ("é", "e\u0301"),
        ("a × b ⋅ c − d", "a * b · c - d"),
        ("f(a)", "f (a)"),
    ],
)
def test_two_ways_to_say_the_same(one: str, other: str) -> None:
    assert expr(one) == expr(other)


@pytest.mark.parametrize(("one", "other"), [("x₀", "x0"), ("f(a, b).1", "f((a, b).1)"), ("f((a, b))", "f(a, b)"), ("0", "0.0")])
def test_two_things_to_say(one: str, other: str) -> None:
    assert expr(one) != expr(other)


def test_the_example_of_the_reference_is_read() -> None:
    items = parse(Source("test", EXAMPLE))
    assert not [item for item in items if isinstance(item, Unparsed)]
    assert [type(item).__name__.removesuffix("Declaration") for item in items] == [
        *("Dim", "Const", "Loc", "Fun", "Op", "Net", "Handler", "TrainItem", "Directive", "Directive")
    ]
    assert isinstance(items[-1], Directive)
    assert items[-1].words == ("my file.npz",)


@pytest.mark.parametrize("item", [item for item in re.split(r"\n(?=\S)(?!\})", EXAMPLE) if item])
def test_windows_line_ends_say_the_same(item: str) -> None:
    assert parse(Source("test", item.replace("\n", "\r\n"))) == parse(Source("test", item))


def test_a_call_with_a_named_argument_is_an_initial_content() -> None:
    [misspelt, literal] = parse(Source("test", "loc w : Real(2) = nromal(0.5, seed=1)\nloc v : Real(2) = f(0.5)"))
    assert isinstance(misspelt, LocDeclaration)
    assert isinstance(misspelt.initial, Initial)
    assert isinstance(literal, LocDeclaration)
    assert isinstance(literal.initial, Apply)


def test_the_options_of_training_come_in_any_order() -> None:
    train = 'train f(x) for x in data("a")'
    [one] = parse(Source("test", f'{train} epochs 2 batch 3 pieces 2 shuffle 4 measure g(x) measure h(x) on data("b")'))
    [other] = parse(Source("test", f'{train} measure g(x) shuffle 4 measure h(x) on data("b") pieces 2 batch 3 epochs 2'))
    assert isinstance(one, TrainItem)
    assert one == other


def test_words_of_training_are_names_elsewhere() -> None:
    words = ["for", "epochs", "batch", "pieces", "shuffle", "measure", "on", "as", "data"]
    assert [expr(word) for word in words] == [Var(word, span=expr(word).span) for word in words]


def test_a_chain_of_lets_is_as_long_as_it_likes() -> None:
    M = expr("let x <= Op(x) in\n" * 5_000 + "x")
    length = 0
    while isinstance(M, LetExpr):
        length, M = length + 1, M.body
    assert length == 5_000
    assert Var("x", span=M.span) == M


NESTINGS = [
    *[("(", ")"), ("⟨", "⟩"), ("f(", ")"), ("f[", "](x)"), ("1 * (", ")"), ("-(", ")"), ("[", "]"), ("⌊", "⌋")],
    *[
        ("let x <- ", " in x"),
        ("let x <= return ", " in x"),
        ("w.rd(x. ", ")(v)"),
        ("w.rd(x. x)(", ")"),
        ("k • ", ""),
        ("-", ""),
    ],
    *[("rev handle (", ") <x>. P() with h"), ("rev handle (x) <x>. ", " with h"), ("handle ", " with h")],
    *[("handle P() with { return x -> ", "}"), ("handle P() with h(", ")"), ("return ", "")],
]


@pytest.mark.parametrize(("opening", "closing"), NESTINGS)
def test_nesting_has_a_limit_that_is_told(opening: str, closing: str) -> None:
    def nested(depth: int) -> Expr:
        return expr(opening * depth + "1" + closing * depth)

    nested(40)
    with pytest.raises(Rejected) as rejected:
        nested(5000)
    assert rejected.value.diagnostics[0].code == errors.TooDeep.code


@pytest.mark.parametrize("sign", ["+", "-", "*", "@"])
def test_operators_in_a_row_have_no_limit(sign: str) -> None:
    count = 10_000
    written = expr(f" {sign} ".join(["x"] * count))
    assert isinstance(written, Binary)
    found = spine(written, frozenset(BinaryOperator))
    assert len(found) == count - 1
    assert all(isinstance(each.right, Var) for each in found)


def test_patterns_and_types_have_the_limit_too() -> None:
    many = 5000
    assert unparsed("let " + "(" * many + "x" + ")" * many + " <- 1 in x").diagnostics[0].code == errors.TooDeep.code
    assert unparsed("const x : " + "(" * many + "1" + ")" * many + " = 1").diagnostics[0].code == errors.TooDeep.code
    assert unparsed("x" + ".1" * many).diagnostics[0].code == errors.TooDeep.code


SLIPS = [
    # text, code, what is underlined, a word of the hint
    ("let x = 1 in x", "RH009", "=", "let x <- M in N"),
    ("let x := 1 in x", "RH009", ":=", "let x <- M in N"),
    ("let x -> 1 in x", "RH009", "->", "let x <- M in N"),
    ("let x == 1 in x", "RH009", "==", "let x <- M in N"),
    ("let x : Real <- 1 in x", "RH004", ":", "no type"),
    ("let x, y <- z in x", "RH004", ",", "brackets"),
    ("let f(x) <- x in f", "RH004", "(", "fun"),
    ("let (x, y <- z in x", "RH006", "<-", ")"),
    ("let x <- 1 let y <- 2 in x", "RH010", "let", "let x <- M in N"),
    ("let x <- 1", "RH010", "1", ""),
    ("let x <- 1\n  x + 1", "RH010", "x", ""),
    ("let x <- f x in x", "RH004", "x", "f(x)"),
    ("let y <- f(x in y", "RH006", "in", ")"),
    ("let x <- 1 in", "RH005", "in", ""),
    ("f((x, y]", "RH007", "]", ""),
    ("f(x y)", "RH004", "y", "commas"),
    ("f(x,)", "RH004", ")", "comma"),
    ("x)", "RH007", ")", "no bracket"),
    ("const W = [\n  [1, 2]\n]", "RH006", "]", "indent"),
    ("handler h = { FC[l](x) -> return (x, x) }", "RH013", "FC", "| y, z -> Q"),
    ("handler h = { return x -> x | y, z -> y }", "RH004", "|", "no backward part"),
    ("handler h = { return x => x }", "RH009", "=>", "->"),
    ("handler h = { return x -> x", "RH006", "x", "}"),
    ("handler h = { return x -> x )", "RH007", ")", ""),
    ("handler h = { FC[l] -> x }", "RH004", "->", "Op(x)"),
    ("handler h = { FC[l](x) -> x | y -> x }", "RH004", "->", "| y, z -> Q"),
    ("handler h = { FC[2](x) -> x | y, z -> x }", "RH008", "2", "letter"),
    ("handler h : rev handler Real = { }", "RH004", "Real", "rev handler(C)"),
    ("handler h : Real = { }", "RH004", "=", "C => D"),
    ("handler h = sgd", "RH004", "sgd", "braces"),
    ("rev handle (v) <x>. mlp(x)", "RH011", ")", "with sgd(0.1, t)"),
    ("handle mlp(x)", "RH011", ")", "with sgd(0.1, t)"),
    ("rev handle (v) <x> mlp(x) with sgd", "RH012", "mlp", "<x>. P"),
    ("rev handle (v) <x>.1 with sgd", "RH012", ".1", "space"),
    ("rev handle v <x>. mlp(x) with sgd", "RH004", "v", "round brackets"),
    ("rev handle (v) x. mlp(x) with sgd", "RH004", "x", "rev handle (M)"),
    ("rev handler (v) <x>. mlp(x) with sgd", "RH004", "handler", "type"),
    ("let in <- 1 in in", "RH008", "in", "another name"),
    ("let 1 <- 1 in 2", "RH008", "1", "letter"),
    ("const t = .5", "RH003", ".5", "0.5"),
    ("const t = 1.", "RH003", "1.", "1.0"),
    ("const t = 0.5.", "RH003", "0.5.", "`0.5`"),
    ("const t = 1e5.", "RH003", "1e5.", "`1e5`"),
    ("const t = 1.2.3", "RH003", "1.2.3", "point"),
    ("const t = 2x", "RH003", "2x", "2 * x"),
    ("const t = 1_000", "RH003", "1_000", "1000"),
    ("const t = 0x1F", "RH003", "0x1F", "31"),
    ("const t = 0b101", "RH003", "0b101", "5"),
    ("const t = 1e999", "RH003", "1e999", "largest"),
    ("const t = [x, y]", "RH004", "x", "(x, y)"),
    ("const t : real = 1", "RH004", "real", "Real"),
    ("const t : () = 1", "RH004", ")", "1"),
    ("const t <- 1", "RH004", "<-", "="),
    ('loc w : Real(2) = load("w.npy)', "RH002", '"w.npy)', 'ends with "'),
    ("loc w : Real(2) = load('w.npy')", "RH001", "'", "double"),
    ("loc w : Real(2) = normal(seed=1, 0.5)", "RH004", "0.5", "last"),
    ("fun f(x) = x", "RH004", ")", "x : Real(n)"),
    ("fun f(x : Real) = x with rd(w x) = w", "RH004", "x", "cotangent"),
    ("op FC(x : Real) -> Real", "RH004", "(", "A -> B"),
    ("net mlp x = x", "RH004", "x", "brackets"),
    ("nett mlp(x : Real) = return x", "RH015", "nett", "`net`"),
    ("Handler h = { }", "RH015", "Handler", "`handler`"),
    ("def f(x) = x", "RH015", "def", "`fun`"),
    ("lambda x: x", "RH017", "lambda", "fun f"),
    ("f(lambda x: x)", "RH017", "lambda", "fun f"),
    ("if x then y else z", "RH004", "then", "compares two numbers"),
    ("print x", "RH017", "print", "shows"),
    ("x == y", "RH017", "==", "same_argmax"),
    ("x ** 2", "RH017", "**", "square"),
    ("x += 1", "RH017", "+=", "Put"),
    ("x <= y", "RH004", "<=", "let x <= P"),
    ("x < y", "RH004", "<", "comparison"),
    ("x > y", "RH004", ">", "comparison"),
    ("net f(x : Real) =\nlet y <= Op(x) in y", "RH005", "=", "indent"),
    ("let x <- 1\nin x", "RH010", "1", "indent"),
    ("rev handle (v) <x>. mlp(x)\nwith sgd", "RH011", ")", "indent"),
    ("x² + 1", "RH001", "²", "square"),
    ("x^2", "RH001", "^", "square"),
    ("let x ← 1 in\tx", "RH001", "\t", "spaces"),
    ("let x ← 1 in\u00a0x", "RH001", "\u00a0", "by a space"),
    ("w.T", "RH004", "T", "wᵀ"),
    ("x.0", "RH004", ".0", "from 1"),
    ("proj_0(x)", "RH004", "proj_0", "from 1"),
    ("x = 3", "RH004", "=", "const x"),
    ("in x", "RH004", "in", "indent"),
    ("]", "RH007", "]", "indent"),
    ("}", "RH007", "}", "no bracket"),
    ("  dim n = 3", "RH014", "dim", "first column"),
    ("// a comment", "RH004", "//", "#"),
    ("rd(x. N)(V)", "RH004", "rd", "W.rd(x. N)(V)"),
    ("Get[w0]", "RH005", "]", "Get[…](x)"),
    ("%%python", "RH019", "%%python", "separate cell"),
    ("%trace", "RH005", "trace", ""),
    ('train f(x) for x in data("xor") epoch 3', "RH004", "epoch", "`epochs`"),
    ('train f(x) for x in data("xor") epochs 3 epochs 4', "RH018", "epochs", "one"),
    ("train f(x) for x in xor", "RH004", "xor", 'data("xor")'),
]


@pytest.mark.parametrize(("text", "code", "underlined", "hint"), SLIPS, ids=[slip[0] for slip in SLIPS])
def test_a_slip_is_told_where_it_is(text: str, code: str, underlined: str, hint: str) -> None:
    diagnostic = next(item for item in parse(Source("test", text)) if isinstance(item, Unparsed)).diagnostics[0]
    assert (diagnostic.code, diagnostic.span and diagnostic.span.text) == (code, underlined)
    fix = diagnostic.fix
    assert hint in (f"{diagnostic.hint} {fix.words}" if fix is not None else diagnostic.hint)
    if fix is not None and diagnostic.span is not None:
        mended = Source("test", text[: fix.span.start] + fix.text + text[fix.span.end :])
        left = [(d.code, d.span and d.span.start) for i in parse(mended) if isinstance(i, Unparsed) for d in i.diagnostics]
        assert (code, diagnostic.span.start) not in left


WRITES = ["Put[l](x)", "Put[l](w - a * outer(y, x))", "Put[l](\n    f(x)\n  )"]
AFTER = ["return w^T @ y", "let _ <= Put[b](y) in return y", "Get[l]()", "k • x", "rev handle (y) <z>. return z with h"]
AROUND = [
    "net f(x : Real) = {}",
    "let w <= Get[l]() in {}",
    "handler h = {{\n  return x -> {}\n  Op(x), k -> k • x\n}}",
    "handler h = {{ Op[l](x) -> {} | y, z -> return y ; return x -> return x }}",
    "handler h = {{\n  Op[l](x) -> return (x, x) | y, z -> {}\n  return x -> return x\n}}",
]


@given(
    st.sampled_from(WRITES),
    st.sampled_from(AFTER),
    st.sampled_from(AROUND),
    st.sampled_from([" in ", ";", " ; ", ";\n  ", "\n  "]),
)
def test_a_write_without_its_let_is_told_so_and_gets_one(write: str, after: str, around: str, sign: str) -> None:
    assume(sign.strip() or after.startswith(("return", "let", "rev")))
    text = around.format(f"{write}{sign}{after}")
    [diagnostic] = unparsed(text).diagnostics
    assert "let _ <= Put[l](M) in P" in diagnostic.hint
    fix = diagnostic.fix
    assert fix is not None
    mended = text[: fix.span.start] + fix.text + text[fix.span.end :]
    assert meaning(mended) == meaning(around.format(f"let _ <= {write} in {after}"))


def meaning(text: str) -> list[str]:
    """The text without its blanks, after it was seen that it is an item."""
    assert codes(text) == [None]
    return text.split()


@given(st.sampled_from(WRITES), st.sampled_from(["\n  ", " ; ", ";\n  "]))
def test_a_write_may_end_a_clause(write: str, sign: str) -> None:
    heads = ["return x -> ", "Op[l](x), k -> ", "Other((x, y)), k -> ", "Last(), k -> "]
    assert codes(f"handler h = {{ {sign.join(head + write for head in heads)}{sign.rstrip()} }}") == [None]
    assert codes(f"handler h = {{ Op[l](x) -> {write} | y, z -> {write}{sign}return x -> return x }}") == [None]


@pytest.mark.parametrize("text", ["let x <- 3;\nx", "let x <- 3 ;\n  x", "let x <- 3;x", "let x <- 3; in x", "let x <- 3;in x"])
def test_a_let_that_ends_with_a_semicolon_needs_an_in(text: str) -> None:
    fix = unparsed(text).diagnostics[0].fix
    assert fix is not None
    assert (text[: fix.span.start] + fix.text + text[fix.span.end :]).split()[:5] == ["let", "x", "<-", "3", "in"]


def test_below_a_magic_of_ipython_nothing_is_ours() -> None:
    [bad] = parse(Source("test", "%%bash\nls | wc\nx )\n"))
    assert isinstance(bad, Unparsed)
    assert [d.code for d in bad.diagnostics] == ["RH017"]


def test_an_unclosed_bracket_points_to_where_it_was_opened() -> None:
    [note] = unparsed("let y <- f(g(1), (2, 3) in y").diagnostics[0].notes
    assert (note.span.start, note.span.text) == (10, "(")


DIAGNOSTICS = [d for _, d in inspect.getmembers(errors, inspect.isclass) if issubclass(d, Diagnostic) and d is not Diagnostic]


@pytest.mark.parametrize("diagnostic", DIAGNOSTICS, ids=lambda d: d.code)
def test_the_docstring_of_a_diagnostic_is_a_text_that_has_it(diagnostic: type[Diagnostic]) -> None:
    example = re.match(r"``(.*?)``", diagnostic.__doc__ or "")
    assert example is not None
    text = example[1].replace("␣", " ").replace("((((…))))", "(" * 201 + "x" + ")" * 201)
    assert type(unparsed(text).diagnostics[0]) is diagnostic


def test_codes_of_diagnostics_are_distinct() -> None:
    codes = [d.code for d in DIAGNOSTICS]
    assert sorted(codes) == [f"RH{i:03}" for i in range(1, len(codes) + 1)]


def codes(text: str) -> list[str | None]:
    return [item.diagnostics[0].code if isinstance(item, Unparsed) else None for item in parse(Source("test", text))]


# What is indented or closes goes with what stands above it, and below the first line of a Python cell nothing is ours.
STANDING_ALONE = [slip[0] for slip in SLIPS if slip[0][0] not in " }" and not slip[0].startswith(PYTHON)]


@given(st.lists(written_items().map(lambda w: w[0]) | st.sampled_from(STANDING_ALONE), max_size=4))
@law(50)
def test_one_bad_item_never_hides_the_next(texts: list[str]) -> None:
    assert codes("\n".join(texts)) == [code for text in texts for code in codes(text)]


@pytest.mark.parametrize(
    ("text", "name"),
    [
        ("net mlp(x : Real) = FC[", "mlp"),
        ("handler h", "h"),
        ("loc w0 : Reall = 1", "w0"),
        ("nett mlp(x : Real) = x", "mlp"),
        ("let x = 1 in x", None),
        ("dim = 3", None),
        ("# first\nconst t : = 1", "t"),
    ],
)
def test_a_bad_item_tells_what_it_would_have_declared(text: str, name: str | None) -> None:
    assert unparsed(text).declares == name


FRAGMENTS = [
    *"()[]{}<>⟨⟩⌊⌋,;:=|.+-*/@·•×←⇐→⇒ᵀ%#\"'\\\t\u00a0\u200b²٣\ud800 \n",
    *sorted(KEYWORDS),
    *("for", "epochs", "data", "x", "FC", "proj_1", "Real", "Loc", "<-", "<=", "->", "=>", "==", "//", "^T", ".1", ".rd("),
    *("1", "0.5", "1e-3", '"xor"', "\n  ", "%trace ", "%save ", "\r\n"),
]
fragments = st.lists(st.sampled_from(FRAGMENTS), max_size=40)


def assert_told(text: str) -> None:
    for item in parse(Source("test", text)):
        if isinstance(item, Unparsed):
            assert item.span.text
            for d in item.diagnostics:
                assert d.code in {known.code for known in DIAGNOSTICS}
                assert "\n" not in d.message + d.hint
                assert d.span is not None
                assert item.span.start <= d.span.start < d.span.end <= item.span.end
    assert completeness(text)[0] in {"complete", "incomplete", "invalid"}


@given(st.text(max_size=60) | fragments.map(" ".join) | fragments.map("".join))
@law(300)
def test_any_text_is_parsed_or_told(text: str) -> None:
    assert_told(text)


@given(st.sampled_from([EXAMPLE, *re.split(r"\n(?=\S)(?!\})", EXAMPLE)]), st.data())
@law(200)
def test_a_mutated_program_is_parsed_or_told(text: str, data: st.DataObject) -> None:
    for _ in range(data.draw(st.integers(1, 3))):
        start = data.draw(st.integers(0, len(text)))
        end = data.draw(st.integers(start, min(start + 12, len(text))))
        text = text[:start] + data.draw(st.just("") | st.sampled_from(FRAGMENTS)) + text[end:]
    assert_told(text)


@pytest.mark.parametrize("text", ["", "x y", "let", "(" * 3000, "1 +", "\ud800", "x = 1"])
def test_an_expression_is_parsed_or_rejected(text: str) -> None:
    with pytest.raises(Rejected):
        expr(text)


def test_an_expression_may_begin_anywhere() -> None:
    [item] = parse(Source("test", "f(x,\n  1)"))
    assert isinstance(item, Evaluation)
    assert expr("\n   f(x,\n1)  # done\n") == item.expression


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("", ("complete", "")),
        ("# nothing", ("complete", "")),
        ("dim n = 3", ("complete", "")),
        ("%trace f(x)", ("complete", "")),
        ("%heap", ("complete", "")),
        ("let x <- 1 in", ("incomplete", "  ")),
        ("let x <-", ("incomplete", "  ")),
        ("let x <= # why", ("incomplete", "  ")),
        ("let x <- 1", ("incomplete", "  ")),
        ("dim n =", ("incomplete", "  ")),
        ("f(x,", ("incomplete", "  ")),
        ("handler h = {", ("incomplete", "  ")),
        ("handler h = {\n  return x ->", ("incomplete", "      ")),
        ("handler h = {\n  return x -> x", ("incomplete", "  ")),
        ("handler h = {\n  return x -> x\n  FC[l](x) -> x", ("incomplete", "    ")),
        ("handler h = {\n  FC[l](x) -> x\n    | y, z -> let w <- y in", ("incomplete", " " * 14)),
        ("handle P", ("incomplete", "  ")),
        ("(rev handle (x) <y>. P with H) +", ("incomplete", "  ")),
        ("return (rev handle (x) <y>.", ("incomplete", " " * 10)),
        ("let x <- let y <- 1", ("incomplete", " " * 9)),
        ("f(x, y", ("incomplete", "  ")),
        ("[[1, 2],\n [3, 4]", ("incomplete", "  ")),
        ("dim n = 3  # done\n# and more", ("complete", "")),
        ("net f(x : Real) =\n  let y <= Op(x) in", ("incomplete", "  ")),
        ("rev handle (v) <x>.", ("incomplete", "  ")),
        ("dim n = 3\nnet f(x : Real) =", ("incomplete", "  ")),
        ("%trace", ("incomplete", "  ")),
        ("let x = 1 in x", ("invalid", "")),
        ("f(x]", ("invalid", "")),
        ("f(x,\ndim n = 3", ("invalid", "")),
        ("let = 1\nf(x,", ("invalid", "")),
        (" dim n = 3", ("invalid", "")),
        ("check ⟨", ("incomplete", "  ")),
        ("check ⟨1,", ("incomplete", "       ")),
        ("check ⌊", ("incomplete", "  ")),
    ],
)
def test_completeness(text: str, expected: tuple[str, str]) -> None:
    assert completeness(text) == expected


@given(written_items())
@law(30)
def test_no_beginning_of_an_item_is_invalid(written: tuple[str, Item]) -> None:
    """Cut between two words, an item is complete or can be completed; unless the cut made a bad token."""
    text, _ = written
    cut = text.rfind(" ", 0, len(text) // 2)
    beginning = text[: max(cut, 0)]
    told = [item for item in parse(Source("test", beginning)) if isinstance(item, Unparsed)]
    bad = {errors.UnterminatedString.code, errors.MalformedNumber.code}
    # Before its sign is there, `check [` may as well begin `check[2](x)`, of something that is called check.
    words = re.sub("#.*", " ", beginning).replace("[", " [ ").split()
    if words[:2] != ["check", "["] and not any(d.code in bad for item in told for d in item.diagnostics):
        assert completeness(beginning)[0] in {"complete", "incomplete"}


def test_numbers_keep_what_was_written() -> None:
    assert [expr(text) for text in ("1.50", "1e3")] == [Number("1.50", span=expr("1").span), Number("1e3", span=expr("1").span)]


def test_a_result_type_may_be_left_out() -> None:
    [item] = parse(Source("test", "net f(x : Real(2)) = return x"))
    assert isinstance(item, NetDeclaration)
    assert item.result is None
