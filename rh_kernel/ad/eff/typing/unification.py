"""Unification of types and rows: equations ``A = B``, ``C = D`` and ``E = E'``, and their solution so far.

Rows have scoped labels (Leijen 2005): for each effect the labels are compared from the innermost one outwards, and labels that
only one of the rows has become part of the other's tail. No row contains a label through its own tail, and no type itself.
"""

from collections.abc import Callable, Iterator, Sequence
from typing import Literal, TypeAlias, TypeVar, cast

from rh_kernel.ad.eff import types as t
from rh_kernel.ad.eff.typing.instantiation import Instance
from rh_kernel.ad.eff.typing.type_traversal import AnyType, TypeNode, leaves, mapped

Why: TypeAlias = Literal["differ", "infinite", "rows", "rigid"]
"""Two forms differ; a type would be a part of itself; a row lacks a label; a variable would be a particular type."""

_Known = TypeVar("_Known", t.ValueType, t.ComputationType, "t.ValueType | t.ComputationType")


class Mismatch(Exception):
    """An equation that has no solution; ``effect`` is that of the label that a row lacks."""

    def __init__(self, why: Why, effect: str | None = None) -> None:
        super().__init__(why)
        self.why: Why = why
        self.effect = effect


class Unknowns:
    """The unknown types of one item, and the solution found so far; ``count`` is the number of the last unknown type."""

    __slots__ = ("_count", "_rows", "_solved")

    def __init__(self, count: int = 0) -> None:
        self._count = count
        self._solved: dict[int, t.ValueType | t.ComputationType] = {}
        self._rows: dict[int, t.Row] = {}

    @staticmethod
    def apart() -> "Unknowns":
        """Unknown types whose numbers differ from those of every item, to try equations on an item's types."""
        return Unknowns(1 << 60)

    def number(self) -> int:
        """A fresh number."""
        self._count += 1
        return self._count

    def type(self, *, numeric: bool = False) -> t.ValueType:
        """A fresh unknown value type."""
        return t.Meta(self.number(), numeric)

    def computation_type(self) -> t.ComputationType:
        """A fresh unknown computation type."""
        return t.ComputationMeta(self.number())

    def row(self, *labels: t.Label) -> t.Row:
        """``[_ | L, …]``: a row with these innermost labels and a fresh unknown tail."""
        return t.Row(labels, t.RowMeta(self.number()))

    def instance(self, variables: Sequence[str], rows: Sequence[str]) -> Instance:
        """The substitution of fresh unknown types for the bound variables of a scheme."""
        return Instance({x: self.type() for x in variables}, {e: self.row() for e in rows})

    # ------------------------------------------------------------------------------------------ solution

    def known(self, A: _Known) -> _Known:
        """A value type or a computation type with its outermost form, if that is known."""
        passed: list[int] = []
        B: t.ValueType | t.ComputationType = A
        while isinstance(B, t.Meta | t.ComputationMeta) and B.number in self._solved:
            passed.append(B.number)
            B = self._solved[B.number]
        # Path compression: the elements of a long list have a chain of equal types.
        for number in passed[:-1]:
            self._solved[number] = B
        return cast(_Known, B)

    def known_row(self, E: t.Row) -> t.Row:
        """E with all its known labels."""
        labels, tail, steps = E.labels, E.tail, 0
        while isinstance(tail, t.RowMeta) and tail.number in self._rows:
            around = self._rows[tail.number]
            labels, tail, steps = around.labels + labels, around.tail, steps + 1
        if not steps:
            return E
        found = t.Row(labels, tail)
        if steps > 1 and isinstance(E.tail, t.RowMeta):
            self._rows[E.tail.number] = t.Row(labels[: len(labels) - len(E.labels)], tail)
        return found

    def whole(self, A: AnyType) -> AnyType:
        """A type, a row or a label with the solution put in."""
        B: TypeNode = A
        if isinstance(B, t.Meta | t.ComputationMeta):
            B = self.known(B)
        elif isinstance(B, t.Row):
            B = self.known_row(B)
        return mapped(cast(AnyType, B), self.whole)

    # ----------------------------------------------------------------------------------------- equations

    def allows(self, A: TypeNode, B: TypeNode) -> bool:
        """Whether ``A = B`` has a solution, which is kept."""
        try:
            self.unify(A, B)
        except Mismatch:
            return False
        return True

    def unify(self, A: TypeNode, B: TypeNode) -> None:
        """Solve ``A = B``, for types of one kind or rows. Raises ``Mismatch``."""
        while True:
            if isinstance(A, t.Meta | t.ComputationMeta):
                A = self.known(A)
            if isinstance(B, t.Meta | t.ComputationMeta):
                B = self.known(B)
            if A is B:
                return None
            match A, B:
                case t.Meta(number, numeric), t.Meta(other):
                    if number != other:
                        first, second = (B, A) if numeric else (A, B)
                        self._solved[first.number] = second
                    return None
                case ((t.Meta() | t.ComputationMeta()), _):
                    return self._solve(A, B)
                case _, (t.Meta() | t.ComputationMeta()):
                    return self._solve(B, A)
                case t.Row(), t.Row():
                    return self._unify_rows(A, B)
                case t.Product(M), t.Product(N) if len(M) == len(N):
                    return self._unify_all(M, N)
                case t.Data(name, M), t.Data(other, N) if name == other and len(M) == len(N):
                    return self._unify_all(M, N)
                case (t.Thunk(C, A2), t.Thunk(D, B2)) | (t.Function(C, A2), t.Function(D, B2)) | (t.With(C, A2), t.With(D, B2)):
                    self.unify(C, D)
                    A, B = A2, B2
                case t.Returner(A2), t.Returner(B2):
                    A, B = A2, B2
                case _ if A == B:
                    return None
                case _:
                    raise Mismatch("rigid" if isinstance(A, t.Variable) or isinstance(B, t.Variable) else "differ")

    def _unify_all(self, M: Sequence[TypeNode], N: Sequence[TypeNode]) -> None:
        for A, B in zip(M, N, strict=True):
            self.unify(A, B)

    def _unify_rows(self, E: t.Row, F: t.Row) -> None:
        while True:
            E, F = self.known_row(E), self.known_row(F)
            if E is F:
                return
            ours, theirs = _by_effect(E), _by_effect(F)
            for effect in ours.keys() & theirs.keys():
                for L, M in zip(reversed(ours[effect]), reversed(theirs[effect]), strict=False):
                    self._unify_all(L.arguments, M.arguments)
            # The equations of the arguments may have solved the tails further.
            if self.known_row(E) is E and self.known_row(F) is F:
                break
        more, less = _beyond(E, theirs), _beyond(F, ours)
        if more and less and E.tail != F.tail:
            if not isinstance(E.tail, t.RowMeta):
                raise Mismatch("rows", less[-1].effect)
            around = t.RowMeta(self.number())
            self._extend(F.tail, t.Row(more, around))
            self._extend(E.tail, t.Row(less, around))
        elif more:
            self._extend(F.tail, t.Row(more, E.tail))
        elif less or isinstance(E.tail, t.RowMeta):
            self._extend(E.tail, t.Row(less, F.tail))
        else:
            self._extend(F.tail, t.Row((), E.tail))

    def extended(self, E: t.Row, effect: str, count: int, arguments: Callable[[], tuple[t.ValueType | t.Row, ...]]) -> t.Row:
        """E with at least ``count`` known labels of an effect; missing ones, with new ``arguments``, extend its tail.

        Raises ``Mismatch`` if the tail cannot be extended.
        """
        E = self.known_row(E)
        missing = count - sum(L.effect == effect for L in E.labels)
        if missing > 0:
            labels = tuple(t.Label(effect, arguments()) for _ in range(missing))
            self._extend(E.tail, t.Row(labels, t.RowMeta(self.number())))
        return self.known_row(E)

    def _solve(self, meta: t.Meta | t.ComputationMeta, A: TypeNode) -> None:
        if isinstance(meta, t.Meta) and meta.numeric and A not in (t.FLOAT, t.INT):
            raise Mismatch("rigid" if isinstance(A, t.Variable) else "differ")
        if meta == A:
            return
        if self._occurs(meta.number, A):
            raise Mismatch("infinite")
        self._solved[meta.number] = cast(t.ValueType | t.ComputationType, A)

    def _extend(self, tail: t.RowVariable | t.RowMeta | None, E: t.Row) -> None:
        if tail == E.tail:
            if E.labels:
                raise Mismatch("rows", E.labels[-1].effect)
            return
        if not isinstance(tail, t.RowMeta):
            raise Mismatch("rows", E.labels[-1].effect if E.labels else None)
        if self._occurs(tail.number, E):
            raise Mismatch("infinite")
        self._rows[tail.number] = E

    # -------------------------------------------------------------------------------------------- metas

    def _occurs(self, number: int, A: TypeNode) -> bool:
        """Whether the solution of A has the unknown type ``number``; each one in it is expanded once.

        A type can have a part in so many places that it would not fit into memory if it were written out.
        """
        waiting = [A]
        seen: set[int] = set()
        while waiting:
            for leaf in leaves(waiting.pop()):
                if isinstance(leaf, t.Variable | t.RowVariable) or leaf.number in seen:
                    continue
                if leaf.number == number:
                    return True
                seen.add(leaf.number)
                waiting.extend(self._solution(leaf))
        return False

    def _solution(self, meta: t.Meta | t.RowMeta | t.ComputationMeta) -> Iterator[TypeNode]:
        """What an unknown type or row is, if it is known."""
        if isinstance(meta, t.RowMeta):
            E = self.known_row(t.Row((), meta))
            if E.labels or E.tail != meta:
                yield E
        elif (A := self.known(meta)) != meta:
            yield A

    def size(self, C: t.ComputationType) -> int:
        """The number of leaves of C with the solution put in, which may be too many to be written out."""
        return self._size(C, {})

    def _size(self, A: TypeNode, sizes: dict[int, int]) -> int:
        found = 1
        for leaf in leaves(A):
            if isinstance(leaf, t.Variable | t.RowVariable):
                found += 1
                continue
            if leaf.number not in sizes:
                sizes[leaf.number] = 1 + sum(self._size(B, sizes) for B in self._solution(leaf))
            found += sizes[leaf.number]
        return found

    def default(self, A: t.Meta) -> None:
        """Solve A by ``Float`` if it is numeric."""
        if A.numeric:
            self._solved[A.number] = t.FLOAT

    def returning(self, C: t.ComputationMeta) -> None:
        """Solve C by the type of a computation that returns an unknown value."""
        self._solved[C.number] = t.Returner(self.type())


def _by_effect(E: t.Row) -> dict[str, list[t.Label]]:
    found: dict[str, list[t.Label]] = {}
    for L in E.labels:
        found.setdefault(L.effect, []).append(L)
    return found


def _beyond(E: t.Row, other: dict[str, list[t.Label]]) -> tuple[t.Label, ...]:
    """The labels of E that are further out than those of another row."""
    left = {effect: len(labels) for effect, labels in other.items()}
    found: list[t.Label] = []
    for L in reversed(E.labels):
        if left.get(L.effect, 0):
            left[L.effect] -= 1
        else:
            found.append(L)
    return tuple(reversed(found))
