"""Programs without arrays: ``Real(n)`` as a tuple of n numbers, ``map`` and its like as what they do entry by entry.

The sizes of the language are known, so this can always be done; the program grows with them.
"""

from collections.abc import Callable
from functools import reduce

from rh_kernel.ad.language.binding import binders, parts, rebuilt, renaming, subterms
from rh_kernel.ad.language.core import (
    Array,
    ArrayTerm,
    Case,
    Constant,
    Dot,
    Foldl,
    Generate,
    Index,
    Inject,
    Lambda,
    Let,
    Map,
    Map2,
    Program,
    Projection,
    Reduce,
    Replicate,
    Scanl,
    Term,
    Total,
    Tuple,
    Variable,
    add,
    mul,
)
from rh_kernel.ad.language.names import Names
from rh_kernel.ad.language.types import SCALAR, Function, Product, Real, Sum, Type, product
from rh_kernel.ad.language.typing import type_of
from rh_kernel.source.diagnostic import KernelBug

LONGEST = 300
"""A program with longer arrays had better not be unrolled."""


def longest(program: Program) -> int:
    """How many entries the longest array has that a program is given, writes or makes; 0 where there are none."""
    given = [A for _, A in program.parameters]
    sizes = [0]
    for M in subterms(program.body):
        match M:
            case Lambda(_, A, _):
                given.append(A)
            case Replicate(n, _) | Generate(n, _, _):
                sizes.append(n)
            case Array(many):
                sizes.append(len(many))
            case _:
                pass
    return max([*sizes, *map(_longest, given)])


def _longest(A: Type) -> int:
    match A:
        case Real(n):
            return 0 if n == 1 else n
        case Product(factors):
            return max(map(_longest, factors), default=0)
        case Sum(B, C) | Function(B, C):
            return max(_longest(B), _longest(C))


def unrolled(program: Program) -> Program:
    """The program on tuples."""
    names = Names([*(x for x, _ in program.parameters), *binders(program.body)])
    parameters = tuple((x, without_arrays(A)) for x, A in program.parameters)
    body = _Unrolling(names).term(program.body, dict(program.parameters))
    return Program(program.name, parameters, without_arrays(program.result), body)


def without_arrays(A: Type) -> Type:
    """A with a tuple of numbers for each array."""
    match A:
        case Real(n):
            return product(*[SCALAR] * n)
        case Product(factors):
            return Product(tuple(map(without_arrays, factors)))
        case Sum(B, C):
            return Sum(without_arrays(B), without_arrays(C))
        case Function(B, C):
            return Function(without_arrays(B), without_arrays(C))


class _Unrolling:
    """A program on the way, and the names that it uses."""

    def __init__(self, names: Names) -> None:
        self.names = names

    def term(self, M: Term, gamma: dict[str, Type]) -> Term:
        """M on tuples, where its variables have the types of ``gamma`` before."""
        spine: list[tuple[str, Term]] = []
        while isinstance(M, Let):
            spine.append((M.name, self.term(M.bound, gamma)))
            gamma = {**gamma, M.name: type_of(M.bound, gamma)}
            M = M.body
        N = self._of_array(M, gamma) if isinstance(M, ArrayTerm) else self._of_others(M, gamma)
        for x, L in reversed(spine):
            N = Let(x, L, N)
        return N

    def _of_others(self, M: Term, gamma: dict[str, Type]) -> Term:
        match M:
            case Lambda(x, A, body):
                return Lambda(x, without_arrays(A), self.term(body, {**gamma, x: A}))
            case Case(N, x, left, y, right):
                A = type_of(N, gamma)
                if not isinstance(A, Sum):
                    raise KernelBug("a case of no sum")
                L, R = self.term(left, {**gamma, x: A.left}), self.term(right, {**gamma, y: A.right})
                return Case(self.term(N, gamma), x, L, y, R)
            case Inject(side, Sum(A, B), N):
                return Inject(side, Sum(without_arrays(A), without_arrays(B)), self.term(N, gamma))
            case _:
                return rebuilt(M, tuple((names, self.term(N, gamma)) for names, N in parts(M)))

    def _of_array(self, M: ArrayTerm, gamma: dict[str, Type]) -> Term:
        match M:
            case Array(items):
                return _array([self.term(N, gamma) for N in items])
            case Index(N, i):
                return self._entries(N, gamma, lambda xs: xs[i])
            case Map(x, body, N):
                return self._entries(N, gamma, lambda xs: _array([self._copy(body, gamma, {x: c}) for c in xs]))
            case Map2(x, y, body, left, right):
                return self._pairs(
                    left, right, gamma, lambda xs: _array([self._copy(body, gamma, {x: c, y: d}) for c, d in xs])
                )
            case Reduce() | Foldl() | Scanl():
                return self._entries(M.array, gamma, lambda xs: self._fold(M, xs, gamma))
            case Total(N):
                return self._entries(N, gamma, _total)
            case Dot(left, right):
                return self._pairs(left, right, gamma, lambda xs: _total(tuple(mul(c, d) for c, d in xs)))
            case Replicate(n, N):
                return self._named(self.term(N, gamma), "c", lambda c: _array([c] * n))
            case Generate(n, i, body):
                return _array([self._copy(body, gamma, {i: Constant(float(k))}) for k in range(n)])

    def _fold(self, M: Reduce | Foldl | Scanl, xs: tuple[Term, ...], gamma: dict[str, Type]) -> Term:
        """``let a1 ← N in let a2 ← M[a1, x1] in …``: the last of them, or all for ``scanl``"""
        A = type_of(M.start, gamma)
        bound = [(self.names.fresh(M.accumulator), self.term(M.start, gamma))]
        for x in xs:
            N = self._copy(M.body, {**gamma, M.accumulator: A}, {M.accumulator: Variable(bound[-1][0]), M.name: x})
            bound.append((self.names.fresh(M.accumulator), N))
        result = _array([Variable(a) for a, _ in bound]) if isinstance(M, Scanl) else bound.pop()[1]
        for a, N in reversed(bound):
            result = Let(a, N, result)
        return result

    def _copy(self, body: Term, gamma: dict[str, Type], entries: dict[str, Term]) -> Term:
        """The body with terms for what is bound in it, under names of its own."""
        scalars = {x: SCALAR for x in entries if x not in gamma}
        N = self.term(body, {**gamma, **scalars})
        bound = [(self.names.fresh(x), x, L) for x, L in entries.items() if not isinstance(L, Variable)]
        renamed = {x: L.name for x, L in entries.items() if isinstance(L, Variable)} | {x: y for y, x, _ in bound}
        N = renaming(N, renamed, self.names)
        for y, _, L in reversed(bound):
            N = Let(y, L, N)
        return N

    def _entries(self, N: Term, gamma: dict[str, Type], made: Callable[[tuple[Term, ...]], Term]) -> Term:
        """What is made of the entries of an array, which is evaluated once."""
        n = _size(type_of(N, gamma))
        return self._named(self.term(N, gamma), "v", lambda v: made(_parts(v, n)))

    def _pairs(
        self, left: Term, right: Term, gamma: dict[str, Type], made: Callable[[tuple[tuple[Term, Term], ...]], Term]
    ) -> Term:
        """What is made of the entries of two arrays, side by side."""

        def of_both(xs: tuple[Term, ...]) -> Term:
            return self._entries(right, gamma, lambda ys: made(tuple(zip(xs, ys, strict=True))))

        return self._entries(left, gamma, of_both)

    def _named(self, M: Term, wanted: str, made: Callable[[Term], Term]) -> Term:
        """What is made of M, which is given a name if it is to be evaluated once."""
        if isinstance(M, Variable | Constant) or (isinstance(M, Tuple) and all(isinstance(N, Variable) for N in M.components)):
            return made(M)
        x = self.names.fresh(wanted)
        return Let(x, M, made(Variable(x)))


def _array(many: list[Term]) -> Term:
    return many[0] if len(many) == 1 else Tuple(tuple(many))


def _total(many: tuple[Term, ...]) -> Term:
    return reduce(add, many) if many else Constant(0.0)


def _parts(v: Term, n: int) -> tuple[Term, ...]:
    """The entries of an array with a name, or of a tuple of names."""
    if n == 1:
        return (v,)
    if isinstance(v, Tuple):
        return v.components
    return tuple(Projection(i, v) for i in range(1, n + 1))


def _size(A: Type) -> int:
    if isinstance(A, Real):
        return A.size
    raise KernelBug(f"{A} is no array")
