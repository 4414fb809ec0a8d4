"""Names of a model as names of the language: ``layers.0.fc1.weight`` becomes ``layers_0_fc1_weight``."""

import re
import unicodedata
from functools import cache
from pathlib import Path

from rh_kernel.primitives.table import SYMBOLS
from rh_kernel.source.span import Source
from rh_kernel.syntax import surface_items as items
from rh_kernel.syntax.builtin import BUILT_IN_FAMILIES
from rh_kernel.syntax.parsing.parser import parse
from rh_kernel.syntax.parsing.tokens import (
    CHECK,
    INITIALS,
    ITERATION_WORDS,
    ITERATIONS,
    KEYWORDS,
    REPEAT,
    STUB,
    SWEEP,
    TRAINING_OPTIONS,
)

NET = "model"
"""The name of a net whose own name is none, or a word of the language, such as ``net``."""
LONGEST = 40
"""The most characters of a name."""

VARIABLES = ("x", "y", "z", "u", "v", "r", "s", "t")
"""The names of variables in a net; where they do not suffice, ``x1``, ``x2`` and so on are names of variables too."""

_WORDS = frozenset(
    {
        "if",
        "then",
        "else",
        "and",
        "or",
        "not",
        "on",
        "as",
        "for",
        "data",
        "within",
        "handler",
        "Real",
        "Loc",
        "Dim",
        "ceil",
        "i",
        "_",
        "each_row",
    }
)
_LIBRARY = Path(__file__).parents[2] / "library"
_INCLUDED = ("layers.rh", "sgd.rh", "attention.rh")


@cache
def reserved() -> frozenset[str]:
    """Return the names that are not given to a weight: words and symbols of the language, names of the library, variables."""
    declared: set[str] = set()
    for file in _INCLUDED:
        text = (_LIBRARY / file).read_text(encoding="utf-8")
        declared |= {item.name.text for item in parse(Source(file, text)) if isinstance(item, items.Declaration)}
    operations = {family.name for family in BUILT_IN_FAMILIES}
    words = {CHECK, REPEAT, STUB, SWEEP, *ITERATIONS, *ITERATION_WORDS, *TRAINING_OPTIONS, *INITIALS, *KEYWORDS, *_WORDS}
    return frozenset({*declared, *operations, *words, *SYMBOLS, *VARIABLES})


def cleaned(name: str, otherwise: str) -> str:
    """Return the name with ``_`` for each run of other characters than letters and digits; ``otherwise`` if nothing is left."""
    letters = "".join([c if c.isascii() or unicodedata.category(c) in {"Ll", "Lu", "Lo"} else "_" for c in _composed(name)])
    word = re.sub(r"[\W_]+", "_", letters).strip("_")[:LONGEST].strip("_")
    if not word:
        return otherwise
    return word if not word[0].isdigit() else f"layer{word}"


def snake_case(name: str) -> str:
    """``TransformerEncoder`` as ``transformer_encoder``"""
    return re.sub(r"(?<=[a-z0-9])(?=[A-Z])|(?<=[A-Z])(?=[A-Z][a-z]{2})", "_", name).lower()


def _composed(name: str) -> str:
    return unicodedata.normalize("NFC", name)


class Names:
    """The names that are taken in a file."""

    def __init__(self) -> None:
        self._taken = set(reserved())

    def take(self, name: str, otherwise: str) -> str:
        """Return a new name made from that of the model: behind ``otherwise`` if it is a word, with a number if it is taken."""
        word = cleaned(name, otherwise)
        if word in reserved():
            word = otherwise if otherwise == NET else f"{otherwise}_{word}"
        found, number = word, 2
        while found in self._taken or re.fullmatch(r"x[0-9]+|framed[0-9]*", found):
            found, number = f"{word}_{number}", number + 1
        self._taken.add(found)
        return found
