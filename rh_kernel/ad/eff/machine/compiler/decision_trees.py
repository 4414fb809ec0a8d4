"""Compilation of ``match V | p -> M | …`` to a decision tree, which tests one constructor or literal at a node.

A node tests the first column in which the first remaining row has a refutable pattern. The components of what was tested are
appended to ρ.
"""

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import TypeAlias

from rh_kernel.ad.eff import core
from rh_kernel.ad.eff.machine.compiler.expressions import Computed, Constant, Expression, Scope, Slot, at_width
from rh_kernel.ad.eff.machine.compiler.program import SHARED, Program, size
from rh_kernel.ad.eff.machine.compiler.values import expression, expressions
from rh_kernel.ad.eff.machine.values import Tag, is_tuple
from rh_kernel.ad.eff.types import DataDeclaration


@dataclass(frozen=True, slots=True)
class Leaf:
    """The row matches; ``names`` are its variables and ``width`` is the length of ρ."""

    row: int
    names: Mapping[str, Expression]
    width: int


@dataclass(frozen=True, slots=True)
class Extend:
    """Append to ρ the components of a value, or the value itself if it ``is_whole``, without a test."""

    value: Expression
    is_whole: bool
    then: "Tree"


@dataclass(frozen=True, slots=True)
class Decision:
    """Branch on a constructor or a literal; for those in ``grows`` the value with its tag is appended to ρ.

    ``is_exhaustive`` says that each constructor of the type has a case.
    """

    value: Expression
    cases: "Mapping[object, Tree]"
    grows: frozenset[object]
    otherwise: "Tree"
    is_literal: bool
    is_exhaustive: bool = False


@dataclass(frozen=True, slots=True)
class Unmatched:
    """No row matches."""


Tree: TypeAlias = Leaf | Extend | Decision | Unmatched

_Row: TypeAlias = tuple[int, tuple[core.Pattern, ...], dict[str, Expression]]


def decision_tree(V: core.Value, branches: Sequence[core.Branch], scope: Scope, program: Program) -> tuple[Tree, list[int]]:
    """The tree, and the numbers of the branches whose bodies are to be shared, as they are large and have several leaves."""
    values, rows = _columns(V, branches, scope, program)
    builder = _Builder(program.siblings)
    tree = builder.tree(values, [(n, row, {}) for n, row in enumerate(rows)], scope.width)
    shared = [n for n, branch in enumerate(branches) if builder.leaves[n] > 1 and size(branch.body, SHARED) > SHARED]
    return tree, shared


def _columns(
    V: core.Value, branches: Sequence[core.Branch], scope: Scope, program: Program
) -> tuple[list[Expression], list[tuple[core.Pattern, ...]]]:
    """The values to test and the rows of patterns. A tuple that is built only to be matched is not built."""
    patterns = [branch.pattern for branch in branches]
    if isinstance(V, core.Tuple) and not any(isinstance(p, core.NamePattern) for p in patterns):
        rows = [
            p.components if isinstance(p, core.TuplePattern) else (core.AnyPattern(),) * len(V.components) for p in patterns
        ]
        return expressions(V.components, scope, program), rows
    return [expression(V, scope, program)], [(p,) for p in patterns]


class _Builder:
    """Builds one tree and counts the leaves of each row; ``siblings`` are the data types by their constructors."""

    __slots__ = ("_siblings", "leaves")

    def __init__(self, siblings: Mapping[str, DataDeclaration]) -> None:
        self._siblings = siblings
        self.leaves: Counter[int] = Counter()

    def tree(self, values: list[Expression], rows: list[_Row], width: int) -> Tree:
        """The tree for rows of patterns, with a column for each value, and a ρ of length ``width``."""
        if not rows:
            return Unmatched()
        number, patterns, names = rows[0]
        column = next((n for n, p in enumerate(patterns) if not isinstance(p, core.AnyPattern | core.NamePattern)), None)
        if column is None:
            for n, (p, V) in enumerate(zip(patterns, values, strict=True)):
                if isinstance(p, core.NamePattern) and isinstance(V, Computed):
                    return self._saved(n, values, rows, width)
            self.leaves[number] += 1
            bound = {p.name: V for p, V in zip(patterns, values, strict=True) if isinstance(p, core.NamePattern)}
            return Leaf(number, {**names, **bound}, width)
        if isinstance(values[column], Computed) and any(isinstance(row[column], core.NamePattern) for _, row, _ in rows):
            return self._saved(column, values, rows, width)
        match patterns[column]:
            case core.TuplePattern(inner):
                return self._unpacked(column, len(inner), 0, values, rows, width)
            case core.ConstructorPattern(K, inner) if len(self._siblings[K].constructors) == 1:
                return self._unpacked(column, len(inner), 1, values, rows, width)
            case _:
                return self._decision(column, values, rows, width)

    def _saved(self, column: int, values: list[Expression], rows: list[_Row], width: int) -> Tree:
        """Append a computed value to ρ first, as it is needed more than once."""
        saved: list[Expression] = [*values[:column], Slot(width), *values[column + 1 :]]
        return Extend(at_width(values[column], width), then=self.tree(saved, rows, width + 1), is_whole=True)

    def _unpacked(self, column: int, count: int, head: int, values: list[Expression], rows: list[_Row], width: int) -> Tree:
        """Take apart a value whose type has only this form; ``head`` is 1 if it starts with a tag."""
        V = values[column]
        others = [*values[:column], *values[column + 1 :]]
        after = [_expanded(row, column, count, V) for row in rows]
        if isinstance(V, Constant):
            return self.tree([*[Constant(part) for part in V.value[head:]], *others], after, width)
        inner: list[Expression] = [Slot(width + head + n) for n in range(count)]
        return Extend(at_width(V, width), then=self.tree([*inner, *others], after, width + head + count), is_whole=False)

    def _decision(self, column: int, values: list[Expression], rows: list[_Row], width: int) -> Tree:
        V = values[column]
        others = [*values[:column], *values[column + 1 :]]
        heads = dict.fromkeys(head for _, row, _ in rows if (head := _head(row[column])) is not None)
        if isinstance(V, Constant) and (fitting := [row for row in rows if _may_match(row[1][column], V)]):
            fields = [Constant(part) for part in V.value[1:]] if is_tuple(V.value) else []
            return self.tree([*fields, *others], [_expanded(row, column, len(fields), V) for row in fitting], width)
        cases: dict[object, Tree] = {}
        grows: set[object] = set()
        for K, count in heads:
            fitting = [_expanded(row, column, count, V) for row in rows if _head(row[1][column]) in {(K, count), None}]
            if count:
                grows.add(K)
            inner: list[Expression] = [Slot(width + 1 + n) for n in range(count)]
            cases[K] = self.tree([*inner, *others], fitting, width + 1 + count if count else width)
        first, _ = next(iter(heads))
        value, appended = at_width(V, width), frozenset(grows)
        is_literal = not isinstance(first, Tag)
        if not is_literal and all(c.name in cases for c in self._siblings[str(first)].constructors):
            return Decision(value, cases, appended, Unmatched(), is_literal, is_exhaustive=True)
        left = [_expanded(row, column, 0, V) for row in rows if _head(row[1][column]) is None]
        return Decision(value, cases, appended, self.tree(others, left, width), is_literal)


def _head(p: core.Pattern) -> tuple[object, int] | None:
    """The constructor or literal that a pattern requires, and the number of its components; ``None`` if it is irrefutable."""
    match p:
        case core.ConstructorPattern(K, inner):
            return Tag(K), len(inner)
        case core.LiteralPattern(value):
            return value, 0
        case core.TuplePattern(inner):
            return None, len(inner)
        case core.AnyPattern() | core.NamePattern():
            return None


def _may_match(p: core.Pattern, V: Constant) -> bool:
    """Whether the head of a pattern, if it has one, is that of a constant."""
    head = _head(p)
    return head is None or head[0] == (V.value[0] if is_tuple(V.value) else V.value)


def _expanded(row: _Row, column: int, count: int, V: Expression) -> _Row:
    """The row with columns for the ``count`` components of a value in front, and without the column of the value."""
    number, patterns, names = row
    p = patterns[column]
    rest = patterns[:column] + patterns[column + 1 :]
    match p:
        case core.ConstructorPattern(_, inner) | core.TuplePattern(inner):
            return number, (*inner, *rest), names
        case core.NamePattern(x):
            return number, (core.AnyPattern(),) * count + rest, {**names, x: V}
        case core.AnyPattern() | core.LiteralPattern():
            return number, (core.AnyPattern(),) * count + rest, names
