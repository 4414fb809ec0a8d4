"""Derivations as HTML: premises above a line, the conclusion below, the name of the rule at the right (RH Fig. 2, 3).

Large derivations are split into pieces: the first is shown, the others are ``<details>`` elements. No script is needed.
"""

from collections import Counter
from collections.abc import Iterator
from itertools import islice

from rh_kernel.display.derivations.pagination import NARROW, Part, Piece, parts, pieces, subject_lines
from rh_kernel.display.derivations.proof_tree import Proof, ProofTree, fold, premises, proof_tree
from rh_kernel.display.derivations.rule_docs import gloss
from rh_kernel.display.derivations.text import one_line, rules_more
from rh_kernel.display.html import escape, spans
from rh_kernel.display.markup import FAINT, MONOSPACE, box, details, element, span, table
from rh_kernel.display.palette import COLOURS
from rh_kernel.display.tables import rules_table
from rh_kernel.session.results import DerivationMade
from rh_kernel.syntax.printing.doc import Role, plain
from rh_kernel.typing.derivation.derivations import Derivation, TypingRule

MOST, HIGHEST = 400, 60
"""The most rules on a page, and the most levels."""

SUMMARY = 100
"""The most columns of a conclusion in the summary of its piece."""


def derivation_html(result: DerivationMade) -> str:
    """All derivations of a result, one below the other."""
    return box("line-height:1.5", *[_derivation(d) for d in result.derivations])


def _derivation(d: Derivation) -> str:
    shown = proof_tree(d, MOST, HIGHEST)
    measures = span(f"{FAINT};font-size:90%", shown.measures)
    return box("margin-bottom:8px", *_pieces(pieces(shown.root)), measures, *_legend(shown))


def _pieces(drawn: tuple[Piece, ...]) -> Iterator[str]:
    for piece in drawn:
        names = iter(piece.cuts)
        tree = fold(piece.root, parts, lambda part, above, names=names: _drawn(part, above, names))
        page = box(f"{MONOSPACE};font-size:85%;white-space:pre;overflow-x:auto;padding:4px 70px 8px 2px;line-height:1.35", tree)
        if piece.name:
            conclusion = span(f"{MONOSPACE};font-size:85%;margin-left:8px", one_line(piece.root.proof, SUMMARY))
            yield details("margin:2px 0", _piece_name(piece.name) + conclusion, page)
        else:
            yield page


def _drawn(part: Part, above: list[str], names: Iterator[str]) -> str:
    """Stack premises, line and conclusion; the name of the rule is beside the line, in the gap to the right."""
    if part.cut:
        return _under(_piece_name(next(names)), "", part.proof)
    proof = part.proof
    if proof.left_out:
        return _under(span(FAINT, f"⋮ {rules_more(proof.left_out)}"), _line(proof.rule), proof)
    drawn = iter(above)
    rows = [box(_ROW, *_beside([*islice(drawn, count)])) for count in part.rows]
    return _under(box("", *rows), _line(proof.rule), proof)


def _beside(blocks: list[str]) -> Iterator[str]:
    """Yield premises that stand in a row, with space between them for the names of their rules."""
    yield from [box(_GAP, block) for block in blocks[:-1]]
    yield from blocks[-1:]


def _under(premises_html: str, line: str, proof: Proof) -> str:
    above = box("display:flex;justify-content:center;align-items:flex-end", premises_html)
    return box("display:inline-flex;flex-direction:column", above, line, _conclusion(proof))


def _piece_name(name: str) -> str:
    return span(f"color:{COLOURS[Role.RULE]};font-weight:bold", name)


def _line(rule: TypingRule) -> str:
    style = f"color:{COLOURS[Role.RULE]};font-size:85%;line-height:1;margin-left:5px;width:0px;white-space:nowrap"
    label = element("span", style, escape(rule.value), title=f"{rule.figure.value}: {gloss(rule)}")
    return box("display:flex;align-items:center", box("flex-grow:1;border-top:1px solid;opacity:0.6;height:0px"), label)


def _conclusion(proof: Proof) -> str:
    j = proof.judgment
    subject = box("", _subject(proof))
    type_text = span(f"color:{COLOURS[Role.TYPE]}", j.type)
    row = box("display:flex;align-items:center;padding:0 6px", span("", j.left), subject, span("", " : "), type_text)
    return box("display:flex;justify-content:center", row)


def _subject(proof: Proof) -> str:
    lines = subject_lines(proof)
    whole = len(plain(proof.judgment.subject, NARROW).split("\n")) == len(lines) and lines[-1] != "⋮"
    return spans(proof.judgment.subject, NARROW) if whole else escape("\n".join(lines))


def _legend(shown: ProofTree) -> Iterator[str]:
    names = [(name, escape(text)) for name, text in shown.contexts]
    names += [(name, spans(doc)) for name, doc in shown.handlers]
    if names:
        rows = [[span("", name), "=", box("white-space:pre;overflow-x:auto", text)] for name, text in names]
        yield box(f"{MONOSPACE};font-size:85%;margin-top:4px", table(rows, [""] * 3, "llw"))
    fired: Counter[TypingRule] = Counter()
    fold(shown.root, premises, lambda proof, _: fired.update([proof.rule]))
    yield rules_table("margin:4px 0", "used", fired, gloss)


_ROW = "margin-top:4px;display:flex;align-items:flex-end;justify-content:center"
_GAP = "margin-right:64px"
