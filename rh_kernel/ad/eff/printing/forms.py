"""Printed forms and their precedence."""

from collections.abc import Sequence
from enum import IntEnum

from rh_kernel.ad.eff.core import Adaptor
from rh_kernel.ad.eff.definitions import shown
from rh_kernel.source.records import frozen
from rh_kernel.syntax.printing.doc import LINE, Annotated, Doc, Mark, Role, concat, group, join, nest, role


class Level(IntEnum):
    """The precedence of a form; a form is put in parentheses where a higher one is required."""

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
class Printed:
    """A printed form; ``is_open`` says that a ``|`` after it would be parsed as a branch of a match that ends it.

    ``sequence`` is the document of ``M; …; N`` in front of a further ``;``, without parentheses.
    """

    doc: Doc
    level: Level = Level.ATOM
    is_open: bool = False
    sequence: Doc | None = None

    def at(self, level: Level) -> Doc:
        """The form, in parentheses if its precedence is lower than ``level``."""
        return self.doc if self.level >= level else concat("(", nest(self.doc, indent=1), ")")


def keyword(text: str) -> Doc:
    """A keyword of the language."""
    return role(Role.KEYWORD, text)


def let(name: str, printed: Printed, *, in_parentheses: bool = False) -> Doc:
    """``let x = M in``"""
    bound = printed.at(Level.FORM) if in_parentheses else printed.doc
    return group(keyword("let"), f" {name} = ", nest(bound), keyword(" in"))


def statement(printed: Printed) -> Doc:
    """``M;``, where M may be a sequence itself: ``(M; N); L`` is ``M; N; L``."""
    return concat(printed.at(Level.FORM) if printed.sequence is None else printed.sequence, ";")


def lets(lines: Sequence[tuple[Doc | None, Mark | None]], last: Printed, *, is_sequence: bool) -> Printed:
    """Lets above each other and the form after them; a sequence if all are ``M;``. The mark of a line covers the rest."""
    if all(line is None for line, _ in lines):
        return Printed(_joined(lines, last.doc), last.level, last.is_open, last.sequence)
    sequence = _joined(lines, last.at(Level.FORM)) if is_sequence else None
    return Printed(group(_joined(lines, last.doc)), Level.OPEN, last.is_open, sequence)


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
    """The name of an instance, numbered from the innermost one; the outermost is ``a``."""
    letters = "abcdefghijklmnopqr"
    return letters[taken - 1 - place] if taken <= len(letters) else f"a{taken - place}"
