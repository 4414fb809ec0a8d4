"""Translation of ``%%lambda`` programs to ``Λ(F)``: ``add`` is the constructor ``+``, and tuples are nested pairs.

A variable with projections is destructured once, where it is bound. The calculus has no sums.
"""

from dataclasses import dataclass

from rh_kernel.ad.language import core
from rh_kernel.ad.language import types as source
from rh_kernel.ad.language.binding import binders, subterms
from rh_kernel.ad.language.unrolling import LONGEST, has_arrays, longest, unrolled
from rh_kernel.ad.linear_negation import calculus as c
from rh_kernel.ad.linear_negation.binding import names
from rh_kernel.ad.linear_negation.names import NameSupply
from rh_kernel.ad.linear_negation.refusal import outside
from rh_kernel.source.diagnostic import KernelBug


@dataclass(frozen=True, slots=True)
class Source:
    """``x1 : A1, …, xn : An ⊢ t : B``, closed but for the inputs x1, …, xn."""

    inputs: tuple[tuple[str, c.Type], ...]
    term: c.Term
    result: c.Type

    def supply(self, *others: c.Term) -> NameSupply:
        """A supply of names that do not occur in the source nor in other terms."""
        return NameSupply({*(x for x, _ in self.inputs), *(y for t in (self.term, *others) for y in names(t))})

    def dimension(self) -> int:
        """The number of numbers in the inputs. Raises ``Rejected`` if the inputs or the result have functions."""
        _dimension(self.result)
        return sum(_dimension(A) for _, A in self.inputs)


def _dimension(A: c.Type) -> int:
    match A:
        case c.Ground():
            return 1
        case c.Unit():
            return 0
        case c.Times(B, C):
            return _dimension(B) + _dimension(C)
        case c.Arrow() | c.Negation():
            raise outside("functions as parameters or as the result", "a gradient is computed between tuples of numbers")


def translate(program: core.Program) -> Source:
    """Translate a program, unrolling its arrays. Raises ``Rejected`` for sums and for arrays that are too long to unroll."""
    if longest(program) > LONGEST:
        raise outside(f"arrays of more than {LONGEST} entries", "arrays are written out, entry by entry")
    if has_arrays(program):
        program = unrolled(program)
    supply = NameSupply([*(x for x, _ in program.parameters), *binders(program.body)])
    operands = [M.operand for M in subterms(program.body) if isinstance(M, core.Projection)]
    translation = _Translation(supply, frozenset([M.name for M in operands if isinstance(M, core.Variable)]))
    inputs = tuple((x, type_of(A)) for x, A in program.parameters)
    gamma: dict[str, Bound] = {}
    stack: list[c.Binding] = []
    for (x, A), (_, B) in zip(program.parameters, inputs, strict=True):
        gamma[x] = translation.bound(x, x, A, B, stack)
    t, _ = translation.of(program.body, gamma)
    return Source(inputs, c.block(tuple(stack), t), type_of(program.result))


def type_of(A: source.Type) -> c.Type:
    """Translate a type."""
    match A:
        case source.Real(1):
            return c.R
        case source.Real():
            raise KernelBug("an array that was not unrolled")
        case source.Product(()):
            return c.Unit()
        case source.Product(factors):
            *init, last = map(type_of, factors)
            for B in reversed(init):
                last = c.Times(B, last)
            return last
        case source.Sum():
            raise outside("sums")
        case source.Function(B, C):
            return c.Arrow(type_of(B), type_of(C))


@dataclass(frozen=True, slots=True)
class Bound:
    """A variable: its new name, its original type, and the names of its components if it is destructured."""

    name: str
    type: source.Type
    components: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class _Translation:
    supply: NameSupply
    projected: frozenset[str]

    def name(self, x: str) -> str:
        """The name of x in the calculus, without primes, which mark backpropagators."""
        return self.supply.fresh(x) if "'" in x else x

    def bound(self, x: str, y: str, A: source.Type, B: c.Type, stack: list[c.Binding]) -> Bound:
        """Bind x under the name y; destructure it, in ``stack``, if it has projections."""
        if x not in self.projected or not isinstance(A, source.Product):
            return Bound(y, A)
        return Bound(y, A, self.opened(c.Var(y), B, len(A.factors), y, stack))

    def opened(self, t: c.Term, A: c.Type, n: int, base: str, stack: list[c.Binding]) -> tuple[str, ...]:
        """Append ``[⟨x1, r⟩ := t][⟨x2, …⟩ := r]…`` to ``stack``; return the names of the n components."""
        names: list[str] = []
        for _ in range(n - 1):
            if not isinstance(A, c.Times):
                raise KernelBug("a tuple has too few components")
            x, rest = self.supply.fresh(base), self.supply.fresh(base)
            stack.append(c.Open(x, A.left, rest, A.right, t))
            names.append(x)
            t, A = c.Var(rest), A.right
        return (*names, t.name) if isinstance(t, c.Var) else tuple(names)

    def of(self, M: core.Term, gamma: dict[str, Bound]) -> tuple[c.Term, source.Type]:
        """Translate M; return its original type, too."""
        stack: list[c.Binding] = []
        gamma = dict(gamma)
        while isinstance(M, core.Let):
            t, A = self.of(M.bound, gamma)
            B = type_of(A)
            x = self.name(M.name)
            stack.append(c.Bang(x, B, t))
            gamma[M.name] = self.bound(M.name, x, A, B, stack)
            M = M.body
        t, A = self.form(M, gamma)
        return c.block(tuple(stack), t), A

    def form(self, M: core.Term, gamma: dict[str, Bound]) -> tuple[c.Term, source.Type]:
        """As ``of``, for all terms but ``let``."""
        match M:
            case core.Constant(value):
                return c.Num(value), source.SCALAR
            case core.Variable(x):
                return c.Var(gamma[x].name), gamma[x].type
            case core.Apply("add", (M1, M2)):
                return c.Plus(self.of(M1, gamma)[0], self.of(M2, gamma)[0]), source.SCALAR
            case core.Apply(symbol, arguments):
                return c.Fun(symbol, tuple(self.of(N, gamma)[0] for N in arguments)), source.SCALAR
            case core.Tuple(components):
                each = [self.of(N, gamma) for N in components]
                A = source.Product(tuple(A for _, A in each))
                return c.tuple_of(tuple(t for t, _ in each)) if each else c.Nil(), A
            case core.Projection(i, N):
                return self.projection(i, N, gamma)
            case core.Lambda(x, A, body):
                stack: list[c.Binding] = []
                B = type_of(A)
                y = self.name(x)
                t, C = self.of(body, {**gamma, x: self.bound(x, y, A, B, stack)})
                return c.Lam(y, B, c.block(tuple(stack), t)), source.Function(A, C)
            case core.Call(function, argument):
                t, A = self.of(function, gamma)
                u, _ = self.of(argument, gamma)
                return c.App(t, u), A.codomain if isinstance(A, source.Function) else A
            case core.If(smaller, larger, then, otherwise):
                t, A = self.of(then, gamma)
                u, _ = self.of(otherwise, gamma)
                return c.If(self.of(smaller, gamma)[0], self.of(larger, gamma)[0], t, u), A
            case core.Inject() | core.Case():
                raise outside("sums")
            case core.Let():
                return self.of(M, gamma)
            case _:
                raise KernelBug("an array that was not unrolled")

    def projection(self, i: int, N: core.Term, gamma: dict[str, Bound]) -> tuple[c.Term, source.Type]:
        """``x_i[⟨x1, …⟩ := t]``, or the name of the component if N is destructured"""
        t, A = self.of(N, gamma)
        if not isinstance(A, source.Product):
            raise KernelBug("a component of what is no tuple")
        if isinstance(N, core.Variable) and gamma[N.name].components:
            return c.Var(gamma[N.name].components[i - 1]), A.factors[i - 1]
        stack: list[c.Binding] = []
        names = self.opened(t, type_of(A), len(A.factors), "p", stack)
        return c.block(tuple(stack), c.Var(names[i - 1])), A.factors[i - 1]
