r"""Unicode input: ``\alpha`` and Tab give ``α``. The names follow LaTeX, those of letters and indices IPython."""

import re
import unicodedata
from collections.abc import Iterable, Mapping
from functools import cache
from types import MappingProxyType

from rh_kernel.source.span import Source, Span
from rh_kernel.syntax.parsing.lexer import tokens
from rh_kernel.syntax.parsing.tokens import Kind

_PARTIAL = re.compile(r"\\(?:[_^][^\s\\]*|[A-Za-z]+|)$")
_INDEX = re.compile(r"(\\[_^])(.{2,})")

_MANY = 200

_LANGUAGE = {
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
    **{f"^{n}": symbol for n, symbol in enumerate("⁰¹²³⁴⁵⁶⁷⁸⁹")},
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


def partial_name(before: str) -> str | None:
    r"""Return the partial name of a symbol at the end of a text, including its ``\``."""
    partial = _PARTIAL.search(before)
    return None if partial is None else partial[0]


def symbols_for(partial: str) -> list[tuple[str, str]]:
    r"""Return the names that start with ``partial`` with their symbols, those usable in programs first.

    A complete name yields only its own symbol; so does ``\_12``, which is read digit by digit.
    """
    table = _table()
    if partial in table:
        return [(partial, table[partial])]
    index = _INDEX.fullmatch(partial)
    if index is not None:
        pieces = [table.get(index[1] + c, "") for c in index[2]]
        return [(partial, "".join(pieces))] if all(pieces) else []
    return [(name, symbol) for name, symbol in table.items() if name.startswith(partial)][:_MANY]


@cache
def _table() -> Mapping[str, str]:
    """Map each name, with its backslash, to its symbol: those of the language first, then letters of names, then the rest."""
    from IPython.core.latex_symbols import latex_symbols

    own = _LANGUAGE | _greek() | _VARIANTS | _SUBSCRIPTS
    first = {f"\\{name}": symbol for name, symbol in own.items()}
    letters = {name: symbol for name, symbol in latex_symbols.items() if name not in first}
    usable = _parts_of_names(letters.values())
    written = {name: symbol for name, symbol in letters.items() if symbol in usable}
    others = {f"\\{name}": symbol for name, symbol in _IN_COMMENTS.items()}
    return MappingProxyType({**first, **written, **others, **{n: symbol for n, symbol in letters.items() if n not in written}})


def _greek() -> dict[str, str]:
    """The Greek letters: ``alpha`` and ``Alpha``."""
    found: dict[str, str] = {}
    for name in _GREEK.split():
        official = "LAMDA" if name == "lambda" else name.upper()
        found[name] = unicodedata.lookup(f"GREEK SMALL LETTER {official}")
        found[name.capitalize()] = unicodedata.lookup(f"GREEK CAPITAL LETTER {official}")
    return found


def _parts_of_names(found: Iterable[str]) -> frozenset[str]:
    """The symbols that can be part of a name."""
    text = " ".join([f"x{symbol}" for symbol in found])
    names = [token for token in tokens(Span(Source("symbols", text), 0, len(text))) if token.kind is Kind.NAME]
    return frozenset([text[name.start + 1 : name.end] for name in names])
