"""Tokens: the words and signs of LANGUAGE §1, each sign in one spelling whichever way it was typed."""

from enum import Enum, auto

from rh_kernel.source.records import frozen

STUB = "YOUR_CODE_HERE"
"""The name that stands in an exercise where the reader's own text goes; nothing else can have it."""


class Kind(Enum):
    """What a token is. The last four are what no program may hold; the parser says what is wrong with them."""

    NAME = auto()
    KEYWORD = auto()
    NUMBER = auto()
    STRING = auto()
    PROJECTION = auto()
    SYMBOL = auto()
    COMMENT = auto()
    END = auto()
    FOREIGN = auto()
    BAD_NUMBER = auto()
    BAD_STRING = auto()
    BAD_CHARACTER = auto()


@frozen
class Token:
    """A token from ``start`` to ``end``. ``text`` is the canonical spelling: ``←`` for ``<-``, names composed (NFC)."""

    kind: Kind
    text: str
    start: int
    end: int


DECLARATIONS = ("dim", "const", "loc", "fun", "op", "net", "handler")
KEYWORDS = frozenset({"let", "in", "return", "rev", "handle", "with", "train", "rd", *DECLARATIONS})

SPELLINGS = {"<-": "←", "<=": "⇐", "->": "→", "↦": "→", "=>": "⇒", "|-": "⊢", "⇝": "~>", "^T": "ᵀ", "⋅": "·", "−": "-"}
"""The canonical spelling of a sign that has several."""

CLOSERS = {"(": ")", "[": "]", "{": "}", "⟨": "⟩", "<": ">", "⌊": "⌋"}
"""Each opening bracket's closing one."""

PYTHON = "%%python"
"""The first line of a cell that is Python; below it nothing is in the language."""

LABORATORY = "%%lambda"
"""The line from which on a text is in the language of the laboratory."""

EFFECTS = "%%eff"
"""The line from which on a text is in the language of effects and handlers."""

SECTIONS = {LABORATORY: "}", EFFECTS: "}|"}
"""The lines from which on a text is in another language that has items, up to the next line that begins with ``%%``.

Of each the signs with which a line in the first column continues an item.
"""

RETURN = "%%rh"
"""The line from which on a text is in this language again."""

EXPRESSION_DIRECTIVES = frozenset({"trace", "type", "compile", "derivation", "diagram", "gradient"})
"""The directives whose argument is a term or a command; all others take words."""

COMPILE_OPTIONS = ("passes", "profile")
"""Words with a meaning behind ``%compile --``; elsewhere they are names."""

TRAINING_OPTIONS = ("epochs", "batch", "shuffle", "measure")
"""Words with a meaning inside a training item alone; elsewhere they are names."""

CHECK = "check"
"""Begins a check, where ``==`` or ``⊢`` follows in the same item; elsewhere it is a name."""

INITIALS = frozenset({"zeros", "ones", "eye", "normal", "uniform", "glorot", "load"})
"""The initial contents of a location that are no literal."""


def ends_expression(token: Token) -> bool:
    """Whether an expression may end with ``token``; then neither a name nor ``return`` can continue it."""
    match token.kind:
        case Kind.NAME | Kind.NUMBER | Kind.STRING | Kind.PROJECTION:
            return True
        case Kind.SYMBOL:
            return token.text in {")", "]", "}", "⟩", "⌋", "ᵀ"}
        case Kind.KEYWORD | Kind.COMMENT | Kind.END | Kind.FOREIGN:
            return False
        case Kind.BAD_NUMBER | Kind.BAD_STRING | Kind.BAD_CHARACTER:
            return False
