"""``Γ ⊢ t : τ`` and ``Γ; v : L ⊢ t : M``, the types of Cartesian and of linear terms of the target (CHAD §4, Fig. 5).

A linear term has exactly one linear variable, which may occur any number of times: t is a homomorphism in v. After a
``let v' = t in s`` with ``keeps``, the names in s are the components of the one variable ``⟨v, t⟩``.
"""

from collections.abc import Generator, Mapping
from typing import NoReturn, TypeAlias

from rh_kernel.ad.chad.target import terms as to
from rh_kernel.ad.chad.target.types import (
    NUMBER,
    UNIT,
    AnyType,
    Copower,
    Either,
    Function,
    LinearMap,
    Mode,
    Number,
    Product,
    Sum,
    Vector,
    vector,
)
from rh_kernel.source.trampoline import Descent, descend

Stoup: TypeAlias = Mapping[str, AnyType] | None
"""The linear variable ``v : L`` as its components by their names; ``None`` for Cartesian terms."""


ArrayForm: TypeAlias = to.Map | to.Indices | to.Prepend | to.Accumulate | to.MapDifferential
CartesianForm: TypeAlias = to.Apply | to.LinearLambda | to.Inject | to.Sign | ArrayForm
"""The terms that are never linear."""


class TypeCheckError(Exception):
    """A target term has no type."""


def cartesian_type(gamma: Mapping[str, AnyType], t: to.Term) -> AnyType:
    """Return the τ of ``Γ ⊢ t : τ``. Raises ``TypeCheckError``."""
    return descend(_Checker(dict(gamma)).type_of(t, None))


def linear_type(gamma: Mapping[str, AnyType], v: str, L: AnyType, t: to.Term) -> AnyType:
    """Return the M of ``Γ; v : L ⊢ t : M``. Raises ``TypeCheckError``."""
    return descend(_Checker(dict(gamma)).type_of(t, {v: L}))


class _Checker:
    """Checks one term; ``gamma`` has the variables in scope."""

    def __init__(self, gamma: dict[str, AnyType]) -> None:
        self.gamma = gamma

    def type_of(self, t: to.Term, v: Stoup) -> Descent[AnyType]:
        """Return the type of t, which is linear in v unless v is ``None``."""
        match t:
            case to.Variable(x):
                if v is not None:
                    _fail(f"{x} is not linear")
                if x not in self.gamma:
                    _fail(f"{x} is not bound")
                return self.gamma[x]
            case to.Let(bound, scope):
                A = yield self.type_of(bound, None)
                return (yield self._under(scope, _split(A, len(scope.names)), v))
            case to.Tuple(components):
                factors: list[AnyType] = []
                for s in components:
                    A = yield self.type_of(s, v)
                    factors.append(A)
                return Product(tuple(factors))
            case to.Projection(i, s):
                A = yield self.type_of(s, v)
                factors_ = _product(A).factors
                if not 1 <= i <= len(factors_):
                    _fail(f"{A} has no component {i}")
                return factors_[i - 1]
            case to.Initial(s):
                A = yield self.type_of(s, v)
                return Product(_nonempty(A)[:-1])
            case to.Last(s):
                A = yield self.type_of(s, v)
                return _nonempty(A)[-1]
            case to.Extend(s, r):
                A = yield self.type_of(s, v)
                B = yield self.type_of(r, v)
                return Product((*_product(A).factors, B))
            case to.Lambda(A, scope):
                B = yield self._under(scope, (A,), v)
                return Function(A, B)
            case to.Call(function, argument):
                A = yield self.type_of(function, v)
                B = yield self.type_of(argument, None)
                if not isinstance(A, Function):
                    _fail(f"{A} is not a function")
                _same(B, A.domain, "an argument")
                return A.codomain
            case to.Case(operand, left, right):
                A = yield self.type_of(operand, None)
                if not isinstance(A, Sum):
                    _fail(f"{A} is not a sum")
                B = yield self._under(left, (A.left,), v)
                C = yield self._under(right, (A.right,), v)
                return _same(C, B, "the branches of a case")
            case (
                to.Apply()
                | to.LinearLambda()
                | to.Inject()
                | to.Sign()
                | to.Map()
                | to.Indices()
                | to.Prepend()
                | to.Accumulate()
                | to.MapDifferential()
            ):
                if v is not None:
                    _fail(f"{type(t).__name__} is not linear")
                return (yield self._cartesian(t))
            case _:
                if v is None:
                    _fail(f"{type(t).__name__} is linear, and there is no linear variable")
                return (yield self._linear(t, v))

    def _cartesian(self, t: CartesianForm) -> Descent[AnyType]:
        match t:
            case to.Apply(operation, arguments):
                yield from self._arguments(operation.domain, arguments)
                return vector(operation.codomain, NUMBER)
            case to.LinearLambda(L, scope):
                M = yield self.type_of(scope.body, {scope.names[0]: _linear(L)})
                return LinearMap(L, M)
            case to.Inject(side, A, s):
                B = yield self.type_of(s, None)
                if not isinstance(A, Sum):
                    _fail(f"{A} is not a sum")
                _same(B, A.left if side == 1 else A.right, "an injection")
                return A
            case to.Sign(s, r):
                for part in (s, r):
                    A = yield self.type_of(part, None)
                    _same(A, NUMBER, "a sign")
                return Sum(UNIT, UNIT)
            case _:
                return (yield self._array(t))

    def _under(self, scope: to.Scope, types: tuple[AnyType, ...], v: Stoup) -> Descent[AnyType]:
        """Return the type of the body, in which Cartesian variables of these types are bound."""
        if len(types) != len(scope.names) or any(x in self.gamma for x in scope.names):
            _fail(f"{', '.join(scope.names)} cannot be bound")
        self.gamma.update(zip(scope.names, types, strict=True))
        A = yield self.type_of(scope.body, v)
        for x in scope.names:
            del self.gamma[x]
        return A

    def _over(self, scope: to.Scope, types: tuple[AnyType, ...], L: AnyType) -> Descent[AnyType]:
        """Return the type of the body, in which Cartesian variables and, by the last name, a linear variable are bound."""
        return self._under(to.Scope(scope.names[:-1], scope.body), types, {scope.names[-1]: L})

    def _arguments(self, sizes: tuple[int, ...], arguments: tuple[to.Term, ...]) -> Generator[Descent[AnyType], AnyType, None]:
        for n, s in zip(sizes, arguments, strict=True):
            A = yield self.type_of(s, None)
            _same(A, vector(n, NUMBER), "an argument of an operation")

    def _array(self, t: ArrayForm) -> Descent[AnyType]:
        match t:
            case to.Map(n, scope, arrays):
                entries = yield from self._rows(n, arrays)
                A = yield self._under(scope, entries, None)
                return vector(n, A)
            case to.Indices(n):
                return vector(n, NUMBER)
            case to.Prepend(n, s, r):
                A = yield self.type_of(s, None)
                B = yield self.type_of(r, None)
                _same(B, vector(n, A), "the rest of an array")
                return vector(n + 1, A)
            case to.Accumulate(n, start, array, scope):
                A = yield self.type_of(start, None)
                entries = yield from self._rows(n, (array,))
                B = yield self._under(scope, (A, *entries), None)
                C, D = _split(B, 2)
                _same(C, A, "an accumulator")
                return Product((A, vector(n, D)))
            case to.MapDifferential(mode, n, array, scope, rest, context):
                entries = yield from self._rows(n, (array,))
                A = yield self.type_of(rest, None)
                inner = Product((*_product(context).factors, NUMBER))
                outer = vector(n, NUMBER)
                if mode is Mode.FORWARD:
                    B = yield self._over(scope, entries, inner)
                    _same(B, NUMBER, "Dmap")
                    return _same(A, LinearMap(context, outer), "Dmap")
                B = yield self._over(scope, entries, NUMBER)
                _same(B, inner, "Dmapᵗ")
                return _same(A, LinearMap(outer, context), "Dmapᵗ")

    def _rows(self, n: int, arrays: tuple[to.Term, ...]) -> Generator[Descent[AnyType], AnyType, tuple[AnyType, ...]]:
        found: list[AnyType] = []
        for s in arrays:
            A = yield self.type_of(s, None)
            found.append(_element(n, A))
        return tuple(found)

    def _linear(self, t: to.Term, v: Mapping[str, AnyType]) -> Descent[AnyType]:
        match t:
            case to.LinearVariable(x):
                if x not in v:
                    _fail(f"{x} is not the linear variable here")
                return v[x]
            case to.LetLinear(bound, scope, keeps):
                A = yield self.type_of(bound, v)
                return (yield self.type_of(scope.body, {**v, scope.names[0]: A} if keeps else {scope.names[0]: A}))
            case to.Differential(mode, operation, arguments, s):
                yield from self._arguments(operation.domain, arguments)
                A = yield self.type_of(s, v)
                arguments_ = tuple(vector(n, NUMBER) for n in operation.domain)
                inner = arguments_[0] if len(arguments_) == 1 else Product(arguments_)
                outer = vector(operation.codomain, NUMBER)
                given, result = (inner, outer) if mode is Mode.FORWARD else (outer, inner)
                _same(A, given, "a differential")
                return result
            case to.Scale(factor, s):
                A = yield self.type_of(factor, None)
                B = yield self.type_of(s, v)
                _same(A, NUMBER, "a factor")
                return _same(B, NUMBER, "what is scaled")
            case to.Coprojection(i, A, s):
                B = yield self.type_of(s, v)
                _same(B, A.factors[i - 1], "coproj")
                return A
            case to.LinearCall(function, s):
                A = yield self.type_of(function, None)
                B = yield self.type_of(s, v)
                if not isinstance(A, LinearMap):
                    _fail(f"{A} is not a linear function")
                _same(B, A.domain, "an argument of a linear function")
                return A.codomain
            case to.Single(key, s):
                A = yield self.type_of(key, None)
                B = yield self.type_of(s, v)
                return Copower(A, B)
            case to.Fold(L, s, scope):
                A = yield self.type_of(s, v)
                if not isinstance(A, Copower):
                    _fail(f"{A} is not a copower")
                B = yield self._over(scope, (A.key,), A.value)
                return _same(B, L, "case")
            case to.Zero(L):
                return _linear(L)
            case to.Plus(s, r):
                A = yield self.type_of(s, v)
                B = yield self.type_of(r, v)
                return _linear(_same(B, A, "a sum"))
            case to.LinearInject(side, other, s):
                A = yield self.type_of(s, v)
                return Either(A, other) if side == 1 else Either(other, A)
            case to.LinearOut(side, L, s):
                A = yield self.type_of(s, v)
                if not isinstance(A, Either):
                    _fail(f"{A} is not a sum")
                return _same(A.left if side == 1 else A.right, L, "lout")
            case _:
                return (yield self._linear_array(t, v))

    def _linear_array(self, t: to.Term, v: Mapping[str, AnyType]) -> Descent[AnyType]:
        match t:
            case to.LinearZipWith(n, arrays, s, scope):
                entries = yield from self._rows(n, arrays)
                A = yield self.type_of(s, v)
                B = yield self._over(scope, entries, _element(n, A))
                return vector(n, B)
            case to.LinearSum(n, L, s):
                A = yield self.type_of(s, v)
                return _same(_element(n, A), L, "sum")
            case to.LinearReplicate(n, s):
                A = yield self.type_of(s, v)
                return vector(n, A)
            case to.LinearZip(n, s):
                A = yield self.type_of(s, v)
                left, right = _split(A, 2)
                return vector(n, Product((_element(n, left), _element(n, right))))
            case to.Slice(i, j, n, s):
                A = yield self.type_of(s, v)
                return vector(j - i, _element(n, A))
            case to.Place(i, j, n, L, s):
                A = yield self.type_of(s, v)
                return vector(n, _same(_element(j - i, A), L, "place"))
            case to.LinearAccumulate(_, n, array, s, scope):
                entries = yield from self._rows(n, (array,))
                A = yield self.type_of(s, v)
                start, inputs = _split(A, 2)
                B = yield self._over(scope, entries, Product((start, _element(n, inputs))))
                C, D = _split(B, 2)
                return Product((_same(C, start, "an accumulator"), vector(n, D)))
            case _:
                _fail(f"{type(t).__name__} is not linear")


def _fail(why: str) -> NoReturn:
    raise TypeCheckError(why)


def _linear(L: AnyType) -> AnyType:
    if not _is_linear(L):
        _fail(f"{L} is not linear")
    return L


def _same(found: AnyType, wanted: AnyType, what: str) -> AnyType:
    if found != wanted:
        _fail(f"{what}: {found} instead of {wanted}")
    return wanted


def _product(A: AnyType) -> Product:
    if not isinstance(A, Product):
        _fail(f"{A} is not a product")
    return A


def _nonempty(A: AnyType) -> tuple[AnyType, ...]:
    factors = _product(A).factors
    if not factors:
        _fail("a context without entries has no last one")
    return factors


def _split(A: AnyType, n: int) -> tuple[AnyType, ...]:
    """Return the n factors of a product, or A itself for n = 1."""
    if n == 1:
        return (A,)
    factors = _product(A).factors
    if len(factors) != n:
        _fail(f"{A} has not {n} components")
    return factors


def _element(n: int, A: AnyType) -> AnyType:
    """Return the type of the entries of an array of n entries."""
    if n == 1:
        return A
    if not isinstance(A, Vector) or A.size != n:
        _fail(f"{A} is not an array of {n} entries")
    return A.element


def _is_linear(A: AnyType) -> bool:
    """Whether A is a linear type."""
    match A:
        case Number() | Copower() | Either():
            return True
        case Vector(_, B) | Function(_, B):
            return _is_linear(B)
        case Product(factors):
            return all(map(_is_linear, factors))
        case LinearMap() | Sum():
            return False
