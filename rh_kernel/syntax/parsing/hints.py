"""Texts for syntax errors: how to name an unexpected token, and a hint at what the user probably meant."""

import re
import unicodedata

from rh_kernel.syntax.parsing.tokens import Kind, Token

THE_END = "the end of the item"

OF_PYTHON = "this is Python: put it into a cell that begins with `%%python`"

# Tokens that cannot occur inside a bracket: finding one where a closer is expected means the bracket was never closed.
OUTSIDE = frozenset({"in", "with", "=", "→", "←", "⇐", "⇒", "|", ";"})

CLAUSE = re.compile(r"(?:\||(?:return\b|[^\W\d][\w']*(?:\[[^\]\n]*\])?\()[^\n]*?(?:->|→|↦))")
"""The start of a line that begins or continues a clause of a handler."""

_FACTORS = re.compile(r"([0-9]+)([^\W\d]\w*)")
_GROUPS = re.compile(r"[0-9]+(?:_[0-9]+)+(?:\.[0-9]+)?")
_OTHER_BASE = re.compile(r"0(?:[xX][0-9a-fA-F]{1,12}|[bB][01]{1,40}|[oO][0-7]{1,16})")

FOREIGN_SIGNS = {
    "==": ("comparison", "compare labels with same_argmax(x, y); a declaration has a single `=`"),
    "!=": ("comparison", "terms are differentiable; step(x), sign(x) and same_argmax(x, y) come closest"),
    ">=": ("comparison", "terms are differentiable; step(x) and maximum(x, y) come closest"),
    "&&": ("truth values", "terms are differentiable; step(x) is 0 or 1"),
    "||": ("truth values", "the backward part of a clause begins with a single `|`"),
    "**": ("powers", "write x * x or square(x)"),
}
ASSIGNMENT = ("assignment", "a let binds a name, `let x <- M in N`; `Put[l](M)` updates a location")

COMMENTS = "comments begin with `#`"
LOOPS = (
    "`repeat i < n from s = M do P` repeats a command n times; "
    "go through the rows of an array with `map (x in M) do N` or `scan (x in M) from s = N do P`; "
    'training iterates over a data set: `train P for x in data("xor") epochs 10`'
)
FOREIGN_WORDS = {
    **dict.fromkeys(("lambda", "λ", "fn"), ("function values", "declare a function: fun f(x : A) = M")),
    "match": ("pattern matching", "a conditional is written if x < y then M else N"),
    **dict.fromkeys(("for", "while"), ("loops", LOOPS)),
    "repeat": ("loops of this form", "write `repeat i < n from s = M do P`: i is the number of the round, s the state"),
    **dict.fromkeys(("import", "from", "class"), ("Python", "Python goes into a separate cell that begins with %%python")),
    "print": ("printing", "every item shows its value"),
}
"""Names that are keywords or builtins in other languages: the construct they stand for there, and a hint. Plain names here."""

NEXT = {
    "=": "a let has an arrow, `let x <- M in N` or `let x <= P in Q`; for later cells, declare it: const x = M",
    "<": "comparisons are only allowed after `if`; a tuple is written (x, y) or ⟨x, y⟩",
    ">": "comparisons are only allowed after `if`; a tuple is written (x, y) or ⟨x, y⟩",
    "if": "a conditional is written if x < y then M else N",
    "←": "write `let` first: let x <- M in N",
    "⇐": "write `let` first: let x <= P in Q",
    ";": "`;` only separates the clauses of a handler; write each item on its own line",
}
FIRST = {
    **dict.fromkeys((*OUTSIDE, "+", "*", "@", "/", "·", "×"), "indent the lines that continue an item"),
    "//": COMMENTS,
    "<": "a tuple is written (x, y) or ⟨x, y⟩",
}

CHARACTERS = {
    "\t": "indent with spaces",
    "\u00a0": "it looks like a space and probably comes from copied text; replace it by a space",
    "'": 'strings have double quotes: "xor"',
    "“": 'strings have straight quotes: "xor"',
    "”": 'strings have straight quotes: "xor"',
    "²": "write square(x) or x * x",
    "?": "`%help exp` explains a name, and Shift-Tab explains the name at the cursor",
    "^": "a transpose is w^T or wᵀ; a power is x * x or square(x)",
    "–": "a minus sign is -",
    "—": "a minus sign is -",
    "÷": "a quotient is x / y",
    "≤": "the arrow of a command's let is <= or ⇐",
    "⟵": "the arrow of a let is <- or ←",
    "\\": "there are no function values: declare a function with fun f(x : A) = M",
}


WRITTEN = {"≤": "<=", "⟵": "<-"}
"""Characters that look like a symbol of the language, and that symbol."""

SQUARES = frozenset({"²", "**"})
"""How other languages write ``square(x)``; ``**`` counts only before a 2."""


def show(token: Token, written: str) -> str:
    """Return how an error message names ``token``, whose source text is ``written``."""
    text = shorten(written)
    match token.kind:
        case Kind.END:
            return THE_END
        case Kind.KEYWORD:
            return f"the word `{text}`"
        case Kind.NAME:
            return f"the name `{text}`"
        case Kind.NUMBER:
            return f"the number {text}"
        case Kind.STRING:
            return f"the string {text}"
        case Kind.BAD_CHARACTER:
            return _show_character(token.text[0])
        case Kind.PROJECTION | Kind.SYMBOL | Kind.COMMENT | Kind.FOREIGN | Kind.BAD_NUMBER | Kind.BAD_STRING:
            return f"`{text}`"


def _show_character(character: str) -> str:
    number = f"U+{ord(character):04X}"
    if character == "\t":
        return "a tab"
    if character.isprintable() and not character.isspace():
        return f"`{character}`" if character.isascii() else f"`{character}` ({number})"
    return f"{unicodedata.name(character, 'an invisible character').lower()} ({number})"


def shorten(text: str) -> str:
    """Return ``text``, cut to at most forty characters."""
    return text if len(text) <= 40 else text[:39] + "…"


def of_number(text: str) -> tuple[str, str]:
    """Return a hint about a malformed number, and its corrected text (empty if unknown)."""
    if _GROUPS.fullmatch(text):
        return "write the digits of a number without separators", text.replace("_", "")
    if _OTHER_BASE.fullmatch(text):
        return "numbers are written in decimal", str(int(text, 0))
    factors = _FACTORS.fullmatch(text)
    return "names begin with a letter, and products are written with *", f"{factors[1]} * {factors[2]}" if factors else ""
