"""Inspection, on texts with the cursor at ``|``."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from rh_kernel.kernel.inspection.inspecting import inspection
from rh_kernel.primitives.table import SYMBOLS
from rh_kernel.session.directives.registry import directives
from rh_kernel.session.forms import FORMS, RULES, SIGNS
from rh_kernel.session.session import Session, execute
from rh_kernel.source.span import Source
from rh_kernel.typing.derivation.rules import TypingRule
from rh_kernel.workspace.workspace import Workspace
from tests.display.pages import assert_harmless
from tests.tiers import law

TEXT = """dim size = 2
const target : Real = 0.5   # what is aimed at
loc weight : Real(size, 2) = zeros

# Twice its argument.
#   Without loss.
fun twice(x : Real(n)) : Real(n) = x + x
# not about it

op Layer[l : Loc(m, n)] : Real(n) -> Real(m)
net network(x : Real(2)) : Real(size) =
  # inside
  Layer[weight](x)   # behind

# about the next
handler stay : rev handler(Real(1)) = { return x -> return x }
handler infer(t : Real) : Real(k) => Real(k) = {
  return x -> return x
}
"""


def after(session: Session, text: str, name: str = "cell 3") -> Session:
    events = execute(session, Source(name, text))
    while True:
        try:
            next(events)
        except StopIteration as end:
            return end.value


@pytest.fixture(scope="module")
def session() -> Session:
    return after(Session.start(Path.cwd()), TEXT)


def said(session: Session, text: str, detail: int = 0) -> str:
    cursor = text.index("|") if "|" in text else len(text)
    found = inspection(session, text.replace("|", "", 1), cursor, detail)
    assert found is None or set(found) == {"text/plain", "text/html"}
    return "" if found is None else found["text/plain"]


@pytest.mark.parametrize(
    ("name", "lines"),
    [
        ("size", ["size : Dim", "dim size = 2", "a dimension, declared in cell 3, line 1"]),
        (
            "target",
            ["target : Real(1)", "const target : Real = 0.5   # what is aimed at", "T-CONST (Fig. 2): Γ ⊢ target : Real(1)"],
        ),
        (
            "weight",
            ["weight : Loc(2, 2)", "loc weight : Real(size, 2) = zeros", "T-OP (Fig. 3): Γ ; Δ ⊢ Get[weight]() : Real(2, 2)"],
        ),
        (
            "twice",
            [
                "twice : Real(n) -> Real(n)",
                "Twice its argument.",
                "Without loss.",
                "fun twice(x : Real(n)) : Real(n) = x + x",
                "a function, declared in cell 3, line 7",
                "T-FUNC (Fig. 2): from Γ ⊢ M : Real(n) follows Γ ⊢ twice(M) : Real(n)",
            ],
        ),
        (
            "Layer",
            [
                "Layer[l : Loc(m, n)] : Real(n) -> Real(m)",
                "an operation, declared in cell 3, line 10",
                "T-OP (Fig. 3): from Γ, Δ ⊢ M : Real(n) follows Γ ; Δ ⊢ Layer[l](M) : Real(m)",
            ],
        ),
        (
            "network",
            [
                "network : Real(2) ~> Real(2)",
                "net network(x : Real(2)) : Real(size) =",
                "  # inside",
                "  Layer[weight](x)   # behind",
                "T-CLET (Fig. 3): from Γ, Δ ⊢ M : Real(2) follows Γ ; Δ ⊢ network(M) : Real(2)",
            ],
        ),
        ("stay", ["stay : rev handler(Real(1))", "about the next", "T-RHANDLER (Fig. 3): Γ ⊢ stay : rev handler(Real(1))"]),
        ("infer", ["infer(t : Real(1)) : Real(k) => Real(k)", "T-HANDLER (§2.2.1): Γ ⊢ infer(t) : Real(k) => Real(k)"]),
        ("Get", ["Get[l : Loc(s…)] : Real(0) -> Real(s…)", "an operation that comes with the language"]),
        (
            "softmax",
            [
                "softmax : Real(n) → Real(n)",
                "  rd[softmax](w, v) = let y ← softmax(v) in w * y - dot(w, y) · y",
                "T-FUNC (Fig. 2): from Γ ⊢ M : Real(n) follows Γ ⊢ softmax(M) : Real(n)",
            ],
        ),
        ("relu", ["  not smooth at some points, where it is undefined after `%strict on`"]),
    ],
)
def test_a_name_is_told_with_type_words_source_place_and_rule(session: Session, name: str, lines: list[str]) -> None:
    shown = said(session, f"1 + {name}|").split("\n")
    assert [line for line in shown if line in lines] == lines
    assert "not about it" not in shown


@pytest.mark.parametrize(
    ("text", "known"),
    [
        ("1 + |target", "Real(1)"),
        ("targ|et", "Real(1)"),
        ("network|(x)", "Real(2) ~> Real(2)"),
        ("swi|sh(x)", "rd[swish](w, v)"),
        ("train| f", "sample"),
        ("let x <- 1 i|n x", "let"),
        ("let x |<- 1 in x", "T-LET"),
        ("let x ←| 1 in x", "T-LET"),
        ("let x <|= P in x", "T-CLET"),
        ("k |• 1", "T-RESUME"),
        ("weight |@ x", "matmul : Real(m, n) × Real(n) → Real(m)"),
        ("w^|T", "transpose : Real(m, n) → Real(n, m)"),
        ("a |* x", "entry by entry"),
        ("1 |+ 2", "from Γ ⊢ M : A and Γ ⊢ N : A follows Γ ⊢ M + N : A"),
        ("(1, 2).|1", "T-PROJ"),
        ("(1, 2).1|", "T-PROJ"),
        ("⌊|1⌋", "T-PURE"),
        ("r|d[twice](1, 2)", "rd[twice] : Real(n) × Real(n) -> Real(n)"),
        ("rd|[outer]", "rd[outer] : Real(m, n) × (Real(m) × Real(n)) → Real(m) × Real(n)"),
        ("rd|[dot](1, 2)", "rd[dot](w, v) = ⟨w · v.2, w · v.1⟩"),
        ("w.rd|(x. x)(1)", "T-RD"),
        ("w.rd(x|. x)(1)", "T-RD"),
        ("rd|[nowhere]", "T-RD"),
        ("%trace tw|ice(1)", "twice : Real(n) -> Real(n)"),
        ("%he|lp twice", "%help name"),
        ("%help twi|ce", "twice : Real(n) -> Real(n)"),
        ("net f(point : Real(2)) : Real(2) = poi|nt", "point : Real(2)\n"),
        ("🎉 + tar|get", "Real(1)"),
    ],
)
def test_the_word_or_sign_at_the_cursor_is_explained(session: Session, text: str, known: str) -> None:
    assert known in said(session, text)


def test_the_bar_of_a_clause_is_explained(session: Session) -> None:
    text = "{ Op(x) -> P | y, z -> Q }"
    found = inspection(session, text, text.index("|"))
    assert found is not None
    assert "backward" in found["text/plain"]


@pytest.mark.parametrize("text", ["nowhere|", "|", "1 + | 2", "%nowhere|", "# |", "1|2", '"tar|get"', "# tar|get", "f(x) |: 1"])
def test_what_is_unknown_is_not_explained(session: Session, text: str) -> None:
    assert said(session, text) == ""


@pytest.mark.parametrize("name", directives())
def test_every_directive_is_explained(session: Session, name: str) -> None:
    assert said(session, f"%{name[:2]}|{name[2:]}") == f"{directives()[name].call}\n\n{directives()[name].help}"


@pytest.mark.parametrize("word", [*FORMS, *SIGNS])
def test_every_form_has_two_lines_and_is_explained(session: Session, word: str) -> None:
    form = {**FORMS, **SIGNS}[word]
    title, meaning = form.split("\n")
    text = f"1 {'M' * (word == '.1')}{word}"
    found = inspection(session, text, len(text))
    assert found is not None
    shown = found["text/plain"]
    assert title in shown
    assert meaning in shown
    assert shown.count("follows") == len(RULES.get(word, ()))


def test_the_rules_of_the_paper_are_told_at_some_form() -> None:
    told = {rule for rules in RULES.values() for rule in rules}
    assert set(TypingRule) - told == {TypingRule.T_VAR, TypingRule.T_R, TypingRule.T_RH}


@pytest.mark.parametrize("name", SYMBOLS)
def test_every_function_symbol_is_told_with_its_derivative(session: Session, name: str) -> None:
    shown = said(session, name)
    assert f"rd[{name}](w, v) = " in shown
    assert all(signature in shown for signature in SYMBOLS[name].signatures)


def test_a_declaration_hides_what_the_language_has(session: Session) -> None:
    assert "data : Real(1)" in said(after(session, "const data : Real = 1.0"), "data")


def test_what_the_cell_declares_is_known_before_it_runs(session: Session) -> None:
    text = "dim three = 3\n# Of three rows.\nloc own : Real(three, 2) = zeros\n%heap\nLayer[own|](x)"
    shown = said(session, text)
    assert "own : Loc(3, 2)" in shown
    assert "Of three rows." in shown
    assert "declared in this cell, line 3" in shown


def test_a_long_declaration_is_cut_unless_all_is_asked_for(session: Session) -> None:
    lines = [f"  let x{n} <= return x{n - 1} in" for n in range(1, 30)]
    long = after(session, "\n".join(["net long(x0 : Real) : Real =", *lines, "  return x29"]))
    assert "  let x10 <= return x9 in\n  … 20 more lines\n" in said(long, "long")
    assert "x11" not in said(long, "long")
    assert "  return x29" in said(long, "long", detail=1)
    assert "more lines" not in said(long, "long", detail=1)


def test_a_constant_from_python_has_no_source() -> None:
    workspace = Workspace()
    workspace.const("t", [1.0, 2.0])
    assert said(workspace.session, "t").startswith("t : Real(2)\n")
    assert "a constant given from Python" in said(workspace.session, "t")
    assert "const" not in said(workspace.session, "t").replace("a constant", "")


@pytest.mark.parametrize(
    ("text", "title"),
    [
        ("net f(x¦ : Real(2)) : Real(2) = Layer[weight](x)", "x : Real(2)"),
        ("net f(x : Real(2)) : Real(2) = let h¦ <= Layer[weight](x) in return h", "h : Real(2)"),
        ("net f(x : Real(2)) : Real(2) = let h <= Layer[weight](x) in return h¦", "h : Real(2)"),
        ("let x <- 1 in let x¦ <- (x, x) in x", "x : Real(1) × Real(1)"),
        ("let x <- 1 in let x <- (¦x, x) in x", "x : Real(1)"),
        ("let (a¦, b) <- ([1, 2], 1) in (b, a)", "a : Real(2)"),
        ("let (a, b¦) <- ([1, 2], 1) in (b, a)", "b : Real(1)"),
        ("let a <- 1 in let (a¦, b) <- (b, a) in a", ""),
        ("let a <- 1 in let b <- [1, 2] in let (a¦, b) <- (b, a) in a", "a : Real(2)"),
        ("let target <- [1, 2] in ¦target", "target : Real(2)"),
        ("fun f(x : Real(n), y¦ : Real(n)) : Real(n) = x + y", "y : Real(n)"),
        ("handler h(alpha¦ : Real) : rev handler(Real) = { return x -> return alpha * x }", "alpha : Real(1)"),
        ("handler h : rev handler(Real(k)) = { return x¦ -> return x }", "x : Real(k)"),
        (
            "handler h : rev handler(Real) = { return x -> return x\n"
            "  Layer[l](x¦) -> let w <= Get[l]() in return (w @ x, (w, x)) | y, z -> let (w, x) <- z in return w^T @ y }",
            "x : Real(n)",
        ),
        (
            "handler h : rev handler(Real) = { return x -> return x\n"
            "  Layer[l](x) -> let w <= Get[l]() in return (w @ x, (w, x)) | y¦, z -> let (w, x) <- z in return w^T @ y }",
            "y : Real(m)",
        ),
        (
            "handler h : rev handler(Real) = { return x -> return x\n"
            "  Layer[l](x) -> let w <= Get[l]() in return (w @ x, (w, x)) | y, z -> let (w¦, x) <- z in return w^T @ y }",
            "w : Real(m, n)",
        ),
        (
            "handle network([1, 2]) with { return x -> return x ; Layer[l](x), k¦ -> let w <= Get[l]() in k • (w @ x) }",
            "k : Real(m) ⇝ Real(2)",
        ),
        ("rev handle ([1, 2]) <u¦>. return u with stay", ""),
        ("rev handle (1) <u¦>. return u with stay", "u : Real(1)"),
        ("%trace let x <- 1 in x¦ + 1", "x : Real(1)"),
        ("check let x <- 1 in x¦ == 1", "x : Real(1)"),
        ("const c : Real = let x <- 1 in x¦", "x : Real(1)"),
        ("w.rd(x. x¦)(1)", ""),
        ("1.0.rd(x. x¦)(1)", "x : Real(1)"),
        ("let w <- 1 in w.rd(x¦. x * x)(2)", "x : Real(1)"),
    ],
)
def test_a_variable_has_its_type_where_it_is_bound_and_where_it_is_used(session: Session, text: str, title: str) -> None:
    found = inspection(session, text.replace("¦", ""), text.index("¦"))
    if title:
        assert found is not None
        assert found["text/plain"].split("\n")[0] == title
        assert "T-VAR" in found["text/plain"]
    else:
        assert found is None or "a variable" not in found["text/plain"]


@pytest.mark.parametrize(
    ("text", "here"),
    [
        ("Lay¦er[weight]([1, 2])", "here Layer[weight]([1, 2]) : Real(2)"),
        ("let x <- 1 in (x, x ¦* x)", "here x * x : Real(1)"),
        ("let x ¦<- 1 in (x, x * x)", "here let x <- 1 in (x, x * x) : Real(1) × Real(1)"),
        ("1 + soft¦max([1, 2]) . 1", ""),
        ("twi¦ce([1, 2, 3])", "here twice([1, 2, 3]) : Real(3)"),
        ("network¦([1, 2]) + 1", ""),
        ("fun f(x : Real(n)) : Real(n) =\n  twice(¦twice(x +\n x))", "here twice(x + x) : Real(n)"),
        ("twi¦ce(1) + (let twice <- [1] in twice)", "here twice(1) : Real(1)"),
    ],
)
def test_what_stands_around_has_its_type(session: Session, text: str, here: str) -> None:
    found = inspection(session, text.replace("¦", ""), text.index("¦"))
    assert found is not None
    told = [line.strip() for line in found["text/plain"].split("\n") if line.strip().startswith("here ")]
    assert told == ([here] if here else [])


def test_a_program_that_is_large_when_it_is_unfolded_is_not_looked_at(session: Session) -> None:
    text = "net f0(x : Real) : Real = return x + x\n" + "\n".join(
        [f"net f{n}(x : Real) : Real = let y <= f{n - 1}(x) in f{n - 1}(y)" for n in range(1, 11)]
    )
    large = after(session, text)
    assert "here f3(1) : Real(1)" in said(large, "f|3(1)")
    assert "here" not in said(large, "f1|0(1)")


HOSTILE = ["<script>alert(1)</script>", "</pre><img src=x onerror=alert(1)>", '"\x1b[31m', "&amp;"]


@pytest.mark.parametrize("text", HOSTILE)
def test_what_a_user_wrote_is_text_and_no_html(session: Session, text: str) -> None:
    declared = after(session, f"# {text}\nfun f(x : Real) : Real =   # {text}\n  x", text)
    found = inspection(declared, "f", 1)
    assert found is not None
    assert text.split("\x1b")[0] in assert_harmless(found["text/html"]).text
    assert "\x1b" not in found["text/plain"] + found["text/html"]


PIECES = st.sampled_from(
    [
        "let",
        " ",
        "x",
        "twice",
        "network",
        "%tr",
        "rd",
        "[",
        "]",
        ".1",
        "←",
        "<",
        "-",
        "@",
        '"',
        "#",
        "\n",
        "ᵀ",
        "fun f(x : Real) = x\n",
    ]
)


@law(200)
@given(st.lists(PIECES | st.text(max_size=3), max_size=10).map("".join), st.data())
def test_every_text_can_be_asked_about_at_every_place(session: Session, text: str, data: st.DataObject) -> None:
    inspection(session, text, data.draw(st.integers(-1, len(text) + 1)), data.draw(st.integers(0, 1)))


def test_a_session_that_has_gone_on_keeps_the_place(session: Session) -> None:
    later = replace(after(session, "\n\nfun twice(x : Real) : Real = x", "cell 9"), folder=session.folder)
    assert "declared in cell 9, line 3" in said(later, "twice")
