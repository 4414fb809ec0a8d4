"""A derivation as LaTeX: fractions with the name of the rule, which MathJax renders, and ``bussproofs`` for a paper.

No text of a user reaches LaTeX but through ``escape``, which leaves letters and digits and has a command for every sign.
"""

from collections.abc import Iterator

from rh_kernel.display.derivation_pieces import Part, Piece, parts, pieces
from rh_kernel.display.derivation_text import one_line
from rh_kernel.display.derivations import Proof, Sheet, fold, premises, sheet
from rh_kernel.display.text import to_text, visible
from rh_kernel.session.results import DerivationMade

MOST, HIGHEST = 200, 40

_INFERENCES = {1: "Unary", 2: "Binary", 3: "Trinary", 4: "Quaternary", 5: "Quinary"}
"""What ``bussproofs`` calls a rule with so many premises; it has none with more."""


def derivation_latex(result: DerivationMade) -> str:
    """Each derivation as mathematics of its own, in pieces where it is too large."""
    return "\n\n".join([line for d in result.derivations for line in _formulas(sheet(d, MOST, HIGHEST))])


def derivation_bussproofs(result: DerivationMade) -> str:
    """Each derivation as a ``prooftree`` of the package ``bussproofs``, to be set in a document that also loads ``amsmath``."""
    return "\n\n".join([_tree(sheet(d, MOST, HIGHEST)) for d in result.derivations])


def escape(text: str) -> str:
    """The text in math mode, letter by letter, where no sign of it means anything to LaTeX."""
    pieces: list[str] = []
    word = ""
    for c in visible(text):
        if c.isascii() and c.isalnum():
            word += c
            continue
        pieces += [_word(word), _SIGNS.get(c) or _other(c)]
        word = ""
    return "".join([*pieces, _word(word)])


def _word(word: str) -> str:
    return word if len(word) < 2 or word.isdecimal() else f"\\mathit{{{word}}}"


def _other(c: str) -> str:
    return f"\\text{{{c}}}" if c.isalpha() else "\\,"


def _formulas(shown: Sheet) -> Iterator[str]:
    for piece in pieces(shown.root):
        name = f"{escape(piece.name)} \\;=\\; " if piece.name else ""
        yield f"$\\displaystyle {name}{_fractions(piece)}$"
    for name, text in (*shown.contexts, *[(name, to_text(doc, float("inf"))) for name, doc in shown.handlers]):
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


def _tree(shown: Sheet) -> str:
    lines = fold(shown.root, premises, _inference)
    return "\n".join(["\\begin{prooftree}", *lines, "\\end{prooftree}"])


def _inference(proof: Proof, above: list[list[str]]) -> list[str]:
    """The commands for the premises, one after the other, and then for the rule."""
    conclusion = f"InfC{{${escape(one_line(proof))}$}}"
    label = f"\\RightLabel{{$\\scriptstyle {_rule(proof)}$}}"
    if not above:
        return [f"\\AxiomC{{{f'${_left_out(proof)}$' if proof.left_out else ''}}}", label, f"\\Unary{conclusion}"]
    if len(above) not in _INFERENCES:
        # The premises are set beside each other as one; there is no room for what is above them.
        beside = " \\qquad ".join([escape(one_line(p)) for p in proof.premises])
        return [f"\\AxiomC{{${beside}$}}", label, f"\\Unary{conclusion}"]
    return [*[line for lines in above for line in lines], label, f"\\{_INFERENCES[len(above)]}{conclusion}"]


def _rule(proof: Proof) -> str:
    return f"\\textsf{{{proof.rule.value}}}"


def _left_out(proof: Proof) -> str:
    return f"\\vdots\\; {proof.left_out}"


_SMALL = "alpha beta gamma delta epsilon zeta eta theta iota kappa lambda mu nu xi pi rho sigma tau upsilon phi chi psi omega"
_LARGE = "Gamma Delta Theta Lambda Xi Pi Sigma Phi Psi Omega"
_GREEK = dict(zip("αβγδεζηθικλμνξπρστυφχψωΓΔΘΛΞΠΣΦΨΩ", f"{_SMALL} {_LARGE}".split(), strict=True))
_SIGNS = {
    **{c: f"_{{{n}}}" for n, c in enumerate("₀₁₂₃₄₅₆₇₈₉")},
    **{c: f"\\{name} " for c, name in _GREEK.items()},
    **{c: c for c in "()[]+-*/=|.,:;<>!"},
    " ": "\\ ",
    "\\": "\\backslash ",
    "{": "\\{",
    "}": "\\}",
    "_": "\\_",
    "$": "\\$",
    "%": "\\%",
    "&": "\\&",
    "#": "\\#",
    "^": "\\hat{}",
    "~": "\\sim ",
    "'": "{}'",
    '"': "\\text{''}",
    "@": "\\mathbin{@}",
    "◇": "\\diamond ",
    "⊢": "\\vdash ",
    "×": "\\times ",
    "·": "\\cdot ",
    "•": "\\bullet ",
    "…": "\\ldots ",
    "⋮": "\\vdots ",
    "←": "\\leftarrow ",
    "→": "\\rightarrow ",
    "⇐": "\\Leftarrow ",
    "⇒": "\\Rightarrow ",
    "⇝": "\\rightsquigarrow ",
    "⟨": "\\langle ",
    "⟩": "\\rangle ",
    "⌊": "\\lfloor ",
    "⌋": "\\rfloor ",
    "‹": "\\langle ",
    "›": "\\rangle ",
    "ᵀ": "^{\\mathsf T}",
    "𝒟": "\\mathcal{D}",
    "∞": "\\infty ",
}
