"""Missing and useless rows of a matrix of patterns (Maranget 2007, Warnings for pattern matching).

A matrix is specialised by each form of one column: the first that can fail to match in the first row. A row is useful if it is
the first one that matches in some specialisation, and values are missing where no row is left.
"""

from collections.abc import Callable, Iterable, Iterator, Sequence
from itertools import count
from typing import TypeAlias

from rh_kernel.ad.eff.core import (
    AnyPattern,
    ConstructorPattern,
    LiteralPattern,
    NamePattern,
    Pattern,
    TuplePattern,
)
from rh_kernel.ad.eff.types import Constructor
from rh_kernel.source.records import frozen

Patterns: TypeAlias = tuple[Pattern, ...]
"""A row: one pattern for each of several values."""

Siblings: TypeAlias = Callable[[str], Sequence[Constructor]]
"""All constructors of the data type of a constructor."""

Form: TypeAlias = ConstructorPattern | TuplePattern | LiteralPattern
"""The outermost form of a value: the parts of a constructor or a tuple are ``_``."""

_Rows: TypeAlias = list[tuple[int, Patterns]]
"""Rows with their numbers."""

_ANY = AnyPattern()


@frozen
class Coverage:
    """Patterns for values that no row matches, if there are any, and the rows that are never the first to match.

    No row matches any value of ``missing``, which is as general as possible. Every type is assumed to have values.
    """

    missing: Patterns | None
    useless: tuple[int, ...]


@frozen
class _Known:
    """A list of the forms of columns that were specialised, the last one first; the parts of each became the first columns."""

    form: Form
    column: int
    before: "_Known | None"


@frozen
class _Matrix:
    """A specialised matrix: the rows that can still match, its number of columns, and the forms that are known."""

    rows: _Rows
    width: int
    known: _Known | None = None
    size: int = 0


def coverage(rows: Sequence[Patterns], siblings: Siblings) -> Coverage:
    """The values that a nonempty list of rows misses, and the rows that are useless after those before them."""
    waiting = [_Matrix(list(enumerate(rows)), len(rows[0]))]
    useful: set[int] = set()
    smallest: _Matrix | None = None
    while waiting:
        matrix = waiting.pop()
        if not matrix.rows:
            smallest = matrix if smallest is None or matrix.size < smallest.size else smallest
            continue
        number, first = matrix.rows[0]
        column = next((n for n, p in enumerate(first) if _form(p) is not None), None)
        if column is None:
            useful.add(number)
        else:
            waiting.extend(reversed([*_cases(matrix, column, siblings)]))
    missing = None if smallest is None else _witness(smallest, rows)
    return Coverage(missing, tuple([n for n in range(len(rows)) if n not in useful]))


def _cases(matrix: _Matrix, column: int, siblings: Siblings) -> Iterator[_Matrix]:
    """Specialise a matrix by each form of a column in its rows, and by one form that is in no row, if there is one."""
    fitting: dict[Form, _Rows] = {}
    rest: _Rows = []
    for n, row in matrix.rows:
        form = _form(row[column])
        if form is None:
            for others in (*fitting.values(), rest):
                others.append((n, row))
        else:
            fitting.setdefault(form, [*rest]).append((n, row))
    is_missing = False
    for form in _forms(fitting, siblings):
        if form not in fitting and is_missing:
            continue
        is_missing = is_missing or form not in fitting
        parts = len(_parts(form))
        rows = [(n, _opened(row, column, parts)) for n, row in fitting.get(form, rest)]
        size = matrix.size + (not isinstance(form, TuplePattern))
        yield _Matrix(rows, matrix.width - 1 + parts, _Known(form, column, matrix.known), size)


def _forms(given: Iterable[Form], siblings: Siblings) -> Iterator[Form]:
    """All forms of a type, given some of them; for numbers and texts, those and one more."""
    match next(iter(given)):
        case ConstructorPattern(K):
            for k in siblings(K):
                yield ConstructorPattern(k.name, (_ANY,) * len(k.fields))
        case LiteralPattern(value):
            yield from (taken := [*given])
            others: Iterator[float | int | str]
            match value:
                case str():
                    others = ("a" * n for n in count())
                case float():
                    others = map(float, count())
                case int():
                    others = count()
            yield next(form for other in others if (form := LiteralPattern(other)) not in taken)
        case TuplePattern() as form:
            yield form


def _form(p: Pattern) -> Form | None:
    """The form of the values that p matches; ``None`` if it matches all."""
    match p:
        case ConstructorPattern(K, fields):
            return ConstructorPattern(K, (_ANY,) * len(fields))
        case TuplePattern(components):
            return TuplePattern((_ANY,) * len(components))
        case LiteralPattern():
            return p
        case AnyPattern() | NamePattern():
            return None


def _parts(p: Pattern) -> Patterns:
    match p:
        case ConstructorPattern(_, parts) | TuplePattern(parts):
            return parts
        case AnyPattern() | NamePattern() | LiteralPattern():
            return ()


def _opened(row: Patterns, column: int, parts: int) -> Patterns:
    """The row with the parts of one column's pattern in front instead of that column."""
    return (_parts(row[column]) or (_ANY,) * parts) + row[:column] + row[column + 1 :]


def _witness(matrix: _Matrix, rows: Sequence[Patterns]) -> Patterns:
    """The most general patterns for the known forms that no row matches."""
    known: list[_Known] = []
    last = matrix.known
    while last is not None:
        known.append(last)
        last = last.before
    left_out: set[int] = set()
    found = _values(known, left_out, matrix.width)
    for n in reversed(range(len(known))):
        less = _values(known, left_out | {n}, matrix.width)
        if not any(_meet(less, row) for row in rows):
            left_out.add(n)
            found = less
    return found


def _values(known: Sequence[_Known], left_out: set[int], width: int) -> Patterns:
    """Patterns for the values with the known forms, the last one first, without those that are left out."""
    found: Patterns = (_ANY,) * width
    for n, step in enumerate(known):
        parts = len(_parts(step.form))
        inner, others = found[:parts], found[parts:]
        p: Pattern = _ANY
        if n not in left_out:
            match step.form:
                case ConstructorPattern(K):
                    p = ConstructorPattern(K, inner)
                case TuplePattern():
                    p = TuplePattern(inner)
                case LiteralPattern() as literal:
                    p = literal
        found = (*others[: step.column], p, *others[step.column :])
    return found


def _meet(some: Patterns, others: Patterns) -> bool:
    """Whether some values match both rows."""
    waiting = [*zip(some, others, strict=True)]
    while waiting:
        p, q = waiting.pop()
        form, other = _form(p), _form(q)
        if form is not None and other is not None:
            if form != other:
                return False
            waiting.extend(zip(_parts(p), _parts(q), strict=True))
    return True
