"""``map`` and ``scan`` unrolled (LANGUAGE §9): the rows of a sequence, and rows stacked.

A sequence is split into halves until they are single rows, and rows are joined to halves, so that each row is copied only a few
times, also on the way back.
"""

from collections.abc import Callable
from functools import lru_cache
from typing import TypeAlias

from rh_kernel.arrays.program import Extent
from rh_kernel.arrays.symbolic.builder import Builder
from rh_kernel.arrays.symbolic.closure_compiler import evaluator
from rh_kernel.arrays.symbolic.tape import EMPTY, NO_NAMES, Environment
from rh_kernel.arrays.symbolic.values import Slot, Symbolic, SymbolicZero
from rh_kernel.primitives import sequences
from rh_kernel.primitives.formulas import Typed
from rh_kernel.source.diagnostic import KernelBug
from rh_kernel.source.records import frozen
from rh_kernel.syntax.core import Bound, Map, Scan, Term
from rh_kernel.syntax.sequences import rounds, unstacked
from rh_kernel.syntax.types import Type, real

Emitted: TypeAlias = "tuple[Symbolic, Emitted] | None"


@frozen
class Rows:
    """``map (x in [ ]) do N``: the sequence is being evaluated"""

    form: Map
    environment: Environment


@frozen
class Scanning:
    """``scan (x in m) from s = [ ] do P`` after ``count`` rounds; ``emitted`` is what they gave, the latest first."""

    form: Scan
    environment: Environment
    rows: tuple[Symbolic, ...]
    count: int = 0
    emitted: Emitted = None


def rows_of(V: Symbolic, A: Type, b: Builder) -> tuple[Symbolic, ...]:
    """The rows of a sequence of type A. Raises ``Stuck`` if the program gets too long."""
    n = rounds(A)
    found: list[Symbolic] = []
    todo = [(V, A, n)]
    while todo:
        V, A, n = todo.pop()
        if n == 1:
            found.append(_evaluated(_only_row(A), (V,), b))
        elif n:
            first, second = _halves(A, n // 2)
            todo.append((_evaluated(second.term, (V,), b), second.type, n - n // 2))
            todo.append((_evaluated(first.term, (V,), b), first.type, n // 2))
    return tuple(found)


def stacked(rows: tuple[Symbolic, ...], C: Type, b: Builder) -> Symbolic:
    """The rows, stacked to the type C. Raises ``Stuck`` if the program gets too long."""
    n, B = len(rows), unstacked(C)
    return _evaluated(sequences.stack([Typed(Bound(n - 1 - i, "y"), B) for i in range(n)], C).term, rows, b)


def mapped(form: Map, V: Symbolic, b: Builder, body: Callable[[Symbolic], Symbolic]) -> Symbolic:
    """The results of the body at the rows of V, stacked. Raises ``Stuck`` if the program gets too long."""
    return stacked(tuple([body(x) for x in rows_of(V, form.source, b)]), form.target, b)


def results(scan: Scanning, b: Builder) -> Symbolic:
    """What the rounds of a scan gave, stacked. Raises ``Stuck`` if the program gets too long."""
    backwards: list[Symbolic] = []
    emitted = scan.emitted
    while emitted is not None:
        V, emitted = emitted
        backwards.append(V)
    return stacked(tuple(reversed(backwards)), scan.form.target, b)


def reshaped_slot(V: Symbolic, shape: Extent, b: Builder) -> Symbolic:
    """V in another shape with as many entries. Raises ``Stuck`` if the program gets too long."""
    if not isinstance(V, Slot) or V.shape == shape:
        return SymbolicZero(real(*shape)) if isinstance(V, SymbolicZero) else V
    return _evaluated(sequences.reshaped(Typed(Bound(0, "m"), real(*V.shape)), real(*shape)).term, (V,), b)


@lru_cache(maxsize=1024)
def _only_row(A: Type) -> Term:
    return sequences.row_at(Typed(Bound(0, "m"), A), 0).term


@lru_cache(maxsize=1024)
def _halves(A: Type, i: int) -> tuple[Typed, Typed]:
    m = Typed(Bound(0, "m"), A)
    return sequences.rows_up_to(m, i), sequences.rows_from(m, i)


def _evaluated(M: Term, values: tuple[Symbolic, ...], b: Builder) -> Symbolic:
    rho = EMPTY
    for V in values:
        rho = V, rho, NO_NAMES
    compiled = evaluator(M, b)
    if compiled is None:
        raise KernelBug("a term that moves rows is too deep")
    return compiled(rho)
