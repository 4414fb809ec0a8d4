"""Translation of a program of the common language to ``Γ ⊢ e : B`` of Source; products become nested pairs.

``sum`` and ``dot`` become reductions, ``replicate`` becomes ``fill``, and ``generate`` a ``map`` over the numbers 0, …, n − 1.
``Real``, which is an array of one entry in the common language, is no array in Source: there, operations on arrays become
their bodies.
"""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import cast

from rh_kernel.ad.language import core, types
from rh_kernel.ad.language.binding import binders
from rh_kernel.ad.language.names import Names
from rh_kernel.ad.language.types import SCALAR, Product, Real, is_ground
from rh_kernel.ad.language.values import Value
from rh_kernel.ad.system import refuse
from rh_kernel.ad.unary_form.terms import terms as t
from rh_kernel.ad.unary_form.terms.binding import lets
from rh_kernel.ad.unary_form.terms.naming import Numbered
from rh_kernel.ad.unary_form.terms.types import Context, Type, of_common
from rh_kernel.ad.unary_form.translation.primitives import array, constant, index
from rh_kernel.source.diagnostic import KernelBug


@dataclass(frozen=True, slots=True)
class Source:
    """``Γ ⊢ e : B``"""

    context: Context
    body: t.Term
    result: Type
    names: Names


def source(program: core.Program, system: str) -> Source:
    """Translate a program of first order. Raises ``Rejected`` for constructs that Source does not have."""
    names = Numbered((*(x for x, _ in program.parameters), *binders(program.body)))
    translation = _Translation(system, names)
    for _, A in program.parameters:
        _representable(A, system, f"a parameter of type {A}")
    _representable(program.result, system, f"a result of type {program.result}")
    M, _ = translation.term(program.body, dict(program.parameters))
    context = tuple((x, of_common(A)) for x, A in program.parameters)
    return Source(context, M, of_common(program.result), names)


def scalar_term(M: core.Term) -> t.Term:
    """Translate a term that has function symbols of numbers, variables and constants only."""
    match M:
        case core.Constant(c):
            return t.Const(c)
        case core.Variable(x):
            return t.Var(x)
        case core.Apply(symbol, arguments):
            return t.Op(symbol, tuple(map(scalar_term, arguments)))
        case _:
            raise KernelBug("no term of numbers")


def nested(A: types.Type, V: Value) -> Value:
    """A value of the common language with nested pairs for tuples."""
    match A:
        case Product((B, *rest)) if rest:
            first, *more = cast(tuple[Value, ...], V)
            inner = types.product(*rest)
            return (nested(B, first), nested(inner, more[0] if len(more) == 1 else tuple(more)))
        case _:
            return V


def flat(A: types.Type, V: Value) -> Value:
    """The inverse of ``nested``."""
    match A:
        case Product((B, *rest)) if rest:
            first, second = cast(tuple[Value, Value], V)
            tail = flat(types.product(*rest), second)
            return (flat(B, first), *(cast(tuple[Value, ...], tail) if len(rest) > 1 else (tail,)))
        case _:
            return V


def _representable(A: types.Type, system: str, what: str) -> None:
    match A:
        case Real():
            pass
        case Product(factors) if factors:
            for B in factors:
                _representable(B, system, what)
        case _:
            refuse(system, what)


@dataclass(frozen=True, slots=True)
class _Translation:
    """The translation; refusals name ``system``."""

    system: str
    names: Names

    def term(self, M: core.Term, gamma: Mapping[str, types.Type]) -> tuple[t.Term, types.Type]:
        """Translate a term; return its type in the common language, too."""
        spine: list[tuple[tuple[str, ...], t.Term]] = []
        gamma = dict(gamma)
        while isinstance(M, core.Let):
            bound, A = self.term(M.bound, gamma)
            gamma[M.name] = A
            spine.append(((M.name,), bound))
            M = M.body
        N, A = self._form(M, gamma)
        return lets(spine, N), A

    def _form(self, M: core.Term, gamma: dict[str, types.Type]) -> tuple[t.Term, types.Type]:
        match M:
            case core.Constant(c):
                return t.Const(c), SCALAR
            case core.Variable(x):
                return t.Var(x), gamma[x]
            case core.Apply(symbol, arguments):
                return t.Op(symbol, tuple(self.term(N, gamma)[0] for N in arguments)), SCALAR
            case core.Tuple(()):
                return refuse(self.system, "the unit `()`")
            case core.Tuple(components):
                each = [self.term(N, gamma) for N in components]
                return _pairs([N for N, _ in each]), Product(tuple(A for _, A in each))
            case core.Projection(i, N):
                L, A = self.term(N, gamma)
                if not isinstance(A, Product):
                    raise KernelBug(f"{A} has no components")
                for _ in range(i - 1):
                    L = t.Proj(2, L)
                return (t.Proj(1, L) if i < len(A.factors) else L), A.factors[i - 1]
            case core.If(smaller, larger, then, otherwise):
                m, n = self.term(smaller, gamma)[0], self.term(larger, gamma)[0]
                N, A = self.term(then, gamma)
                return t.If(m, n, N, self.term(otherwise, gamma)[0]), A
            case core.Lambda() | core.Call():
                return refuse(self.system, "a function that is known only at run time")
            case core.Inject() | core.Case() | core.Let():
                return refuse(self.system, "a sum whose side is known only at run time")
            case _:
                return self._array(M, gamma)

    def _array(self, M: core.ArrayTerm, gamma: dict[str, types.Type]) -> tuple[t.Term, types.Type]:
        match M:
            case core.Array((entry,)) | core.Replicate(1, entry):
                return self.term(entry, gamma)
            case core.Array(entries):
                return t.Use(array(), tuple(self.term(N, gamma)[0] for N in entries)), Real(len(entries))
            case core.Replicate(n, entry):
                return t.Fill(n, self.term(entry, gamma)[0]), Real(n)
            case core.Index(N, i):
                L, n = self._sized(N, gamma)
                return (L if n == 1 else t.Use(index(i), (L,))), SCALAR
            case core.Map(x, body, N):
                A, n = self._sized(N, gamma)
                e = self._body(body, gamma, x)
                return (t.Let((x,), A, e) if n == 1 else t.Map(x, e, A)), Real(n)
            case core.Map2(x, y, body, left, right):
                A, n = self._sized(left, gamma)
                B, _ = self._sized(right, gamma)
                e = self._body(body, gamma, x, y)
                return (t.Let((x,), A, t.Let((y,), B, e)) if n == 1 else t.Map2(x, y, e, A, B)), Real(n)
            case core.Reduce() | core.Foldl() | core.Scanl():
                return self._fold(M, gamma)
            case core.Total(N):
                A, n = self._sized(N, gamma)
                return (A if n == 1 else self._sum(A)), SCALAR
            case core.Generate(n, i, body):
                e = self._body(body, gamma, i)
                each = t.Use(constant(tuple(map(float, range(n)))), ())
                return (t.Let((i,), t.ZERO, e) if n == 1 else t.Map(i, e, each)), Real(n)
            case core.Dot(left, right):
                A, n = self._sized(left, gamma)
                B, _ = self._sized(right, gamma)
                if n == 1:
                    return t.Op("mul", (A, B)), SCALAR
                a, b = self.names.fresh("a"), self.names.fresh("b")
                return self._sum(t.Map2(a, b, t.Op("mul", (t.Var(a), t.Var(b))), A, B)), SCALAR

    def _fold(self, M: core.Reduce | core.Foldl | core.Scanl, gamma: dict[str, types.Type]) -> tuple[t.Term, types.Type]:
        start, A = self.term(M.start, gamma)
        form = type(M).__name__.lower()
        if not is_ground(A):
            refuse(self.system, f"{form} with an accumulator of type {A}")
        N, n = self._sized(M.array, gamma)
        e, _ = self.term(M.body, {**gamma, M.accumulator: A, M.name: SCALAR})
        B = Real(n + 1) if isinstance(M, core.Scanl) else A
        if n == 0 and isinstance(M, core.Scanl):
            return start, B
        if n != 1:
            return t.Fold(form, M.accumulator, M.name, e, start, N), B
        if not isinstance(M, core.Scanl):
            return t.Let((M.accumulator,), start, t.Let((M.name,), N, e)), B
        once = t.Let((M.accumulator,), start, t.Let((M.name,), N, t.Use(array(), (t.Var(M.accumulator), e))))
        return once, B

    def _body(self, body: core.Term, gamma: dict[str, types.Type], *names: str) -> t.Term:
        return self.term(body, {**gamma, **dict.fromkeys(names, SCALAR)})[0]

    def _sized(self, M: core.Term, gamma: dict[str, types.Type]) -> tuple[t.Term, int]:
        N, A = self.term(M, gamma)
        if not isinstance(A, Real):
            raise KernelBug(f"{A} is no array")
        return N, A.size

    def _sum(self, A: t.Term) -> t.Term:
        """``reduce + 0 A``"""
        a, b = self.names.fresh("a"), self.names.fresh("b")
        return t.Fold("reduce", a, b, t.Op("add", (t.Var(a), t.Var(b))), t.ZERO, A)


def _pairs(components: list[t.Term]) -> t.Term:
    """``⟨e1, ⟨e2, …⟩⟩``"""
    M = components[-1]
    for N in reversed(components[:-1]):
        M = t.Pack((N, M))
    return M
