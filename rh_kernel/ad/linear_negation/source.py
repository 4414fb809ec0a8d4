"""From the laboratory's language to ``Λ(F)``: ``add`` is the constructor ``+``, and tuples are pairs of pairs.

A variable of which components are used is taken apart where it is bound, once. Sums are not of the calculus.
"""

from dataclasses import dataclass

from rh_kernel.ad.language import core
from rh_kernel.ad.language import types as source
from rh_kernel.ad.language.binding import binders, subterms
from rh_kernel.ad.language.unrolling import LONGEST, has_arrays, longest, unrolled
from rh_kernel.ad.linear_negation import calculus as c
from rh_kernel.ad.linear_negation.names import NameSupply
from rh_kernel.ad.linear_negation.refusal import outside
from rh_kernel.source.diagnostic import KernelBug


@dataclass(frozen=True, slots=True)
class Source:
    """``x1 : A1, …, xn : An ⊢ t : B``, closed but for its inputs."""

    inputs: tuple[tuple[str, c.Type], ...]
    term: c.Term
    result: c.Type


def read(program: core.Program) -> Source:
    """The program as a term of ``Λ(F)``, without arrays; refuses sums, and arrays that are too long to be written out."""
    if longest(program) > LONGEST:
        raise outside(f"arrays of more than {LONGEST} entries", "arrays are written out, entry by entry")
    if has_arrays(program):
        program = unrolled(program)
    supply = NameSupply([*(x for x, _ in program.parameters), *binders(program.body)])
    operands = [M.operand for M in subterms(program.body) if isinstance(M, core.Projection)]
    reading = _Reading(supply, frozenset([M.name for M in operands if isinstance(M, core.Variable)]))
    inputs = tuple((x, type_of(A)) for x, A in program.parameters)
    gamma: dict[str, Bound] = {}
    stack: list[c.Binding] = []
    for (x, A), (_, B) in zip(program.parameters, inputs, strict=True):
        gamma[x] = reading.bound(x, x, A, B, stack)
    t, _ = reading.of(program.body, gamma)
    return Source(inputs, c.block(tuple(stack), t), type_of(program.result))


def type_of(A: source.Type) -> c.Type:
    """A type of the laboratory's language in the calculus."""
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
    """A variable: its new name, its type before, and what its components are called, if they have names."""

    name: str
    type: source.Type
    components: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class _Reading:
    supply: NameSupply
    projected: frozenset[str]

    def name(self, x: str) -> str:
        """What x is called in the calculus: primes are kept for backpropagators."""
        return self.supply.fresh(x) if "'" in x else x

    def bound(self, x: str, y: str, A: source.Type, B: c.Type, stack: list[c.Binding]) -> Bound:
        """x, which is called y, with names for its components if any of them is used."""
        if x not in self.projected or not isinstance(A, source.Product):
            return Bound(y, A)
        return Bound(y, A, self.opened(c.Var(y), B, len(A.factors), y, stack))

    def opened(self, t: c.Term, A: c.Type, n: int, base: str, stack: list[c.Binding]) -> tuple[str, ...]:
        """``[⟨x1, r⟩ := t][⟨x2, …⟩ := r]…``"""
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
        """M in the calculus, and its type before."""
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
        """As ``of``, for what is no ``let``."""
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
                if not each:
                    return c.Nil(), A
                *init, t = [t for t, _ in each]
                for u in reversed(init):
                    t = c.Pair(u, t)
                return t, A
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
            case (
                core.Array()
                | core.Index()
                | core.Map()
                | core.Map2()
                | core.Reduce()
                | core.Foldl()
                | core.Scanl()
                | core.Total()
                | core.Replicate()
                | core.Generate()
                | core.Dot()
            ):
                raise KernelBug("an array that was not unrolled")

    def projection(self, i: int, N: core.Term, gamma: dict[str, Bound]) -> tuple[c.Term, source.Type]:
        """``x_i[⟨x1, …⟩ := t]``, or the name that the component has"""
        t, A = self.of(N, gamma)
        if not isinstance(A, source.Product):
            raise KernelBug("a component of what is no tuple")
        if isinstance(N, core.Variable) and gamma[N.name].components:
            return c.Var(gamma[N.name].components[i - 1]), A.factors[i - 1]
        stack: list[c.Binding] = []
        names = self.opened(t, type_of(A), len(A.factors), "p", stack)
        return c.block(tuple(stack), c.Var(names[i - 1])), A.factors[i - 1]
