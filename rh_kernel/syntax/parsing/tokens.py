"""Tokens: the keywords and symbols of LANGUAGE §1, each symbol in one canonical spelling."""

from enum import Enum, auto

from rh_kernel.source.records import frozen

STUB = "YOUR_CODE_HERE"
"""The name that stands for the missing solution in an exercise; it cannot be used for anything else."""


class Kind(Enum):
    """The kind of a token. Tokens of the last four kinds are errors, which the parser reports."""

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
INCLUDE = "include"
"""Begins an item that runs the declarations of a file."""

KEYWORDS = frozenset({"let", "in", "return", "rev", "handle", "with", "train", "rd", INCLUDE, *DECLARATIONS})

SPELLINGS = {
    "<-": "←",
    "<=": "⇐",
    "->": "→",
    "↦": "→",
    "=>": "⇒",
    "|-": "⊢",
    "⇝": "~>",
    "^T": "ᵀ",
    "⋅": "·",
    "−": "-",
    "...": "…",
}
"""The canonical spelling of each symbol that has several."""

CLOSERS = {"(": ")", "[": "]", "{": "}", "⟨": "⟩", "<": ">", "⌊": "⌋"}
"""The closing bracket for each opening bracket."""

PYTHON = "%%python"
"""The first line of a Python cell."""

LAMBDA_SECTION = "%%lambda"
"""The line that starts a section of λ-calculus items."""

EFF_SECTION = "%%eff"
"""The line that starts a section of EFF items."""

SECTIONS = {LAMBDA_SECTION: "}", EFF_SECTION: "}|"}
"""Lines that start a section in another language with items, up to the next line that begins with ``%%``.

The value is the set of characters that, in the first column, continue an item.
"""

RETURN = "%%rh"
"""The line that ends a section and returns to this language."""

SAMPLE_DIRECTIVES = ("confusion", "surface", "sees")
"""The directives that take a term or a command for each sample, ``P for (x, t) in data("…")``."""

DIRECTIVE_NAME = r"(?:save-view\b|\w+)"
"""The pattern of the name of a directive. Only one has a hyphen: in `%trace-1` the minus sign belongs to the term."""

EXPRESSION_DIRECTIVES = frozenset(
    {"trace", "type", "compile", "derivation", "diagram", "gradient", "flow", "race", *SAMPLE_DIRECTIVES}
)
"""The directives whose argument is a term or a command; all others take words."""

TRAINING_DIRECTIVES = frozenset({"compile", "flow", "race"})
"""The directives among them that take a training item, too."""

DIRECTIVE_OPTIONS = {"compile": ("passes", "profile"), "diagram": ("folded", "unrolled")}
"""Contextual keywords after ``%compile --`` and the like; elsewhere they are names."""

TRAINING_OPTIONS = ("epochs", "batch", "pieces", "shuffle", "measure", "surface")
"""Contextual keywords of a training item; elsewhere they are names."""

ITERATIONS = ("map", "scan")
"""Start a map or a scan if ``(``, a pattern and ``in`` follow; elsewhere they are names."""

ITERATION_WORDS = ("from", "do")
"""Contextual keywords of a map, a scan or a repetition; elsewhere they are names."""

SWEEP = "sweep"
"""Starts a sweep if a name follows; elsewhere it is a name."""

REPEAT = "repeat"
"""Starts a repetition if a name and ``<`` follow; elsewhere it is a name."""

CHECK = "check"
"""Starts a check if ``==`` or ``⊢`` follows in the same item; elsewhere it is a name."""

INITIALS = frozenset({"zeros", "ones", "eye", "normal", "uniform", "glorot", "load"})
"""The initializers of a location, other than literals."""


def ends_expression(token: Token) -> bool:
    """Whether an expression can end with ``token``; if so, neither a name nor ``return`` can continue it."""
    match token.kind:
        case Kind.NAME | Kind.NUMBER | Kind.STRING | Kind.PROJECTION:
            return True
        case Kind.SYMBOL:
            return token.text in {")", "]", "}", "⟩", "⌋", "ᵀ"}
        case Kind.KEYWORD | Kind.COMMENT | Kind.END | Kind.FOREIGN:
            return False
        case Kind.BAD_NUMBER | Kind.BAD_STRING | Kind.BAD_CHARACTER:
            return False
