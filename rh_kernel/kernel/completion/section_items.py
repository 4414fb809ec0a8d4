"""What completion in ``%%lambda`` and ``%%eff`` sections has in common: directives, the partial word, local names."""

import re
from collections.abc import Collection, Iterator, Sequence
from dataclasses import dataclass

from rh_kernel.kernel.completion.words import Completion
from rh_kernel.session.directives.lines import RETURN_LINE
from rh_kernel.session.directives.registry import directives
from rh_kernel.source.span import Span
from rh_kernel.syntax.parsing.tokens import RETURN, Kind, Token

_PARTIAL_DIRECTIVE = re.compile(r"%{1,2}\w*")


@dataclass(frozen=True, slots=True)
class Candidates:
    """The completions at a position: where the partial word begins, the word, and the candidates, nearest first."""

    start: int
    word: str
    found: tuple[Completion, ...]


@dataclass(frozen=True, slots=True)
class PartialWord:
    """A partial word at the end of an item, empty after an operator, and the tokens before it, without comments."""

    start: int
    text: str
    before: list[Token]


def directive_candidates(item: Span, section: str) -> Candidates | None:
    """Complete the name of a directive of a section, if the item is one."""
    if not _PARTIAL_DIRECTIVE.fullmatch(item.text):
        return None
    found = [Completion(f"%{directive.name}", "magic", directive.call) for directive in directives(section).values()]
    return Candidates(item.start, item.text, (*found, Completion(RETURN, "magic", RETURN_LINE)))


def partial_word(span: Span, read: Sequence[Token], operators: Collection[Kind] = (Kind.SYMBOL,)) -> PartialWord | None:
    """Return the partial word at the end of ``span``, whose tokens are ``read``.

    ``None`` if the last token is neither a word nor one of the ``operators``, for example a comment.
    """
    start, last = span.end, read[-1] if read and read[-1].end == span.end else None
    if last is not None and last.kind in {Kind.NAME, Kind.KEYWORD} and not last.text.startswith("λ"):
        start, read = last.start, read[:-1]
    elif last is not None and last.kind not in operators:
        return None
    before = [token for token in read if token.kind is not Kind.COMMENT]
    return PartialWord(start, span.source.text[start : span.end], before)


def local_names(before: Sequence[Token], declarations: Collection[str], taken: Collection[str]) -> Iterator[str]:
    """Yield the names earlier in an item, most recent first, without that of its declaration and those ``taken`` otherwise."""
    declared = before[1].text if len(before) > 1 and before[0].text in declarations else ""
    for token in reversed(before):
        name = token.text.removeprefix("λ")
        if token.kind is Kind.NAME and name and name != declared and name not in taken:
            yield name
