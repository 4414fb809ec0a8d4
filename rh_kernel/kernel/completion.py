"""The names that fit a half-written word, and what is known of a whole one."""

import re
from collections.abc import Iterator
from dataclasses import dataclass

from rh_kernel.kernel.forms import FORMS
from rh_kernel.primitives.table import ROWS
from rh_kernel.session.describing import type_text
from rh_kernel.session.directives import DIRECTIVES
from rh_kernel.session.helping import help_text
from rh_kernel.source.span import Source, Span
from rh_kernel.syntax.lexer import tokens
from rh_kernel.syntax.tokens import Kind
from rh_kernel.training.bundled import NAMES
from rh_kernel.typing.definitions import (
    ConstDefinition,
    Definition,
    Definitions,
    DimDefinition,
    FunDefinition,
    HandlerDefinition,
    LocDefinition,
    NetDefinition,
    OpDefinition,
)

_WORD = r"[^\W\d][\w']*"
_BEFORE = re.compile(rf"%?(?:{_WORD})?$")
_AROUND = re.compile(rf"%?{_WORD}")
_IN_DATA = re.compile(r'\bdata\(\s*"([^"\n]*)$')


@dataclass(frozen=True, slots=True)
class Completion:
    """A word that fits: what kind of thing it is, in the words that front ends have icons for, and its type."""

    text: str
    kind: str
    signature: str = ""


def completions(definitions: Definitions, text: str, cursor: int) -> tuple[int, list[Completion]]:
    """Where the half-written word before ``cursor`` begins, and the words that begin like it, the nearest to hand first."""
    before = text[:cursor]
    data = _IN_DATA.search(before)
    if data is not None:
        sets = [Completion(name, "text", "data set") for name in _data_sets()]
        return data.start(1), [c for c in sets if c.text.startswith(data[1])]
    half = _BEFORE.search(before)
    word = "" if half is None else half[0]
    start = cursor - len(word)
    if "#" in before[before.rfind("\n") + 1 :]:
        return start, []
    known: dict[str, Completion] = {}
    for c in _directives() if word.startswith("%") else _words(definitions, text, start):
        known.setdefault(c.text, c)
    fitting = [c for c in known.values() if c.text.lower().startswith(word.lower()) and c.text != word]
    return start, sorted(fitting, key=lambda c: not c.text.startswith(word))


def inspection(definitions: Definitions, text: str, cursor: int) -> str | None:
    """What is known of the word at ``cursor``: its type and documentation, or the form that a keyword begins."""
    for m in _AROUND.finditer(text):
        if m.start() <= cursor <= m.end():
            return _about(definitions, m[0])
    return None


def _about(definitions: Definitions, word: str) -> str | None:
    name = word.lstrip("%")
    if word.startswith("%"):
        return help_text(definitions, (word,)) if name in DIRECTIVES else None
    if definitions.get(name) is None and name in FORMS:
        return FORMS[name]
    if definitions.get(name) is not None or name in ROWS:
        return help_text(definitions, (name,))
    return None


def _data_sets() -> Iterator[str]:
    for name in NAMES:
        yield name
        yield f"{name}.train"
        yield f"{name}.test"


def _directives() -> Iterator[Completion]:
    for name, (argument, _) in DIRECTIVES.items():
        yield Completion(f"%{name}", "magic", f"%{name} {argument}".rstrip())


def _words(definitions: Definitions, text: str, start: int) -> Iterator[Completion]:
    """What is declared, then what the cell names elsewhere, then what the language has."""
    for name, declared in definitions.named.items():
        yield Completion(name, _kind(declared.definition), f"{name} : {type_text(declared.definition)}")
    for token in tokens(Span(Source("cell", text), 0, len(text))):
        if token.kind is Kind.NAME and not token.start <= start <= token.end and token.text not in FORMS:
            yield Completion(token.text, "instance")
    for name, form in FORMS.items():
        yield Completion(name, "keyword", form.split("\n")[0])
    for name, row in ROWS.items():
        yield Completion(name, "function", row.signatures[0])


def _kind(definition: Definition) -> str:
    match definition:
        case DimDefinition() | ConstDefinition() | LocDefinition():
            return "instance"
        case FunDefinition() | OpDefinition():
            return "function"
        case NetDefinition():
            return "module"
        case HandlerDefinition():
            return "class"
