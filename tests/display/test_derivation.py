"""Rendering of derivations: judgments are printed as by the printer, the layout is that of the paper, and sizes are bounded."""

import json
import math
import re
from collections.abc import Iterator
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from rh_kernel.display.derivations.latex import derivation_document, derivation_latex
from rh_kernel.display.derivations.pagination import Part, parts, pieces
from rh_kernel.display.derivations.proof_tree import Proof, fold, proof_tree
from rh_kernel.display.derivations.text import one_line
from rh_kernel.display.derivations.view import derivation_record
from rh_kernel.display.latex import escape
from rh_kernel.display.registry import bundle, records, text
from rh_kernel.session.results import DerivationMade
from rh_kernel.syntax.core import Bind, Bound, Command, Return, Scope
from rh_kernel.syntax.printing.printer import show
from rh_kernel.syntax.values import constant
from rh_kernel.typing.derivation.derivations import Derivation, TypingRule
from rh_kernel.typing.derivation.derive import derive_command, derive_term
from rh_kernel.typing.derivation.measures import size
from tests.display.pages import PASS, assert_harmless, shown
from tests.display.typesetting import has_tex, typeset
from tests.strategies import terms, types
from tests.strategies_of_commands import Program, programs
from tests.tiers import law

EVERYTHING = 1_000_000


def derived(subject: str) -> DerivationMade:
    """The result of ``%derivation`` after the declarations of the net."""
    (result,) = shown(f"%derivation {subject}")
    assert isinstance(result, DerivationMade)
    return result


def within(d: Derivation) -> Iterator[Derivation]:
    pending = [d]
    while pending:
        d = pending.pop()
        yield d
        pending += reversed(d.premises)


def proofs(root: Proof) -> list[Proof]:
    """All rules that are shown, in depth-first order."""
    found: list[Proof] = []
    pending = [root]
    while pending:
        found.append(pending.pop())
        pending += reversed(found[-1].premises)
    return found


def tower(height: int) -> Command:
    """``let x ⇐ ⌊1⌋ in … ⌊x⌋``"""
    P: Command = Return(Bound(0, "x"))
    for _ in range(height):
        P = Bind(Return(constant(1.0)), Scope(("x",), P))
    return P


# The whole derivation is told, rule by rule.


@law(40)
@given(programs())
def test_a_record_has_every_rule_of_the_derivation(p: Program) -> None:
    d = derive_command((), (), p.command)
    record = derivation_record(d)
    todo, rules = [record], list[object]()
    while todo:
        found = todo.pop()
        rules.append(found["rule"])
        above = found["premises"]
        assert isinstance(above, list)
        todo += [premise for premise in reversed(above) if isinstance(premise, dict)]
    assert rules == [part.rule.value for part in within(d)]
    assert record["size"] == size(d)
    assert json.loads(json.dumps(record)) == record


@law(60)
@given(programs())
def test_a_variable_has_the_type_that_its_context_tells(p: Program) -> None:
    """The rule T-VAR holds of the printed text: ``…, x : A, … ⊢ x : A``, and names in a context are distinct."""
    for proof in proofs(proof_tree(derive_command((), (), p.command), EVERYTHING, EVERYTHING, exact=True).root):
        context = re.findall(r"(\S+) : ", proof.judgment.context)
        assert len(context) == len(set(context))
        if proof.rule is TypingRule.T_VAR:
            said = one_line(proof).partition(" ⊢ ")[2]
            assert f", {said}," in f", {proof.judgment.context},"


@law(60)
@given(st.data())
def test_a_premise_is_written_as_it_stands_in_the_conclusion(data: st.DataObject) -> None:
    """Names are those of the printed whole; sugar in the conclusion may be expanded in a premise."""
    M = data.draw(terms((), data.draw(types()), 6))
    root = proof_tree(derive_term((), M), EVERYTHING, EVERYTHING, exact=True).root
    assert " ".join(show(M, math.inf).split()) in one_line(root)
    for proof in proofs(root):
        if proof.rule in (TypingRule.T_TUPLE, TypingRule.T_PLUS, TypingRule.T_PROJ):
            whole = subject(proof)
            assert all(subject(p).strip("()") in whole for p in proof.premises)


def subject(proof: Proof) -> str:
    j = proof.judgment
    return one_line(proof)[len(j.left) : -len(j.right)]


# What is drawn.


def test_a_small_derivation_is_drawn() -> None:
    assert (
        text(derived("let x <- 2 in (x, 1)"))
        == """\
                            ───────────────────────── T-VAR   ─────────────────────────── T-CONST
                            x : Real(1) ⊢ x : Real(1)         x : Real(1) ⊢ 1.0 : Real(1)
───────────────── T-CONST   ───────────────────────────────────────────────────────────── T-TUPLE
◇ ⊢ 2.0 : Real(1)                    x : Real(1) ⊢ ⟨x, 1.0⟩ : Real(1) × Real(1)
─────────────────────────────────────────────────────────────────────────────── T-LET
                ◇ ⊢ let x ← 2.0 in ⟨x, 1.0⟩ : Real(1) × Real(1)

size 5 (Fig. 5)"""
    )


def test_a_wide_one_has_a_line_for_each_rule() -> None:
    assert (
        text(derived("mlp"))
        == """\
T-CLET  ◇ ; x : Real(2) ⊢ let z ⇐ FC[w0](x) in let h ⇐ ⌊swish(z)⌋ in FC[w1](h) : Real(1)
├─ T-OP  ◇ ; x : Real(2) ⊢ FC[w0](x) : Real(3)
│  └─ T-VAR  x : Real(2) ⊢ x : Real(2)
└─ T-CLET  ◇ ; x : Real(2), z : Real(3) ⊢ let h ⇐ ⌊swish(z)⌋ in FC[w1](h) : Real(1)
   ├─ T-PURE  ◇ ; x : Real(2), z : Real(3) ⊢ ⌊swish(z)⌋ : Real(3)
   │  └─ T-FUNC  x : Real(2), z : Real(3) ⊢ swish(z) : Real(3)
   │     └─ T-VAR  x : Real(2), z : Real(3) ⊢ z : Real(3)
   └─ T-OP  ◇ ; Δ₁, h : Real(3) ⊢ FC[w1](h) : Real(1)
      └─ T-VAR  Δ₁, h : Real(3) ⊢ h : Real(3)

depth 0 (Fig. 4), size 10 (Fig. 5)
Δ₁ = x : Real(2), z : Real(3)"""
    )


def test_a_pass_tells_its_depth_and_what_its_handler_is() -> None:
    """RH Example 4.1"""
    lines = text(derived(PASS)).splitlines()
    assert lines[0].startswith("T-RHANDLE  ◇ ; ◇ ⊢ rev handle ([1.0, -2.0]) ⟨x⟩. let x ⇐ ⌊x⌋ in let z ⇐ FC[w0](x) in ")
    assert "└─ T-RHANDLER  ⊢ sgd(0.1, t) : rev handler(Real(1))" in lines
    assert "depth 1 (Fig. 4), size 57 (Fig. 5)" in lines
    assert "  FC[l](x) → let w ⇐ Get[l]() in ⌊⟨w @ x, ⟨w, x⟩⟩⌋" in lines


def test_what_a_handler_leaves_open_is_a_letter() -> None:
    assert "T-HANDLER  ⊢ infer : A ⇒ A" in text(derived("infer"))
    assert "k : Real(m) ⇝ A ⊢ " in text(derived("infer"))


@law(30)
@given(programs())
def test_pieces_are_the_whole_derivation_once(p: Program) -> None:
    """Every part cut from a piece is another piece with the name that replaces it."""
    root = proof_tree(derive_command((), (), p.command), EVERYTHING, EVERYTHING).root
    drawn = pieces(root)
    assert [name for piece in drawn for name in piece.cuts] == [piece.name for piece in drawn[1:]]
    assert sum(fold(piece.root, parts, rules) for piece in drawn) == len(proofs(root))


def rules(part: Part, above: list[int]) -> int:
    """The number of rules drawn; the conclusion of a cut part is drawn again in its own piece."""
    return 0 if part.cut else 1 + sum(above)


@law(30)
@given(programs())
def test_every_derivation_has_a_page_and_a_text(p: Program) -> None:
    result = DerivationMade("P", (derive_command((), (), p.command),))
    page = assert_harmless(bundle(result)["text/html"])
    assert "T-" in page.text
    assert text(result).strip()


# However high it is.


def test_a_high_derivation_tells_how_much_is_left_out() -> None:
    d = derive_command((), (), tower(4000))
    result = DerivationMade("P", (d,))
    assert re.search(r"⋮ \d+ rules more$", text(result), re.MULTILINE)
    assert re.search(r"⋮ \d+ rules more", assert_harmless(bundle(result)["text/html"]).text)
    (record,) = records(1, result)
    shown_rules = proof_tree(d, 200, 200).root
    assert shown_rules.left_out == 0
    assert len(json.dumps(record)) < 50_000_000
    assert len(bundle(result)["text/html"]) < 1_000_000
    assert "\\vdots" in derivation_latex(result)


def test_what_is_left_out_is_counted() -> None:
    d = derive_command((), (), tower(50))
    whole = len(list(within(d)))
    for most, highest in ((1, 99), (7, 99), (99, 3), (EVERYTHING, EVERYTHING)):
        found = proofs(proof_tree(d, most, highest).root)
        assert len(found) + sum(proof.left_out for proof in found) == whole
        assert len(found) <= most


# LaTeX.


@given(st.text())
def test_no_text_means_anything_to_latex(words: str) -> None:
    escaped = escape(words)
    bare = re.sub(r"\\([A-Za-z]+|[^A-Za-z])", "", escaped)
    assert not set("$%&#~\\") & set(bare)
    depth = 0
    for c in bare:
        depth += (c == "{") - (c == "}")
        assert depth >= 0
    assert depth == 0


@pytest.mark.parametrize("subject", ["mlp", "sgd", "infer", PASS, "let x <- 2 in (x, 1, 2, 3, 4, 5)"])
def test_each_piece_is_one_formula(subject: str) -> None:
    for tree in derivation_latex(derived(subject)).split("\n\n"):
        assert tree.startswith("$\\displaystyle ")
        assert tree.count("{") - tree.count("\\{") == tree.count("}") - tree.count("\\}")


def test_the_bundle_of_a_derivation_is_ready_for_paper() -> None:
    assert bundle(derived("mlp")).keys() == {"text/plain", "text/html", "text/latex"}


@pytest.mark.parametrize("subject", [PASS, "mlp", "sgd", "infer", "let x <- 2 in (x, 1, 2, 3, 4, 5)"])
def test_a_document_has_every_rule_that_is_drawn(subject: str) -> None:
    result = derived(subject)
    tex = derivation_document(result)
    assert tex.startswith("\\documentclass")
    assert tex.endswith("\\end{document}\n")
    drawn = [piece for d in result.derivations for piece in pieces(proof_tree(d, EVERYTHING, EVERYTHING).root)]
    assert tex.count("\\DisplayProof") == len(drawn)
    bare = re.sub(r"\\[^A-Za-z]", "", tex)
    assert bare.count("{") == bare.count("}")
    # bussproofs keeps a stack: each axiom puts one proof on it, a rule of n premises takes n off and puts one on.
    takes = {"Unary": 1, "Binary": 2, "Trinary": 3, "Quaternary": 4, "Quinary": 5}
    stack = 0
    for axiom, rule, end in re.findall(r"\\(?:(Axiom)C|(\w+)InfC|(DisplayProof))", tex):
        if axiom:
            stack += 1
        elif rule:
            assert stack >= takes[rule]
            stack += 1 - takes[rule]
        elif end:
            assert stack == 1
            stack = 0


@pytest.mark.skipif(not has_tex("standalone.cls", "bussproofs.sty"), reason="there is no TeX with bussproofs here")
def test_tex_takes_the_document(tmp_path: Path) -> None:
    for number, subject in enumerate((PASS, "sgd", "(1.0, 2.0, 3.0, 4.0, 5.0, 6.0, 7.0)")):
        typeset(tmp_path / f"derivation{number}.tex", derivation_document(derived(subject)))


def test_letters_below_and_above_the_line_do_not_meet() -> None:
    """Two subscripts on one letter are an error of TeX, and so are two superscripts."""
    for name in ("Γ₁₂", "wᵀᵀ", "Qᶠᵇ", "x₁ᵀ₂"):
        assert len(re.findall(r"[_^]\{", escape(name))) == len(name) - 1
        assert not re.search(r"(?<!\{\})[_^]\{", escape(name))
