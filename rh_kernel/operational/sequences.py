"""``map`` by unfolding, one round at a time (LANGUAGE §9), ``R-Map``, its derivative, and function symbols for sequences.

``first``, ``rest``, ``cons``, ``snoc`` and ``append`` are definitions by the terms of ``primitives.sequences``. A round only
names what it computes, so cotangents are added up by R-Let.
"""

from collections.abc import Callable, Iterator
from functools import lru_cache

from rh_kernel.operational.binders import (
    TermAtDepth,
    call,
    fixed,
    let,
    opened,
    rd,
    rewrite_scope,
    tuple_from,
    variable,
)
from rh_kernel.primitives.formulas import Typed, zero
from rh_kernel.primitives.sequences import appended, behind, in_front, reshaped, row_at, rows_from, total, tuple_typed
from rh_kernel.syntax import core
from rh_kernel.syntax.binding import mentions, shift
from rh_kernel.syntax.dimensions import Dim, dim
from rh_kernel.syntax.sequences import length, of_rows, rounds, row, stacked, unstacked, without_first
from rh_kernel.syntax.types import UNIT, Product, Type, leaves
from rh_kernel.syntax.values import component


@lru_cache(maxsize=4096)
def first(A: Type) -> core.Defined:
    """``first``, the first row of a sequence of type A that has one."""
    return _symbol("first", A, row(A), lambda m: row_at(m, 0))


@lru_cache(maxsize=4096)
def rest(A: Type) -> core.Defined:
    """``rest``, a sequence of type A without its first row."""
    return _symbol("rest", A, without_first(A), lambda m: rows_from(m, 1))


@lru_cache(maxsize=4096)
def cons(C: Type, n: Dim) -> core.Defined:
    """``cons``, a row in front of n others, stacked like C."""
    A = Product((unstacked(C), of_rows(n, C)))
    return _symbol("cons", A, of_rows(n + dim(1), C), lambda m: in_front(*m.parts))


@lru_cache(maxsize=4096)
def snoc(C: Type, k: Dim) -> core.Defined:
    """``snoc``, a row behind k others, stacked like C."""
    A = Product((of_rows(k, C), unstacked(C)))
    return _symbol("snoc", A, of_rows(k + dim(1), C), lambda m: behind(*m.parts))


@lru_cache(maxsize=4096)
def append(C: Type, k: Dim, n: Dim) -> core.Defined:
    """``append``, n rows behind k others, stacked like C."""
    A = Product((of_rows(k, C), of_rows(n, C)))
    return _symbol("append", A, of_rows(k + n, C), lambda m: appended(*m.parts))


def _symbol(name: str, A: Type, B: Type, body: Callable[[Typed], Typed]) -> core.Defined:
    M = body(Typed(core.Bound(0, "m"), A)).term
    return core.Defined(name, A, B, core.Scope(("m",), M, is_generic=False), None, is_generic=False)


# -- unfolding -----------------------------------------------------------------------------------------------------------------


def unfolded_map(form: core.Map, m: TermAtDepth) -> TermAtDepth:
    """``map (x in m) do N``: ``let y ← (let x ← first(m) in N) in let ys ← map (x in rest(m)) do N in cons(y, ys)``"""
    A, C, scope, n = form.source, form.target, form.scope, rounds(form.source)
    if n == 0:
        return fixed(core.Zero(C))
    head = let(call(first(A), m), scope.hints[0], lambda x: opened(scope, x))
    others = _map(call(rest(A), m), scope, without_first(A), of_rows(dim(n - 1), C))
    return let(head, "y", lambda y: let(others, "ys", lambda ys: call(cons(C, dim(n - 1)), tuple_from(y, ys))))


def map_at(form: core.Map) -> core.Term:
    """``unfolded_map`` of a map whose sequence need not be a value."""
    return let(fixed(form.of), "m", lambda m: unfolded_map(form, m))(0)


def _map(M: TermAtDepth, scope: core.Scope, A: Type, C: Type) -> TermAtDepth:
    return lambda depth: core.Map(M(depth), shift(scope, depth), A, C)


# -- the derivative of map -----------------------------------------------------------------------------------------------------


def r_map(W: core.Term, x: str, form: core.Map, V: core.Term, A: Type) -> core.Term:
    """``W.R_V(x. map (y in M) do N)``, for V of type A: each row's cotangent is ``w.rd(y. N)(y)`` at the row y and at w of W.

    ``let x ← V in let m ← M in (let m' ← map (w in W, y in m) do w.rd(y. N)(y) in m'.R_V(x. M)) + Σ rows``, where the rows are
    ``map (w in W, y in m) do w.rd(x. N)(V)``: what N captures gets the sum. A summand that is 0 is left out.
    """
    n, source = length(form.source), form.source
    if all(C == UNIT for C in leaves(form.target)):
        return core.Zero(A)
    cotangents = _carried(Typed(W, form.target))
    pairs = Product((cotangents.type, source))
    M, N = core.Scope((x,), form.of), core.Scope((x, *form.scope.hints), form.scope.body)
    hint = form.scope.hints[0]

    def rows(target: Type, m: TermAtDepth, pull_back: Callable[[TermAtDepth, TermAtDepth], TermAtDepth]) -> TermAtDepth:
        """``map (w in W, y in m) do pull_back(w, y)``"""

        def body(p: TermAtDepth) -> TermAtDepth:
            w = _computed(p, row(pairs), lambda p: _restored(form.target, iter(_leaves(p.parts[0]))))
            return let(w, "w", lambda w: let(_part(p, 1), hint, lambda y: pull_back(w, y)))

        return lambda depth: core.Map(
            tuple_from(fixed(cotangents.term), m)(depth),
            core.Scope(("p",), body(variable(depth, "p"))(depth + 1)),
            pairs,
            target,
        )

    def through_rows(x_: TermAtDepth, m: TermAtDepth) -> TermAtDepth:
        made = stacked(n, row(source))
        each = rows(made, m, lambda w, y: rd(w, hint, lambda y: opened(N, x_, y), y))

        def restored(w: TermAtDepth) -> TermAtDepth:
            return _computed(w, made, lambda w: reshaped(w, source))

        return let(each, "m'", lambda w: let(restored(w), "m''", lambda w: rewrite_scope(w, M, fixed(V))))

    def captured(m: TermAtDepth) -> TermAtDepth:
        made = stacked(n, A)
        each = rows(made, m, lambda w, y: rd(w, x, lambda x: opened(N, x, y), fixed(V)))
        return let(each, x + "'", lambda t: _computed(t, made, total))

    def summands(x_: TermAtDepth, m: TermAtDepth) -> TermAtDepth:
        if not mentions(M, 0):
            return captured(m)
        if not mentions(N, 0):
            return through_rows(x_, m)
        return lambda depth: core.Plus(through_rows(x_, m)(depth), captured(m)(depth), of_cotangents=True)

    return let(fixed(V), x, lambda x_: let(opened(M, x_), "m", lambda m: summands(x_, m)))(0)


def _computed(M: TermAtDepth, A: Type, f: Callable[[Typed], Typed]) -> TermAtDepth:
    return lambda depth: f(Typed(M(depth), A)).term


def _part(M: TermAtDepth, i: int) -> TermAtDepth:
    return lambda depth: component(M(depth), i, 2)


def _carried(W: Typed) -> Typed:
    """The arrays in stacked rows as one tuple, without the units."""
    return tuple_typed([M for M in _leaves(W) if M.type != UNIT])


def _leaves(M: Typed) -> list[Typed]:
    return [leaf for part in M.parts for leaf in _leaves(part)] if isinstance(M.type, Product) else [M]


def _restored(C: Type, arrays: Iterator[Typed]) -> Typed:
    """A row of those that are stacked to C, from its arrays, with its units."""
    if isinstance(C, Product):
        return tuple_typed([_restored(B, arrays) for B in C.factors])
    return zero(UNIT) if C == UNIT else next(arrays)
