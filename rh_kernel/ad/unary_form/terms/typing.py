"""``Γ ⊢ e : A`` for Source and Target (Figs 2, 3); a type error names the rule that does not apply."""

from collections.abc import Mapping
from enum import Enum
from typing import NoReturn

from rh_kernel.ad.language.scalars import SYMBOLS
from rh_kernel.ad.unary_form.terms import terms as e
from rh_kernel.ad.unary_form.terms.binding import free
from rh_kernel.ad.unary_form.terms.types import Arrow, Context, R, Times, Type, VectorType, is_ground, times


class Language(Enum):
    """The language of a term: the core of §3, all of Source with the extensions of §7, or Target."""

    CORE = "the core of Source"
    SOURCE = "Source"
    TARGET = "Target"


class TypeCheckError(Exception):
    """A term is ill-typed: ``rule`` is the only rule for its form, and does not apply."""

    def __init__(self, rule: str, why: str) -> None:
        super().__init__(f"{rule}: {why}")
        self.rule = rule


def check(context: Context, M: e.Term, language: Language = Language.TARGET) -> Type:
    """Infer A for ``Γ ⊢ e : A``. Raises ``TypeCheckError``."""
    outside = free(M).difference(x for x, _ in context)
    if outside:
        _no("var", f"`{min(outside)}` is not in the context")
    return Checking(dict(context), language).of(M)


def type_of(M: e.Term, types: Mapping[str, Type]) -> Type:
    """Infer the type of a term of Target whose variables have these types."""
    return Checking(dict(types), Language.TARGET).of(M)


class Checking:
    """Infers types of terms; ``types`` has the types of the variables, and of all names bound in checked terms."""

    __slots__ = ("language", "types")

    def __init__(self, types: dict[str, Type], language: Language = Language.TARGET) -> None:
        self.types = types
        self.language = language

    def of(self, M: e.Term) -> Type:
        """Infer the type of M."""
        while isinstance(M, e.Let):
            self._bind(M.names, self.of(M.bound))
            M = M.body
        match M:
            case e.Const():
                return R
            case e.Var(x):
                return self.types[x] if x in self.types else _no("var", f"`{x}` is not in the context")
            case e.Pack(components):
                self._within(
                    "tuple", len(components) == 2 or self.language is Language.TARGET, "tuples of other than two components"
                )
                return Times(tuple(self.of(N) for N in components))
            case e.Proj(i, N):
                match self.of(N):
                    case Times(factors) if 1 <= i <= len(factors):
                        return factors[i - 1]
                    case A:
                        return _no("proj", f"{A} has no component {i}")
            case e.Op(symbol, arguments):
                if len(arguments) != SYMBOLS[symbol]:
                    _no("op", f"{symbol} takes {SYMBOLS[symbol]} numbers")
                for N in arguments:
                    self._need("op", self.of(N), R)
                return R
            case e.If(smaller, larger, then, otherwise):
                self._within("if", self.language is not Language.CORE, "conditionals")
                self._need("if", self.of(smaller), R)
                self._need("if", self.of(larger), R)
                return self._need("if", self.of(otherwise), self.of(then))
            case e.Map() | e.Map2() | e.Fold() | e.Shift() | e.Fill() | e.Use():
                return self._array(M)
            case e.Plus() | e.Scale() | e.Fun() | e.App() | e.Nabla():
                self._within("target", self.language is Language.TARGET, "what only Target has")
                return self._target(M)

    def _array(self, M: e.Map | e.Map2 | e.Fold | e.Shift | e.Fill | e.Use) -> Type:
        is_target, is_core = self.language is Language.TARGET, self.language is Language.CORE
        match M:
            case e.Map(x, body, N):
                entry, n = _several("map", self.of(N))
                return VectorType(self._body("map", {x: entry}, body), n)
            case e.Map2(x, y, body, N, L):
                (entry, n), (other, m) = _several("map2", self.of(N)), _several("map2", self.of(L))
                if n != m:
                    _no("map2", f"arrays of {n} and {m} entries")
                return VectorType(self._body("map2", {x: entry, y: other}, body), n)
            case e.Fold(form, a, x, body, start, N):
                is_scan = form in {"scanl", "scanr"}
                self._within(form, is_target or form == "reduce" or (not is_core and form != "scanr"), f"`{form}`")
                if is_core and free(body) - {a, x}:
                    _no("reduce", "its body uses variables of the context")
                A = self.of(start)
                entry, n = _several(form, self.of(N))
                self._within(form, not is_core or A == R, "accumulators other than numbers")
                self._need(form, self._body(form, {a: A, x: entry}, body), A)
                return VectorType(A, n + 1) if is_scan else A
            case e.Shift(side, N):
                self._within("shift", is_target, f"shift1{side}")
                entry, n = _several("shift", self.of(N))
                return VectorType(entry, max(n - 1, 0))
            case e.Fill(n, N):
                self._within("fill", not is_core, "arrays of one entry, repeated")
                return VectorType(self.of(N), n)
            case e.Use(primitive, arguments):
                self._within("primitive", not is_core, "primitives that were added")
                given = tuple(self.of(N) for N in arguments)
                A = primitive.type(given)
                return _no(primitive.name, f"at {', '.join(map(str, given))}") if A is None else A

    def _target(self, M: e.Plus | e.Scale | e.Fun | e.App | e.Nabla) -> Type:
        match M:
            case e.Plus(N, L):
                return self._ground("+̂", self._need("+̂", self.of(L), self.of(N)))
            case e.Scale(N, factor):
                self._need("*̂", self.of(factor), R)
                return self._ground("*̂", self.of(N))
            case e.Fun(parameters, body):
                self.types.update(parameters)
                return Arrow(tuple(A for _, A in parameters), self.of(body))
            case e.App(function, arguments):
                match self.of(function):
                    case Arrow(domain, codomain):
                        if len(domain) != len(arguments):
                            _no("app", f"{len(arguments)} arguments for {len(domain)} parameters")
                        for A, N in zip(domain, arguments, strict=True):
                            self._need("app", self.of(N), A)
                        return codomain
                    case A:
                        return _no("app", f"{A} is no function")
            case e.Nabla(_, context, body, wanted, seed):
                for x, A in context:
                    self._need("∇", self.types.get(x, R), A)
                self._need("∇", self.of(seed), check(context, body))
                types = dict(context)
                return times(*(types[x] for x in wanted))

    def _bind(self, names: tuple[str, ...], A: Type) -> None:
        if len(names) == 1:
            self.types[names[0]] = A
            return
        if not isinstance(A, Times) or len(A.factors) != len(names):
            _no("let", f"{A} has not {len(names)} components")
        self._within("let", self.language is Language.TARGET, "lets of several variables")
        self.types.update(zip(names, A.factors, strict=True))

    def _body(self, rule: str, bound: Mapping[str, Type], body: e.Term) -> Type:
        """Infer the type of a body from those of the names that are bound in it; in the core, it is R."""
        is_core = self.language is Language.CORE
        if is_core and any(A != R for A in bound.values()):
            _no(rule, "an array of arrays or of tuples")
        self.types.update(bound)
        A = self.of(body)
        self._within(rule, not is_core or A == R, f"entries of type {A}")
        return A

    def _ground(self, rule: str, A: Type) -> Type:
        return A if is_ground(A) else _no(rule, f"{A} is not ground")

    def _within(self, rule: str, holds: object, what: str) -> None:
        if not holds:
            _no(rule, f"{self.language.value} has no {what}")

    def _need(self, rule: str, found: Type, wanted: Type) -> Type:
        return found if found == wanted else _no(rule, f"{found} instead of {wanted}")


def _several(rule: str, A: Type) -> tuple[Type, int]:
    return (A.entry, A.size) if isinstance(A, VectorType) else _no(rule, f"{A} is no array")


def _no(rule: str, why: str) -> NoReturn:
    raise TypeCheckError(rule, why)
