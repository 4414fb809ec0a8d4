r"""Unicode input: ``\alpha`` and Tab give ``α``. The names follow LaTeX, those of letters and indices IPython."""

import re
import unicodedata
from collections.abc import Iterable, Mapping
from functools import cache
from types import MappingProxyType

from rh_kernel.source.span import Source, Span
from rh_kernel.syntax.parsing.lexer import tokens
from rh_kernel.syntax.parsing.tokens import Kind

_HALF = re.compile(r"\\(?:[_^][^\s\\]*|[A-Za-z]+|)$")
_INDEX = re.compile(r"(\\[_^])(.{2,})")

_MANY = 200

_OF_THE_LANGUAGE = {
    "to": "→",
    "rightarrow": "→",
    "mapsto": "→",
    "gets": "←",
    "leftarrow": "←",
    "Leftarrow": "⇐",
    "Rightarrow": "⇒",
    "leadsto": "⇝",
    "bullet": "•",
    "langle": "⟨",
    "rangle": "⟩",
    "lfloor": "⌊",
    "rfloor": "⌋",
    "cdot": "·",
    "times": "×",
    "T": "ᵀ",
    "^T": "ᵀ",
    "transpose": "ᵀ",
    "vdash": "⊢",
    "prime": "'",
}
_GREEK = (
    "alpha beta gamma delta epsilon zeta eta theta iota kappa lambda mu "
    "nu xi omicron pi rho sigma tau upsilon phi chi psi omega"
)
_VARIANTS = {"varepsilon": "ε", "vartheta": "ϑ", "varpi": "ϖ", "varrho": "ϱ", "varsigma": "ς", "varphi": "φ"}
_SUBSCRIPTS = {f"_{n}": chr(0x2080 + n) for n in range(10)}
_IN_COMMENTS = {
    **{f"^{n}": sign for n, sign in enumerate("⁰¹²³⁴⁵⁶⁷⁸⁹")},
    "partial": "∂",
    "nabla": "∇",
    "sum": "∑",
    "prod": "∏",
    "int": "∫",
    "infty": "∞",
    "in": "∈",
    "notin": "∉",
    "subseteq": "⊆",
    "emptyset": "∅",
    "forall": "∀",
    "exists": "∃",
    "neq": "≠",
    "leq": "≤",
    "geq": "≥",
    "approx": "≈",
    "equiv": "≡",
    "cong": "≅",
    "propto": "∝",
    "pm": "±",
    "sqrt": "√",
    "circ": "∘",
    "otimes": "⊗",
    "oplus": "⊕",
    "wedge": "∧",
    "vee": "∨",
    "neg": "¬",
    "ldots": "…",
    "diamond": "◇",
    "llbracket": "⟦",
    "rrbracket": "⟧",
    "Downarrow": "⇓",
    "Uparrow": "⇑",
    "leftrightarrow": "↔",
    "hookrightarrow": "↪",
}


def half_sign(before: str) -> str | None:
    r"""Return the partial name of a sign at the end of a text, including its ``\``."""
    half = _HALF.search(before)
    return None if half is None else half[0]


def signs(half: str) -> list[tuple[str, str]]:
    r"""Return the names that start with ``half`` with their signs, those usable in programs first.

    A complete name gives only its own sign; so does ``\_12``, which is read digit by digit.
    """
    table = _table()
    if half in table:
        return [(half, table[half])]
    index = _INDEX.fullmatch(half)
    if index is not None:
        pieces = [table.get(index[1] + c, "") for c in index[2]]
        return [(half, "".join(pieces))] if all(pieces) else []
    return [(name, sign) for name, sign in table.items() if name.startswith(half)][:_MANY]


@cache
def _table() -> Mapping[str, str]:
    """Map each name, with its backslash, to its sign: signs of the language first, then letters of names, then the rest."""
    from IPython.core.latex_symbols import latex_symbols

    own = _OF_THE_LANGUAGE | _greek() | _VARIANTS | _SUBSCRIPTS
    first = {f"\\{name}": sign for name, sign in own.items()}
    letters = {name: sign for name, sign in latex_symbols.items() if name not in first}
    usable = _parts_of_names(letters.values())
    written = {name: sign for name, sign in letters.items() if sign in usable}
    others = {f"\\{name}": sign for name, sign in _IN_COMMENTS.items()}
    return MappingProxyType({**first, **written, **others, **{n: sign for n, sign in letters.items() if n not in written}})


def _greek() -> dict[str, str]:
    """The Greek letters: ``alpha`` and ``Alpha``."""
    found: dict[str, str] = {}
    for name in _GREEK.split():
        official = "LAMDA" if name == "lambda" else name.upper()
        found[name] = unicodedata.lookup(f"GREEK SMALL LETTER {official}")
        found[name.capitalize()] = unicodedata.lookup(f"GREEK CAPITAL LETTER {official}")
    return found


def _parts_of_names(found: Iterable[str]) -> frozenset[str]:
    """Those signs that can be part of a name."""
    text = " ".join([f"x{sign}" for sign in found])
    names = [token for token in tokens(Span(Source("signs", text), 0, len(text))) if token.kind is Kind.NAME]
    return frozenset([text[name.start + 1 : name.end] for name in names])
