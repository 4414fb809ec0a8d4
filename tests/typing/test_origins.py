"""The notes of diagnostics about types: where each of the two types comes from, the nearest cause first."""

import pytest

from rh_kernel.display.diagnostics import text as shown
from rh_kernel.typing.derivation.rules import TypingRule
from tests.typing.cells import run, wrong

OP = "op FC[l : Loc(m, n)] : Real(n) -> Real(m)\n"
SGD = (
    "handler sgd(alpha : Real, t : Real(k)) : rev handler(Real(k)) = { return x -> return alpha * (x - t)\n"
    "  FC[l](x) -> let w <= Get[l]() in return (w @ x, w) | y, w -> return w^T @ y }\n"
)

STORIES: list[tuple[str, list[tuple[str, str]]]] = [
    # a name is explained by its binder, anything else by its type and then by the names in it
    ("let x <- [1, 2] in x + [1, 2, 3]", [("x", "`x : Real(2)` is bound here"), ("[1, 2, 3]", "this is Real(3)")]),
    ("let x <- [1, 2] in let x <- [1] in x @ x", [("x", "`x : Real(1)` is bound here")]),
    (
        "let x <- [1, 2] in -x + [1]",
        [("-x", "this is Real(2)"), ("[1]", "this is Real(1)"), ("x", "`x : Real(2)` is bound here")],
    ),
    ("let x <- [1] in (let x <- [1, 2] in x) + [1]", [("let x <- [1, 2] in x", "this is Real(2)"), ("[1]", "this is Real(1)")]),
    ("const a = [1, 2]\na @ [1, 2]", [("a", "`a : Real(2)` is declared here"), ("[1, 2]", "this is Real(2)")]),
    # what is asked for, where it is written
    ("const t : Real(3) = [1, 2]", [("Real(3)", "expected here")]),
    ("fun f(x : Real(2)) : Real = x", [("x", "`x : Real(2)` is bound here"), ("Real", "expected here")]),
    (
        f"{OP}loc w : Real(3, 2) = ones\nFC[w]([1])",
        [("w", "`w : Real(3, 2)` is declared here"), ("FC", "`FC : Real(n) -> Real(m)` is declared here")],
    ),
    (
        "net f[l : Loc(m, n)](x : Real(m)) : Real(m) = let w <= Get[l]() in return w @ x",
        [("w", "`w : Real(m, n)` is bound here"), ("x", "`x : Real(m)` is bound here")],
    ),
    (
        f"{OP}{SGD}rev handle ([1, 2]) <x>. return x with sgd(1, [1, 2, 3])",
        [("sgd", "`sgd` is declared here"), ("x", "this is Real(2)")],
    ),
    (
        f"{OP}handler h = {{ return x -> return x\n  FC[l](x), k -> k(x) }}",
        [("x", "`x : Real(n)` is bound here"), ("k", "`k` takes Real(m)")],
    ),
    (
        f"{OP}handler h = {{ return x -> return [1]\n  FC[l](x), k -> return [1, 2] }}",
        [("return [1]", "the return clause gives Real(1)")],
    ),
    (
        f"{OP}handler h = {{ return x -> return x\n  FC[l](x) -> return ([1], x) | y, z -> return z }}",
        [("FC", "`FC : Real(n) -> Real(m)` is declared here")],
    ),
    # patterns, components, names of another kind, names that are nearly those that are meant
    ("let (a, b) <- [1, 2] in a", [("[1, 2]", "this is Real(2)")]),
    ("let v <- [1, 2] in v.1", [("v", "`v : Real(2)` is bound here")]),
    ("dim n = 3\n2 * n", [("n", "`n = 3` is declared here")]),
    ("const target = [1]\n2 * tarket", [("target", "`target : Real(1)` is declared here")]),
]


@pytest.mark.parametrize(("text", "notes"), STORIES, ids=[text.split("\n")[-1] for text, _ in STORIES])
def test_a_diagnostic_tells_where_the_types_come_from(text: str, notes: list[tuple[str, str]]) -> None:
    found = wrong(text)[0]
    assert [(note.span.text, note.text) for note in found.notes] == notes


def test_a_note_in_another_cell_names_the_cell() -> None:
    _, before = run(f"{OP}loc w : Real(3, 2) = ones", cell="cell 1")
    (found,) = wrong("FC[w]([1, 2, 3])", before, "cell 2")
    assert shown(found) == (
        "RH102 Type mismatch: `[1, 2, 3]` has the wrong type\n"
        " ── cell 2, line 1, column 7\n"
        "1 │ FC[w]([1, 2, 3])\n"
        "  │       ^^^^^^^^^\n"
        " ── cell 1, line 2, column 5\n"
        "1 │ op FC[l : Loc(m, n)] : Real(n) -> Real(m)\n"
        "  │    -- `FC : Real(n) -> Real(m)` is declared here\n"
        "2 │ loc w : Real(3, 2) = ones\n"
        "  │     - `w : Real(3, 2)` is declared here\n"
        "    found     Real(3)\n"
        "    expected  Real(2), the input of `FC[w]`\n"
        "    rule      T-OP (RH Fig. 3)"
    )


def test_what_rev_handle_hides_is_shown_with_what_hides_it() -> None:
    text = f"{OP}{SGD}let a <- 2 in let b <- [1] in rev handle (b) <u>. return a * u with sgd(1, [1])"
    (found,) = wrong(text)
    assert [(note.span.text, note.text) for note in found.notes] == [
        ("rev handle", "from here on `a` is hidden"),
        ("a", "`a` is bound here"),
    ]
    assert "`rev handle (b, a) <u, a>. …`" in found.hint
    assert found.rule == TypingRule.T_RHANDLE.cited == "T-RHANDLE (RH Fig. 3)"


def test_what_the_hint_says_can_be_done() -> None:
    text = f"{OP}{SGD}let a <- 2 in let b <- [1] in rev handle (b, a) <u, a>. return a * u with sgd(1, [1])"
    assert not wrong(text)


def test_a_declared_number_in_the_types_of_an_operation_is_told_of() -> None:
    _, session = run("dim n = 2", cell="cell 1")
    _, session = run("op FC[l : Loc(m, n)] : Real(n) -> Real(m)\nloc w : Real(2, 3) = zeros", session, cell="cell 2")
    (diagnostic,) = wrong("net f(x : Real(3)) = FC[w](x)", session, cell="cell 3")
    assert "`FC : Real(2) -> Real(m)` is declared here; `n` is the number 2, declared in cell 1, line 1" in [
        note.text for note in diagnostic.notes
    ]


def test_a_number_that_has_been_declared_anew_or_is_not_in_the_types_is_not_told_of() -> None:
    _, session = run("dim n = 2\nop FC[l : Loc(m, n)] : Real(n) -> Real(m)\nloc w : Real(2, 3) = zeros", cell="cell 1")
    _, session = run("dim n = 7", session, cell="cell 2")
    (diagnostic,) = wrong("net f(x : Real(3)) = FC[w](x)", session, cell="cell 3")
    assert diagnostic.notes
    assert not [note for note in diagnostic.notes if "number" in note.text]
    (diagnostic,) = wrong("dim k = 2\nfun g(x : Real(n')) = concat(x, fill[k](0))\ng(1, 2)")
    assert [note.text for note in diagnostic.notes] == ["`g : Real(n') -> Real(n' + 2)` is declared here"]
