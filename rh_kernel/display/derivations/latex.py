"""Derivations as LaTeX: fractions with the name of the rule, which MathJax renders, and a document with ``bussproofs``.

All text of users passes through ``latex.escape``.
"""

from collections.abc import Iterator

from rh_kernel.display.derivations.pagination import Part, Piece, parts, pieces
from rh_kernel.display.derivations.proof_tree import Proof, ProofTree, fold, proof_tree
from rh_kernel.display.derivations.text import one_line
from rh_kernel.display.latex import document, escape
from rh_kernel.session.results import DerivationMade

MOST, HIGHEST = 200, 40

_INFERENCES = {1: "Unary", 2: "Binary", 3: "Trinary", 4: "Quaternary", 5: "Quinary"}
"""The names that ``bussproofs`` has for rules by their number of premises; it has none for more."""


def derivation_latex(result: DerivationMade) -> str:
    """The formulas of each derivation, which is split into pieces if it is large."""
    return "\n\n".join([line for d in result.derivations for line in _formulas(proof_tree(d, MOST, HIGHEST))])


def derivation_document(result: DerivationMade) -> str:
    """A document for pdfLaTeX with all derivations, which are split into pieces if they are large."""
    body = "\n\n".join([line for d in result.derivations for line in _blocks(proof_tree(d, MOST, HIGHEST))])
    return document("[border=10pt,varwidth=200in]{standalone}", ("{amsmath}", "{amssymb}", "{bussproofs}"), body)


def _blocks(shown: ProofTree) -> Iterator[str]:
    """Yield each piece as a proof tree, the measures, and the abbreviations."""
    for piece in pieces(shown.root):
        name = f"${_printed(piece.name)} =$\\quad\n" if piece.name else ""
        yield f"\\noindent {name}{_proof(piece)}\\DisplayProof\\par\\bigskip"
    yield f"\\noindent {shown.measures}\\par\\medskip"
    for name, text in shown.abbreviations():
        yield f"\\noindent ${_printed(name)} = {_printed(' '.join(text.split()))}$\\par"


def _printed(text: str) -> str:
    return escape(text, ascii_fonts=True)


def _proof(piece: Piece) -> str:
    """Return the ``bussproofs`` commands for a piece; other pieces that it refers to are axioms with their names."""
    names = iter(piece.cuts)

    def rule(part: Part, above: list[tuple[str, str]]) -> tuple[str, str]:
        """Return the commands, and the formula that replaces them below a rule with too many premises."""
        proof, judgment = part.proof, _printed(one_line(part.proof))
        conclusion = f"InfC{{${judgment}$}}\n"
        if part.cut:
            name = _printed(next(names))
            flat = f"\\begin{{array}}{{c}}{name} \\\\ {judgment}\\end{{array}}"
            return f"\\AxiomC{{${name}$}}\n\\noLine\n\\Unary{conclusion}", flat
        label = f"\\RightLabel{{$\\scriptstyle {_rule(proof)}$}}\n"
        if len(above) in _INFERENCES:
            trees = "".join([tree for tree, _ in above])
            return f"{trees}{label}\\{_INFERENCES[len(above)]}{conclusion}", judgment
        over = _left_out(proof) if proof.left_out else " \\qquad ".join([flat for _, flat in above])
        return f"\\AxiomC{{{f'${over}$' if over else ''}}}\n{label}\\Unary{conclusion}", judgment

    return fold(piece.root, parts, rule)[0]


def _formulas(shown: ProofTree) -> Iterator[str]:
    for piece in pieces(shown.root):
        name = f"{escape(piece.name)} \\;=\\; " if piece.name else ""
        yield f"$\\displaystyle {name}{_fractions(piece)}$"
    for name, text in shown.abbreviations():
        yield f"$\\displaystyle {escape(name)} = {escape(' '.join(text.split()))}$"


def _fractions(piece: Piece) -> str:
    names = iter(piece.cuts)

    def rule(part: Part, above: list[str]) -> str:
        proof = part.proof
        conclusion = escape(one_line(proof))
        if part.cut:
            return f"\\begin{{array}}{{c}}{escape(next(names))} \\\\ {conclusion}\\end{{array}}"
        over = _left_out(proof) if proof.left_out else " \\quad ".join(above)
        return f"\\dfrac{{{over or '{}'}}}{{{conclusion}}}\\,{{\\scriptstyle {_rule(proof)}}}"

    return fold(piece.root, parts, rule)


def _rule(proof: Proof) -> str:
    return f"\\textsf{{{proof.rule.value}}}"


def _left_out(proof: Proof) -> str:
    return f"\\vdots\\; {proof.left_out}"
