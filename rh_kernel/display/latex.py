"""Escaping of text for LaTeX math mode, and standalone LaTeX documents.

All text of users passes through ``escape``, which keeps ASCII letters and digits and replaces every other character.
"""

from collections.abc import Sequence

from rh_kernel.display.text import visible

LAST_LETTER = "\u017f"
"""The last letter that pdfLaTeX can typeset without a command."""


def escape(text: str, *, ascii_fonts: bool = False) -> str:
    """Escape a text for math mode, so that no character of it is a LaTeX command.

    With ``ascii_fonts`` letters that pdfLaTeX cannot typeset are written as code points, ``U+91CD``; otherwise they are kept.
    """
    pieces: list[str] = []
    word = ""
    for c in visible(text):
        if c.isascii() and c.isalnum():
            word += c
            continue
        pieces += [_word(word), _SIGNS.get(c) or _other(c, ascii_fonts=ascii_fonts)]
        word = ""
    return "".join([*pieces, _word(word)])


def document(kind: str, packages: Sequence[str], body: str) -> str:
    """Return a document for pdfLaTeX with this document class, ``[options]{name}``, and these packages."""
    head = [f"\\documentclass{kind}", *[f"\\usepackage{name}" for name in packages]]
    return "\n".join([*head, "\\begin{document}", body, "\\end{document}", ""])


def _word(word: str) -> str:
    return word if len(word) < 2 or word.isdecimal() else f"\\mathit{{{word}}}"


def _other(c: str, *, ascii_fonts: bool) -> str:
    if not c.isalpha():
        return "\\,"
    return f"\\text{{U+{ord(c):04X}}}" if ascii_fonts and c > LAST_LETTER else f"\\text{{{c}}}"


_SMALL = "alpha beta gamma delta epsilon zeta eta theta iota kappa lambda mu nu xi pi rho sigma tau upsilon phi chi psi omega"
_LARGE = "Gamma Delta Theta Lambda Xi Pi Sigma Phi Psi Omega"
_GREEK = dict(zip("αβγδεζηθικλμνξπρστυφχψωΓΔΘΛΞΠΣΦΨΩ", f"{_SMALL} {_LARGE}".split(), strict=True))
_SIGNS = {
    **{c: f"{{}}_{{{n}}}" for n, c in enumerate("₀₁₂₃₄₅₆₇₈₉")},
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
    "ᵀ": "{}^{\\mathsf T}",
    "𝒟": "\\mathcal{D}",
    "∞": "\\infty ",
    "⟦": "[\\![",
    "⟧": "]\\!]",
    "ᶠ": "{}^{f}",
    "ᵇ": "{}^{b}",
    "ℓ": "\\ell ",
    "ℝ": "\\mathbb{R}",
    "∘": "\\circ ",
    "⊕": "\\oplus ",
    "π": "\\pi ",
    "≤": "\\leq ",
    "≥": "\\geq ",
    "−": "-",
    "′": "{}'",
}
