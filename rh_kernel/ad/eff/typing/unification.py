"""Equations between types, ``A = B``, ``C = D`` and ``E = E'``, and what is known of the types in them that are not known yet.

Rows are those of Leijen (scoped labels): for each effect the labels are compared from the innermost one outwards; what one row
has more is in the tail of the other. No row has a label through its own tail, and no type is a part of itself.
"""

from collections.abc import Callable, Iterator, Sequence
from typing import Literal, TypeAlias

from rh_kernel.ad.eff.types import (
    FLOAT,
    Base,
    ComputationMeta,
    ComputationType,
    Data,
    Function,
    Label,
    Meta,
    Product,
    Returner,
    Row,
    RowMeta,
    RowVariable,
    Thunk,
    ValueType,
    Variable,
    With,
)
from rh_kernel.ad.eff.typing.free_type_vars import leaves

Why: TypeAlias = Literal["differ", "infinite", "rows", "rigid"]
"""Two forms differ; one type would be a part of itself; a row lacks a label; a variable would be some particular type."""


class Mismatch(Exception):
    """Two types that nothing makes equal."""

    def __init__(self, why: Why, effect: str | None = None) -> None:
        super().__init__(why)
        self.why: Why = why
        self.effect = effect


class Unknowns:
    """The unknown types of one item, and what has been found out of them."""

    __slots__ = ("_computations", "_count", "_rows", "_types")

    def __init__(self, count: int = 0) -> None:
        self._count = count
        self._types: dict[int, ValueType] = {}
        self._computations: dict[int, ComputationType] = {}
        self._rows: dict[int, Row] = {}

    def number(self) -> int:
        """A number that nothing has yet."""
        self._count += 1
        return self._count

    def type(self, *, numeric: bool = False) -> ValueType:
        """A value type that is not known yet."""
        return Meta(self.number(), numeric)

    def computation_type(self) -> ComputationType:
        """A computation type that is not known yet."""
        return ComputationMeta(self.number())

    def row(self, *labels: Label) -> Row:
        """``[_ | L, …]``, of which no more is known"""
        return Row(labels, RowMeta(self.number()))

    # ------------------------------------------------------------------------------------- what is known

    def known(self, A: ValueType) -> ValueType:
        """A, as far as its outermost form is known."""
        passed: list[int] = []
        while isinstance(A, Meta) and A.number in self._types:
            passed.append(A.number)
            A = self._types[A.number]
        # A long list has a chain of types that are the same: the next time it is short.
        for number in passed[:-1]:
            self._types[number] = A
        return A

    def known_computation(self, C: ComputationType) -> ComputationType:
        """C, as far as its outermost form is known."""
        passed: list[int] = []
        while isinstance(C, ComputationMeta) and C.number in self._computations:
            passed.append(C.number)
            C = self._computations[C.number]
        for number in passed[:-1]:
            self._computations[number] = C
        return C

    def known_row(self, E: Row) -> Row:
        """E with all the labels that are known."""
        labels, tail, steps = E.labels, E.tail, 0
        while isinstance(tail, RowMeta) and tail.number in self._rows:
            around = self._rows[tail.number]
            labels, tail, steps = around.labels + labels, around.tail, steps + 1
        if not steps:
            return E
        found = Row(labels, tail)
        if steps > 1 and isinstance(E.tail, RowMeta):
            self._rows[E.tail.number] = Row(labels[: len(labels) - len(E.labels)], tail)
        return found

    def whole(self, A: ValueType) -> ValueType:
        """A with all that is known put in."""
        match self.known(A):
            case Product(components):
                return Product(tuple(map(self.whole, components)))
            case Data(name, arguments):
                return Data(name, tuple(map(self.whole_argument, arguments)))
            case Thunk(row, computation):
                return Thunk(self.whole_row(row), self.whole_computation(computation))
            case Variable() | Base() | Meta() as B:
                return B

    def whole_argument(self, A: ValueType | Row) -> ValueType | Row:
        """The same of what a data type or an effect is applied to."""
        return self.whole_row(A) if isinstance(A, Row) else self.whole(A)

    def whole_row(self, E: Row) -> Row:
        """E with all that is known put in."""
        E = self.known_row(E)
        return Row(tuple(Label(L.effect, tuple(map(self.whole_argument, L.arguments))) for L in E.labels), E.tail)

    def whole_computation(self, C: ComputationType) -> ComputationType:
        """C with all that is known put in."""
        match self.known_computation(C):
            case Returner(A):
                return Returner(self.whole(A))
            case Function(A, D):
                return Function(self.whole(A), self.whole_computation(D))
            case With(D, D2):
                return With(self.whole_computation(D), self.whole_computation(D2))
            case ComputationMeta() as meta:
                return meta

    # ----------------------------------------------------------------------------------------- equations

    def types(self, A: ValueType, B: ValueType) -> None:
        """``A = B``"""
        A, B = self.known(A), self.known(B)
        if A is B:
            return
        match A, B:
            case Meta(), Meta():
                if A.number != B.number:
                    first, second = (B, A) if A.numeric else (A, B)
                    self._types[first.number] = second
            case Meta(), _:
                self._solve(A, B)
            case _, Meta():
                self._solve(B, A)
            case Product(M), Product(N) if len(M) == len(N):
                for C, D in zip(M, N, strict=True):
                    self.types(C, D)
            case Data(name, M), Data(other, N) if name == other and len(M) == len(N):
                self._arguments(M, N)
            case Thunk(E, C), Thunk(E2, C2):
                self.rows(E, E2)
                self.computations(C, C2)
            case _:
                if A != B:
                    raise Mismatch("rigid" if isinstance(A, Variable) or isinstance(B, Variable) else "differ")

    def computations(self, C: ComputationType, D: ComputationType) -> None:
        """``C = D``"""
        while True:
            C, D = self.known_computation(C), self.known_computation(D)
            if C is D:
                return None
            match C, D:
                case ComputationMeta(), _:
                    return self._solve_computation(C, D)
                case _, ComputationMeta():
                    return self._solve_computation(D, C)
                case Returner(A), Returner(B):
                    return self.types(A, B)
                case Function(A, C2), Function(B, D2):
                    self.types(A, B)
                    C, D = C2, D2
                case With(C1, C2), With(D1, D2):
                    self.computations(C1, D1)
                    C, D = C2, D2
                case _:
                    raise Mismatch("differ")

    def rows(self, E: Row, F: Row) -> None:
        """``E = F``"""
        while True:
            E, F = self.known_row(E), self.known_row(F)
            if E is F:
                return
            ours, theirs = _by_effect(E), _by_effect(F)
            for effect in ours.keys() & theirs.keys():
                for L, M in zip(reversed(ours[effect]), reversed(theirs[effect]), strict=False):
                    self._arguments(L.arguments, M.arguments)
            # The equations of the arguments may have told more of the tails.
            if self.known_row(E) is E and self.known_row(F) is F:
                break
        more, less = _beyond(E, theirs), _beyond(F, ours)
        if more and less and E.tail != F.tail:
            if not isinstance(E.tail, RowMeta):
                raise Mismatch("rows", less[-1].effect)
            around = RowMeta(self.number())
            self._extend(F.tail, Row(more, around))
            self._extend(E.tail, Row(less, around))
        elif more:
            self._extend(F.tail, Row(more, E.tail))
        elif less or isinstance(E.tail, RowMeta):
            self._extend(E.tail, Row(less, F.tail))
        else:
            self._extend(F.tail, Row((), E.tail))

    def extended(self, E: Row, effect: str, count: int, arguments: Callable[[], tuple[ValueType | Row, ...]]) -> Row:
        """E, in which at least ``count`` labels of an effect are known; those that were not are put into its tail."""
        E = self.known_row(E)
        missing = count - sum(L.effect == effect for L in E.labels)
        if missing > 0:
            labels = tuple(Label(effect, arguments()) for _ in range(missing))
            self._extend(E.tail, Row(labels, RowMeta(self.number())))
        return self.known_row(E)

    def _arguments(self, M: Sequence[ValueType | Row], N: Sequence[ValueType | Row]) -> None:
        for A, B in zip(M, N, strict=True):
            if isinstance(A, Row) and isinstance(B, Row):
                self.rows(A, B)
            elif not isinstance(A, Row) and not isinstance(B, Row):
                self.types(A, B)
            else:
                raise Mismatch("differ")

    def _solve(self, meta: Meta, A: ValueType) -> None:
        if meta.numeric and not (isinstance(A, Base) and A.name in {"Float", "Int"}):
            raise Mismatch("rigid" if isinstance(A, Variable) else "differ")
        if self._in_type(meta.number, A):
            raise Mismatch("infinite")
        self._types[meta.number] = A

    def _solve_computation(self, meta: ComputationMeta, C: ComputationType) -> None:
        if meta == C:
            return
        if self._in_computation(meta.number, C):
            raise Mismatch("infinite")
        self._computations[meta.number] = C

    def _extend(self, tail: RowVariable | RowMeta | None, E: Row) -> None:
        if tail == E.tail:
            if E.labels:
                raise Mismatch("rows", E.labels[-1].effect)
            return
        if not isinstance(tail, RowMeta):
            raise Mismatch("rows", E.labels[-1].effect if E.labels else None)
        if self._in_row(tail.number, E):
            raise Mismatch("infinite")
        self._rows[tail.number] = E

    # ---------------------------------------------------------------------------------- what is in what

    def _in_type(self, number: int, A: ValueType) -> bool:
        return any(leaf.number == number for leaf in self._metas(A))

    def _in_row(self, number: int, E: Row) -> bool:
        return any(leaf.number == number for leaf in self._metas(E))

    def _in_computation(self, number: int, C: ComputationType) -> bool:
        return any(leaf.number == number for leaf in self._metas(Thunk(Row(), C)))

    def _metas(self, A: ValueType | Row) -> Iterator[Meta | RowMeta | ComputationMeta]:
        """What occurs in a type, each once: a type may have a part in so many places that no memory would hold it in full."""
        waiting: list[ValueType | Row] = [A]
        seen: set[int] = set()
        while waiting:
            for leaf in leaves(waiting.pop()):
                match leaf:
                    case Meta(number) | RowMeta(number) | ComputationMeta(number) if number not in seen:
                        seen.add(number)
                        yield leaf
                        waiting.extend(self._solution(leaf))
                    case Meta() | RowMeta() | ComputationMeta() | Variable() | RowVariable():
                        pass

    def _solution(self, meta: Meta | RowMeta | ComputationMeta) -> Iterator[ValueType | Row]:
        """What a meta was found to be, if it was."""
        match meta:
            case Meta():
                A = self.known(meta)
                if meta != A:
                    yield A
            case RowMeta():
                E = self.known_row(Row((), meta))
                if E.labels or E.tail != meta:
                    yield E
            case ComputationMeta():
                C = self.known_computation(meta)
                if meta != C:
                    yield Thunk(Row(), C)

    def size(self, C: ComputationType) -> int:
        """How many leaves C has with all that is known put in; that may be far more than there is memory for."""
        return self._size(Thunk(Row(), C), {})

    def _size(self, A: ValueType | Row, sizes: dict[int, int]) -> int:
        found = 1
        for leaf in leaves(A):
            match leaf:
                case Meta(number) | RowMeta(number) | ComputationMeta(number):
                    if number not in sizes:
                        sizes[number] = 1 + sum(self._size(B, sizes) for B in self._solution(leaf))
                    found += sizes[number]
                case Variable() | RowVariable():
                    found += 1
        return found

    def default(self, A: Meta) -> ValueType:
        """What a type is of which nothing more is known: ``Float`` if it is a number."""
        if A.numeric:
            self._types[A.number] = FLOAT
        return self.known(A)

    def returning(self, C: ComputationMeta) -> None:
        """What nothing is known of returns a value."""
        self._computations[C.number] = Returner(self.type())


def _by_effect(E: Row) -> dict[str, list[Label]]:
    found: dict[str, list[Label]] = {}
    for L in E.labels:
        found.setdefault(L.effect, []).append(L)
    return found


def _beyond(E: Row, other: dict[str, list[Label]]) -> tuple[Label, ...]:
    """The labels of E that are further out than those of another row."""
    left = {effect: len(labels) for effect, labels in other.items()}
    found: list[Label] = []
    for L in reversed(E.labels):
        if left.get(L.effect, 0):
            left[L.effect] -= 1
        else:
            found.append(L)
    return tuple(reversed(found))
