"""Unrolling: ``Real(n)`` becomes ``Real × … × Real``, and operations on arrays become operations on each entry.

All sizes are static, so every program can be unrolled; its size grows with theirs. Points, values and gradients stay as they
are, as an array of n entries and a tuple of n numbers are the same value.
"""

from dataclasses import dataclass, field
from typing import TypeAlias

from rh_kernel.ad.language import core
from rh_kernel.ad.language.binding import subterms
from rh_kernel.ad.language.names import Names
from rh_kernel.ad.language.types import SCALAR, Function, Product, Real, Sum, Type

LONGEST = 300
"""The longest array for which systems unroll a program."""


def longest(program: core.Program) -> int:
    """The length of the longest array among the parameters and in the body of a program; 0 if there are none."""
    given = [A for _, A in program.parameters]
    sizes = [0]
    for M in subterms(program.body):
        match M:
            case core.Lambda(_, A, _):
                given.append(A)
            case core.Replicate(n, _) | core.Generate(n, _, _):
                sizes.append(n)
            case core.Array(many):
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


Renamed: TypeAlias = dict[str, tuple[core.Term, Type]]
"""The image of each variable in the unrolled program, and its original type."""


def rounds(program: core.Program) -> int:
    """The number of rounds that unrolling writes out, of all loops together; a loop within a loop counts in each round.

    Arrays of variables and constants, as ``generate[n](i. i)``, are no loops.
    """
    names = Names([x for x, _ in program.parameters])
    unrolling = _Unrolling(names)
    unrolling.of(program.body, {x: (core.Variable(x), A) for x, A in program.parameters})
    return sum(unrolling.written)


def has_arrays(program: core.Program) -> bool:
    """Whether a program has arrays in its body, its parameters or its result."""
    types = (program.result, *(A for _, A in program.parameters))
    return any(map(_mentions, types)) or any(
        isinstance(M, core.ArrayTerm) or (isinstance(M, core.Lambda) and _mentions(M.type)) for M in subterms(program.body)
    )


def without_arrays(A: Type) -> Type:
    """``A`` with ``Real × … × Real`` for each ``Real(n)``"""
    match A:
        case Real(1):
            return A
        case Real(n):
            return Product((SCALAR,) * n)
        case Product(factors):
            return Product(tuple(map(without_arrays, factors)))
        case Sum(B, C):
            return Sum(without_arrays(B), without_arrays(C))
        case Function(B, C):
            return Function(without_arrays(B), without_arrays(C))


def unrolled(program: core.Program) -> core.Program:
    """The program without arrays."""
    names = Names([x for x, _ in program.parameters])
    gamma: Renamed = {x: (core.Variable(x), A) for x, A in program.parameters}
    parameters = tuple((x, without_arrays(A)) for x, A in program.parameters)
    return core.Program(program.name, parameters, without_arrays(program.result), _Unrolling(names).of(program.body, gamma)[0])


def _mentions(A: Type) -> bool:
    return without_arrays(A) != A


@dataclass(frozen=True, slots=True)
class _Unrolling:
    """Unrolls terms; each copy of a binder gets a fresh name. ``written`` has the number of rounds of each loop written out."""

    names: Names
    written: list[int] = field(default_factory=list[int])

    def of(self, M: core.Term, gamma: Renamed) -> tuple[core.Term, Type]:
        """Unroll M; return its original type, too."""
        lets: list[tuple[str, core.Term]] = []
        gamma = dict(gamma)
        while isinstance(M, core.Let):
            bound, A = self.of(M.bound, gamma)
            gamma[M.name] = self.named(M.name, bound, A, lets), A
            M = M.body
        N, A = self.form(M, gamma)
        return core.lets(lets, N), A

    def form(self, M: core.Term, gamma: Renamed) -> tuple[core.Term, Type]:
        """As ``of``, for all terms but ``let``."""
        match M:
            case core.Constant():
                return M, SCALAR
            case core.Variable(x):
                return gamma[x]
            case core.Apply(symbol, arguments):
                return core.Apply(symbol, tuple(self.of(N, gamma)[0] for N in arguments)), SCALAR
            case core.Tuple(components):
                each = [self.of(N, gamma) for N in components]
                return core.Tuple(tuple(N for N, _ in each)), Product(tuple(A for _, A in each))
            case core.Projection(i, N):
                N, A = self.of(N, gamma)
                return core.Projection(i, N), A.factors[i - 1] if isinstance(A, Product) else A
            case core.Lambda(x, A, body):
                y = self.names.fresh(x)
                N, B = self.of(body, {**gamma, x: (core.Variable(y), A)})
                return core.Lambda(y, without_arrays(A), N), Function(A, B)
            case core.Call(function, argument):
                N, A = self.of(function, gamma)
                return core.Call(N, self.of(argument, gamma)[0]), A.codomain if isinstance(A, Function) else A
            case core.Inject(side, A, N):
                B = without_arrays(A)
                return core.Inject(side, B if isinstance(B, Sum) else A, self.of(N, gamma)[0]), A
            case core.Case(N, x, left, y, right):
                N, A = self.of(N, gamma)
                B, C = (A.left, A.right) if isinstance(A, Sum) else (A, A)
                x1, y1 = self.names.fresh(x), self.names.fresh(y)
                first, D = self.of(left, {**gamma, x: (core.Variable(x1), B)})
                second, _ = self.of(right, {**gamma, y: (core.Variable(y1), C)})
                return core.Case(N, x1, first, y1, second), D
            case core.If(smaller, larger, then, otherwise):
                first, A = self.of(then, gamma)
                second, _ = self.of(otherwise, gamma)
                return core.If(self.of(smaller, gamma)[0], self.of(larger, gamma)[0], first, second), A
            case core.Let():
                return self.of(M, gamma)
            case _:
                return self.of_array(M, gamma)

    def of_array(self, M: core.ArrayTerm, gamma: Renamed) -> tuple[core.Term, Type]:
        """As ``of``, for operations on arrays."""
        match M:
            case core.Array(items):
                return _array([self.of(N, gamma)[0] for N in items])
            case core.Index(N, i):
                lets, entries = self.entries(N, gamma)
                return core.lets(lets, entries[i]), SCALAR
            case core.Map(x, body, N):
                lets, entries = self.entries(N, gamma)
                return self.each(lets, [{x: c} for c in entries], body, gamma)
            case core.Map2(x, y, body, left, right):
                lets, entries = self.entries(left, gamma)
                more, others = self.entries(right, gamma)
                return self.each([*lets, *more], [{x: c, y: d} for c, d in zip(entries, others, strict=True)], body, gamma)
            case core.Generate(n, i, body):
                return self.each([], [{i: core.Constant(float(k))} for k in range(n)], body, gamma)
            case core.Reduce() | core.Foldl() | core.Scanl():
                return self.fold(M, gamma)
            case core.Replicate(n, N):
                lets = list[tuple[str, core.Term]]()
                N = self.named("r", self.of(N, gamma)[0], SCALAR, lets)
                return core.lets(lets, _array([N] * n)[0]), Real(n)
            case core.Total(N):
                lets, entries = self.entries(N, gamma)
                return self.sum(lets, entries), SCALAR
            case core.Dot(left, right):
                lets, entries = self.entries(left, gamma)
                more, others = self.entries(right, gamma)
                products = [core.mul(c, d) for c, d in zip(entries, others, strict=True)]
                return self.sum([*lets, *more], products), SCALAR

    def entries(self, M: core.Term, gamma: Renamed) -> tuple[list[tuple[str, core.Term]], list[core.Term]]:
        """Bind M to a name; return the lets and the entries of M."""
        N, A = self.of(M, gamma)
        n = A.size if isinstance(A, Real) else 1
        lets: list[tuple[str, core.Term]] = []
        N = self.named("v", N, A, lets)
        if n == 1:
            return lets, [N]
        return lets, list(N.components) if isinstance(N, core.Tuple) else [core.Projection(k + 1, N) for k in range(n)]

    def named(self, x: str, M: core.Term, A: Type, lets: list[tuple[str, core.Term]]) -> core.Term:
        """M, if it may be duplicated; otherwise a variable, or a tuple of variables for an array, bound to it in ``lets``."""
        if isinstance(M, core.Variable | core.Constant) or (
            isinstance(M, core.Projection) and isinstance(M.operand, core.Variable)
        ):
            return M
        if isinstance(M, core.Tuple) and isinstance(A, Real):
            return core.Tuple(tuple(self.named(x, N, SCALAR, lets) for N in M.components))
        y = self.names.fresh(x)
        lets.append((y, M))
        return core.Variable(y)

    def each(
        self, lets: list[tuple[str, core.Term]], instances: list[dict[str, core.Term]], body: core.Term, gamma: Renamed
    ) -> tuple[core.Term, Type]:
        """The array of the values of ``body`` for each of ``instances``."""
        if not isinstance(body, core.Variable | core.Constant):
            self.written.append(len(instances))
        entries = [self.of(body, gamma | {x: (N, SCALAR) for x, N in given.items()})[0] for given in instances]
        N, A = _array(entries)
        return core.lets(lets, N), A

    def sum(self, lets: list[tuple[str, core.Term]], terms: list[core.Term]) -> core.Term:
        """``M1 + … + Mn``, a ``let`` for each addition but the last"""
        if not terms:
            return core.lets(lets, core.Constant(0.0))
        N, *rest = terms
        for L in rest[:-1]:
            N = self.named("t", core.add(N, L), SCALAR, lets)
        return core.lets(lets, core.add(N, rest[-1]) if rest else N)

    def fold(self, M: core.Reduce | core.Foldl | core.Scanl, gamma: Renamed) -> tuple[core.Term, Type]:
        """Bind each value of the accumulator by a ``let``."""
        start, A = self.of(M.start, gamma)
        lets: list[tuple[str, core.Term]] = []
        through = [self.named(M.accumulator, start, A, lets)]
        more, entries = self.entries(M.array, gamma)
        lets += more
        self.written.append(len(entries))
        for c in entries:
            N, _ = self.of(M.body, {**gamma, M.accumulator: (through[-1], A), M.name: (c, SCALAR)})
            through.append(self.named(M.accumulator, N, A, lets))
        if isinstance(M, core.Scanl):
            N, A = _array(through)
            return core.lets(lets, N), A
        return core.lets(lets, through[-1]), A


def _array(entries: list[core.Term]) -> tuple[core.Term, Type]:
    return entries[0] if len(entries) == 1 else core.Tuple(tuple(entries)), Real(len(entries))
