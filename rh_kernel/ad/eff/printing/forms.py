"""Forms as they are written, and how tightly they hold together."""

from collections.abc import Sequence
from enum import IntEnum

from rh_kernel.ad.eff.core import Adaptor
from rh_kernel.ad.eff.definitions import shown
from rh_kernel.source.records import frozen
from rh_kernel.syntax.printing.doc import LINE, Annotated, Doc, Mark, Role, concat, group, join, nest, role


class Level(IntEnum):
    """How tightly a form holds together; a form stands in brackets where a tighter one is asked for."""

    OPEN = 0
    FORM = 1
    ASSIGNMENT = 2
    LIST = 3
    COMPARISON = 4
    APPEND = 5
    SUM = 6
    PRODUCT = 7
    UNARY = 8
    ADAPTED = 9
    APPLICATION = 10
    POSTFIX = 11
    ATOM = 12


@frozen
class Written:
    """A form as it is written; ``is_open`` says that a ``|`` behind it would be read as a branch of a match in it.

    ``row`` is ``M; …; N`` as it is written in front of a further ``;``.
    """

    doc: Doc
    level: Level = Level.ATOM
    is_open: bool = False
    row: Doc | None = None

    def at(self, level: Level) -> Doc:
        """The form, in brackets if it holds less tightly than that."""
        return self.doc if self.level >= level else concat("(", nest(self.doc, indent=1), ")")


def keyword(text: str) -> Doc:
    """A word of the language."""
    return role(Role.KEYWORD, text)


def let(name: str, written: Written, *, in_brackets: bool = False) -> Doc:
    """``let x = M in``"""
    bound = written.at(Level.FORM) if in_brackets else written.doc
    return group(keyword("let"), f" {name} = ", nest(bound), keyword(" in"))


def statement(written: Written) -> Doc:
    """``M;``, where M may be a row itself: ``(M; N); L`` is ``M; N; L``."""
    return concat(written.at(Level.FORM) if written.row is None else written.row, ";")


def lets(lines: Sequence[tuple[Doc | None, Mark | None]], last: Written, *, is_row: bool) -> Written:
    """Lets above each other and what follows them: a row if there are ``M;`` alone. A mark is of all from its place on."""
    if all(line is None for line, _ in lines):
        return Written(_joined(lines, last.doc), last.level, last.is_open, last.row)
    row = _joined(lines, last.at(Level.FORM)) if is_row else None
    return Written(group(_joined(lines, last.doc)), Level.OPEN, last.is_open, row)


def _joined(lines: Sequence[tuple[Doc | None, Mark | None]], last: Doc) -> Doc:
    parts: list[Doc] = []
    for line, mark in reversed(lines):
        if line is not None:
            parts.append(line)
        if mark is not None:
            last = Annotated(mark, join(LINE, [*reversed(parts), last]))
            parts = []
    return join(LINE, [*reversed(parts), last])


def adaptor(A: Adaptor) -> str:
    """``Smooth``, ``Smooth(s a b -> s b)``"""
    if A.taken == 1 and not A.kept:
        return shown(A.effect)
    names = [_instance(A.taken - 1 - i, A.taken) for i in range(A.taken)]
    kept = [_instance(i, A.taken) for i in reversed(A.kept)]
    return f"{shown(A.effect)}({' '.join(['s', *names])} -> {' '.join(['s', *kept])})"


def _instance(place: int, taken: int) -> str:
    """The name of an instance, which is counted from the innermost: the outermost is ``a``."""
    letters = "abcdefghijklmnopqr"
    return letters[taken - 1 - place] if taken <= len(letters) else f"a{taken - place}"
