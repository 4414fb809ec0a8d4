"""Translation of λ-calculus programs to EFF, where each operation on numbers performs ``Smooth`` (Sigal 2024, §4).

``x1 : A1, …, xn : An ⊢ M : B`` becomes a curried function of type ``{A1 -> … -> [Smooth x] B}`` for any type of numbers x.
Tuples, functions and sums become those of EFF, so a handler handles exactly the operations, in their order.
"""

from collections.abc import Sequence
from enum import Enum

from rh_kernel.ad.eff import core
from rh_kernel.ad.handlers.blocks import MIN_OPERATIONS, in_blocks, operations
from rh_kernel.ad.handlers.op_table import CONSTANT, FUNCTIONS, call
from rh_kernel.ad.handlers.scope import Lets, Scope, abstracted, nested
from rh_kernel.ad.language import core as source
from rh_kernel.ad.language.binding import binders, subterms
from rh_kernel.ad.language.names import Names
from rh_kernel.ad.language.types import SCALAR, Function, Product, Sum, Type
from rh_kernel.ad.language.unrolling import unrolled
from rh_kernel.source.diagnostic import KernelBug


class Encoding(Enum):
    """The effects that a translated program performs: ``Smooth``, and possibly ``Checkpoint`` or ``High``."""

    PLAIN = "in EFF: each operation on numbers performs Smooth"
    CHECKPOINTS = "in EFF, with a checkpoint for what only one number depends on"
    FUNCTIONS = "in EFF: functions of numbers are values"


def function(program: source.Program, encoding: Encoding, names: Names) -> core.FunctionDefinition:
    """Translate a program to a function; ``names``, in which all other names are used, supplies those of the variables."""
    f = unrolled(program)
    is_first_order = not any(isinstance(M, source.Lambda) for M in subterms(f.body))
    has_blocks = encoding is Encoding.CHECKPOINTS or (encoding is Encoding.FUNCTIONS and is_first_order)
    if has_blocks:
        f = in_blocks(f, Names([*(x for x, _ in f.parameters), *binders(f.body)]))
    return _Translator(encoding, names).definition(f, has_blocks=has_blocks)


class _Translator(Scope):
    """Translates the terms of one program."""

    def __init__(self, encoding: Encoding, names: Names) -> None:
        super().__init__(names)
        self.encoding = encoding

    def definition(self, f: source.Program, *, has_blocks: bool) -> core.FunctionDefinition:
        """``fun f p1 … pn = M``"""
        name = self.fresh(f.name)
        patterns = [self.bound(x, A) for x, A in f.parameters]
        M = self.under(f.body, has_blocks=has_blocks)
        M = abstracted(patterns, M, self)
        return core.FunctionDefinition(name, core.Thunk(M), core.Signature((None,) * len(patterns)))

    def under(self, M: source.Term, *, has_blocks: bool = False) -> core.Computation:
        """Translate M with its own ``let``s, which are blocks if it ``has_blocks``."""
        lets: Lets = []
        return nested(lets, self.last(M, lets, has_blocks=has_blocks)[0])

    def last(self, M: source.Term, lets: Lets, *, has_blocks: bool = False) -> tuple[core.Computation, Type]:
        """Translate M to a computation after ``lets``, to which bindings are added; returns its type too."""
        while isinstance(M, source.Let):
            self.let(M.name, M.bound, lets, is_block=has_blocks)
            M = M.body
        match M:
            case source.Constant(c):
                return call(CONSTANT, core.Literal(c)), SCALAR
            case source.Variable(x):
                V, A = self.variables[x]
                return core.Return(V), A
            case source.Apply(symbol, arguments):
                return call(FUNCTIONS[symbol], *(V for V, _ in self.values(arguments, lets))), SCALAR
            case source.Tuple(components):
                each = self.values(components, lets)
                return core.Return(core.Tuple(tuple(V for V, _ in each))), Product(tuple(A for _, A in each))
            case source.Projection(index, N):
                return self.projection(index, N, lets)
            case source.Lambda() | source.Call():
                return self.functional(M, lets)
            case source.Inject(side, A, N):
                V, _ = self.value(N, lets)
                return core.Return(core.Constructed("Left" if side == 1 else "Right", (V,))), A
            case source.Case():
                return self.case(M, lets)
            case _:
                raise KernelBug("this should have been refused or unrolled")

    def projection(self, index: int, N: source.Term, lets: Lets) -> tuple[core.Computation, Type]:
        """Translate ``N.i`` to the value of the component."""
        if not isinstance(N, source.Variable | source.Projection):
            x = self.silent()
            self.let(x, N, lets)
            N = source.Variable(x)
        V, A = self.value(N, lets)
        if not isinstance(V, core.Tuple) or not isinstance(A, Product):
            raise KernelBug("a tuple was expected")
        return core.Return(V.components[index - 1]), A.factors[index - 1]

    def functional(self, M: source.Lambda | source.Call, lets: Lets) -> tuple[core.Computation, Type]:
        """Translate a function to a thunk and a call to ``f! V``; with ``High``, those on numbers to ``abs`` and ``app``."""
        is_high = self.encoding is Encoding.FUNCTIONS
        if isinstance(M, source.Lambda):
            p = self.bound(M.name, M.type)
            inner: Lets = []
            body, B = self.last(M.body, inner)
            thunk = core.Thunk(abstracted((p,), nested(inner, body), self))
            A = Function(M.type, B)
            if is_high and M.type == B == SCALAR:
                return core.Perform("High", "abs", (thunk,)), A
            return core.Return(thunk), A
        (f, A), (V, _) = self.values((M.function, M.argument), lets)
        if not isinstance(A, Function):
            raise KernelBug("a function was expected")
        if is_high and A.domain == A.codomain == SCALAR:
            return core.Perform("High", "app", (f, V)), A.codomain
        return core.Apply(core.Force(f), V), A.codomain

    def case(self, M: source.Case, lets: Lets) -> tuple[core.Computation, Type]:
        """``match V | Left p -> N | Right q -> L``"""
        V, A = self.value(M.operand, lets)
        if not isinstance(A, Sum):
            raise KernelBug("a sum was expected")
        branches: list[core.Branch] = []
        B: Type = SCALAR
        for constructor, x, C, N in (("Left", M.left_name, A.left, M.left), ("Right", M.right_name, A.right, M.right)):
            p = self.bound(x, C)
            inner: Lets = []
            body, B = self.last(N, inner)
            branches.append(core.Branch(core.ConstructorPattern(constructor, (p,)), nested(inner, body)))
        return core.Match(V, tuple(branches)), B

    def value(self, M: source.Term, lets: Lets) -> tuple[core.Value, Type]:
        """The value of M and its type; if M is not a value, it is bound to a silent name."""
        N, A = self.last(M, lets)
        if isinstance(N, core.Return):
            return N.value, A
        p, V = self.result(A)
        lets.append((p, N))
        return V, A

    def values(self, terms: Sequence[source.Term], lets: Lets) -> list[tuple[core.Value, Type]]:
        """The values of terms, from left to right. Silent names of those before a named binding become proper names."""
        found: list[tuple[core.Value, Type]] = []
        for N in terms:
            before = len(lets)
            V, A = self.value(N, lets)
            if any(not _is_silent(p) for p, _ in lets[before:]):
                found = [(self.named(W, lets), B) for W, B in found]
            found.append((V, A))
        return found

    def named(self, V: core.Value, lets: Lets) -> core.Value:
        """V with proper names instead of the silent ones, which are renamed in ``lets`` too."""
        match V:
            case core.Variable(x) if x.startswith(core.SILENT):
                y = self.fresh(x)
                i = next(i for i, (p, _) in enumerate(lets) if p == core.NamePattern(x))
                lets[i] = core.NamePattern(y), lets[i][1]
                return core.Variable(y)
            case core.Tuple(components):
                return core.Tuple(tuple(self.named(W, lets) for W in components))
            case core.Constructed(name, fields):
                return core.Constructed(name, tuple(self.named(W, lets) for W in fields))
            case _:
                return V

    def let(self, x: str, M: source.Term, lets: Lets, *, is_block: bool = False) -> None:
        """Bind x to M; if M is a variable or a tuple of variables, it replaces x without a binding."""
        if (
            is_block
            and isinstance(M, source.Let | source.Apply)
            and operations(M) >= MIN_OPERATIONS
            and (N := self.block(M, lets))
        ):
            p = self.bound(x, SCALAR)
            lets.append((p, N))
            return
        while isinstance(M, source.Let):
            self.let(M.name, M.bound, lets)
            M = M.body
        if isinstance(M, source.Tuple):
            for i, N in enumerate(M.components, 1):
                self.let(f"{x}.{i}", N, lets)
            each = [self.variables[f"{x}.{i}"] for i, _ in enumerate(M.components, 1)]
            self.variables[x] = core.Tuple(tuple(V for V, _ in each)), Product(tuple(A for _, A in each))
            return
        N, A = self.last(M, lets)
        if isinstance(N, core.Return) and isinstance(N.value, core.Variable | core.Tuple):
            self.variables[x] = N.value, A
            return
        p, V = self.pattern(x.replace(".", ""), A)
        self.variables[x] = V, A
        lets.append((p, N))

    def block(self, M: source.Term, lets: Lets) -> core.Computation | None:
        """Translate a block to a checkpoint, or to a function of the first number that it takes from outside."""
        if self.encoding is Encoding.CHECKPOINTS:
            return core.Perform("Checkpoint", "checkpoint", (core.Thunk(self.under(M)),))
        found = next(filter(None, map(self.number, subterms(M))), None)
        if found is None:
            return None
        x, i = found
        V, A = self.variables[x]
        p, a = self.pattern(x, SCALAR)
        if isinstance(V, core.Tuple):
            self.variables[x] = core.Tuple((*V.components[: i - 1], a, *V.components[i:])), A
            outer = V.components[i - 1]
        else:
            self.variables[x] = a, A
            outer = V
        thunk = core.Thunk(abstracted((p,), self.under(M), self))
        self.variables[x] = V, A
        g = self.silent()
        lets.append((core.NamePattern(g), core.Perform("High", "abs", (thunk,))))
        return core.Perform("High", "app", (core.Variable(g), outer))

    def number(self, M: source.Term) -> tuple[str, int] | None:
        """The variable and the index of the component, if M is a bound number."""
        match M:
            case source.Variable(x) if x in self.variables and self.variables[x][1] == SCALAR:
                return x, 0
            case source.Projection(i, source.Variable(x)) if x in self.variables and _factor(self.variables[x][1], i) == SCALAR:
                return x, i
            case _:
                return None


def _factor(A: Type, i: int) -> Type | None:
    return A.factors[i - 1] if isinstance(A, Product) else None


def _is_silent(p: core.Pattern) -> bool:
    return isinstance(p, core.NamePattern) and p.name.startswith(core.SILENT)
