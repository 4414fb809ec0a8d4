"""``match V | p -> M | …`` as a tree of decisions about one constructor each; what has been taken apart is at the end of ρ.

A decision goes by the first column in which the first row that is left has a pattern that may fail to fit.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import TypeAlias

from rh_kernel.ad.eff import core
from rh_kernel.ad.eff.machine.compiler.expressions import Computed, Constant, Expression, Slot, seen
from rh_kernel.ad.eff.machine.values import Tag, is_tuple
from rh_kernel.ad.eff.types import DataDeclaration


@dataclass(frozen=True, slots=True)
class Leaf:
    """The row fits; its variables are read so."""

    row: int
    names: Mapping[str, Expression]
    width: int


@dataclass(frozen=True, slots=True)
class Unfold:
    """Every value of the type has this form: its components are put at the end of ρ; of a value alone, the value itself."""

    value: Expression
    is_alone: bool
    then: "Tree"


@dataclass(frozen=True, slots=True)
class Decision:
    """Which constructor it is, or which literal; of those in ``grows`` the components are put at the end of ρ."""

    value: Expression
    cases: "Mapping[object, Tree]"
    grows: frozenset[object]
    otherwise: "Tree"
    is_literal: bool


@dataclass(frozen=True, slots=True)
class Nothing:
    """No row fits."""


Tree: TypeAlias = Leaf | Unfold | Decision | Nothing

_Row: TypeAlias = tuple[int, tuple[core.Pattern, ...], dict[str, Expression]]


class Matching:
    """Trees for patterns over the data types there are."""

    __slots__ = ("_siblings",)

    def __init__(self, declarations: Sequence[DataDeclaration]) -> None:
        self._siblings = {constructor.name: declared for declared in declarations for constructor in declared.constructors}

    def tree(
        self, values: Sequence[Expression], rows: Sequence[tuple[core.Pattern, ...]], width: int
    ) -> tuple[Tree, dict[int, int]]:
        """The tree for rows of patterns, one for each value, and in how many leaves each row is."""
        uses: dict[int, int] = {}
        return self._tree(list(values), [(n, row, {}) for n, row in enumerate(rows)], width, uses), uses

    def _tree(self, values: list[Expression], rows: list[_Row], width: int, uses: dict[int, int]) -> Tree:
        if not rows:
            return Nothing()
        number, patterns, names = rows[0]
        column = next((n for n, p in enumerate(patterns) if not _fits_all(p)), None)
        if column is None:
            alone = [n for n, (p, V) in enumerate(zip(patterns, values, strict=True)) if _is_named(p) and _is_computed(V)]
            if alone:
                return self._held(alone[0], values, rows, width, uses)
            uses[number] = uses.get(number, 0) + 1
            return Leaf(number, {**names, **_bindings(patterns, values)}, width)
        V = values[column]
        if _is_computed(V) and any(_is_named(row[column]) for _, row, _ in rows):
            return self._held(column, values, rows, width, uses)
        match patterns[column]:
            case core.TuplePattern(inner):
                return self._unfolded(column, len(inner), 0, values, rows, width, uses)
            case core.ConstructorPattern(K, inner) if len(self._siblings[K].constructors) == 1:
                return self._unfolded(column, len(inner), 1, values, rows, width, uses)
            case _:
                return self._decision(column, values, rows, width, uses)

    def _held(self, column: int, values: list[Expression], rows: list[_Row], width: int, uses: dict[int, int]) -> Tree:
        """A value that is needed more than once is put at the end of ρ first."""
        held: list[Expression] = [*values[:column], Slot(width), *values[column + 1 :]]
        return Unfold(seen(values[column], width), then=self._tree(held, rows, width + 1, uses), is_alone=True)

    def _unfolded(
        self, column: int, count: int, head: int, values: list[Expression], rows: list[_Row], width: int, uses: dict[int, int]
    ) -> Tree:
        V = values[column]
        after = [_opened(row, column, count, V) for row in rows]
        if isinstance(V, Constant):
            known = [Constant(part) for part in V.value[head:]]
            return self._tree([*known, *values[:column], *values[column + 1 :]], after, width, uses)
        inner: list[Expression] = [Slot(width + head + n) for n in range(count)]
        tree = self._tree([*inner, *values[:column], *values[column + 1 :]], after, width + head + count, uses)
        return Unfold(seen(values[column], width), then=tree, is_alone=False)

    def _decision(self, column: int, values: list[Expression], rows: list[_Row], width: int, uses: dict[int, int]) -> Tree:
        V = values[column]
        others = [*values[:column], *values[column + 1 :]]
        forms = dict.fromkeys(form for _, row, _ in rows if (form := _form(row[column])) is not None)
        if isinstance(V, Constant) and (fitting := [row for row in rows if _is_fit(row, column, V)]):
            fields = _fields(V)
            opened = [_opened(row, column, len(fields), V) for row in fitting]
            return self._tree([*fields, *others], opened, width, uses)
        cases: dict[object, Tree] = {}
        grows: set[object] = set()
        for K, count in forms:
            fitting = [_opened(row, column, count, V) for row in rows if _form(row[1][column]) in {(K, count), None}]
            if count:
                grows.add(K)
            inner: list[Expression] = [Slot(width + 1 + n) for n in range(count)]
            cases[K] = self._tree([*inner, *others], fitting, width + 1 + count if count else width, uses)
        is_literal = not isinstance(next(iter(forms))[0], Tag)
        if not is_literal and all(c.name in cases for c in self._siblings[str(next(iter(forms))[0])].constructors):
            return Decision(seen(V, width), cases, frozenset(grows), Nothing(), is_literal)
        left = [_opened(row, column, 0, V) for row in rows if _form(row[1][column]) is None]
        return Decision(seen(V, width), cases, frozenset(grows), self._tree(others, left, width, uses), is_literal)

    def is_whole(self, tree: Tree) -> bool:
        """Whether some row fits, whatever the values are."""
        match tree:
            case Leaf():
                return True
            case Nothing():
                return False
            case Unfold(then=then):
                return self.is_whole(then)
            case Decision(cases=cases, otherwise=otherwise):
                return all(map(self.is_whole, cases.values())) and (self.is_covered(tree) or self.is_whole(otherwise))

    def is_covered(self, decision: Decision) -> bool:
        """Whether there is a case for each constructor."""
        if decision.is_literal:
            return False
        declared = self._siblings[str(next(iter(decision.cases)))]
        return all(c.name in decision.cases for c in declared.constructors)


def _fits_all(p: core.Pattern) -> bool:
    return isinstance(p, core.AnyPattern | core.NamePattern)


def _is_named(p: core.Pattern) -> bool:
    return isinstance(p, core.NamePattern)


def _is_computed(V: Expression) -> bool:
    return isinstance(V, Computed)


def _bindings(patterns: Sequence[core.Pattern], values: Sequence[Expression]) -> dict[str, Expression]:
    return {p.name: V for p, V in zip(patterns, values, strict=True) if isinstance(p, core.NamePattern)}


def _form(p: core.Pattern) -> tuple[object, int] | None:
    """The constructor or literal that a pattern asks for, and how many components it has."""
    match p:
        case core.ConstructorPattern(K, inner):
            return Tag(K), len(inner)
        case core.LiteralPattern(value):
            return value, 0
        case core.TuplePattern(inner):
            return None, len(inner)
        case core.AnyPattern() | core.NamePattern():
            return None


def _fields(V: Constant) -> list[Constant]:
    """The components of a constant that may be constructed."""
    return [Constant(part) for part in V.value[1:]] if is_tuple(V.value) else []


def _is_fit(row: _Row, column: int, V: Constant) -> bool:
    """Whether a pattern is of the form that a constant has, or of none."""
    form = _form(row[1][column])
    return form is None or form[0] == (V.value[0] if is_tuple(V.value) else V.value)


def _opened(row: _Row, column: int, count: int, V: Expression) -> _Row:
    """The row with the components of a value in front, and without the value."""
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
