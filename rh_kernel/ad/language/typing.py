"""``Γ ⊢ M : A`` for elaborated terms, inferred from the types of the variables."""

from collections.abc import Mapping

from rh_kernel.ad.language import core
from rh_kernel.ad.language.scalars import SYMBOLS
from rh_kernel.ad.language.types import SCALAR, Function, Product, Real, Sum, Type
from rh_kernel.source.diagnostic import KernelBug


def check(program: core.Program) -> None:
    """Check ``x1 : A1, …, xn : An ⊢ M : B`` for ``fun f(x1 : A1, …, xn : An) : B = M``. Raises ``KernelBug`` otherwise."""
    _need(type_of(program.body, dict(program.parameters)), program.result, program.name)


def type_of(M: core.Term, context: Mapping[str, Type]) -> Type:
    """Infer the type of M in a context. Raises ``KernelBug`` if M is ill-typed."""
    gamma = dict(context)
    while isinstance(M, core.Let):
        gamma[M.name] = type_of(M.bound, gamma)
        M = M.body
    match M:
        case core.Constant():
            return SCALAR
        case core.Variable(x):
            return gamma[x]
        case core.Apply(symbol, arguments):
            if len(arguments) != SYMBOLS[symbol]:
                raise KernelBug(f"{symbol} takes {SYMBOLS[symbol]} numbers, not {len(arguments)}")
            for N in arguments:
                _need(type_of(N, gamma), SCALAR, symbol)
            return SCALAR
        case core.Tuple(components):
            return Product(tuple(type_of(N, gamma) for N in components))
        case core.Projection(index, N):
            match type_of(N, gamma):
                case Product(factors) if index <= len(factors):
                    return factors[index - 1]
                case A:
                    raise KernelBug(f"{A} has no component {index}")
        case core.Lambda(x, A, body):
            return Function(A, type_of(body, {**gamma, x: A}))
        case core.Call(N, L):
            A, B = _function(type_of(N, gamma))
            _need(type_of(L, gamma), A, "an argument")
            return B
        case core.Inject(side, A, N):
            _need(type_of(N, gamma), A.left if side == 1 else A.right, "an injection")
            return A
        case core.Case(N, x, left, y, right):
            A, B = _sum(type_of(N, gamma))
            return _need(type_of(right, {**gamma, y: B}), type_of(left, {**gamma, x: A}), "case")
        case core.If(smaller, larger, then, otherwise):
            _need(type_of(smaller, gamma), SCALAR, "if")
            _need(type_of(larger, gamma), SCALAR, "if")
            return _need(type_of(otherwise, gamma), type_of(then, gamma), "if")
        case _:
            return _of_array(M, gamma)


def _of_array(M: core.ArrayTerm, gamma: dict[str, Type]) -> Type:
    match M:
        case core.Array(items):
            for N in items:
                _need(type_of(N, gamma), SCALAR, "an array")
            return Real(len(items))
        case core.Index(N, i):
            if i >= _size(type_of(N, gamma)):
                raise KernelBug(f"there is no entry {i}")
            return SCALAR
        case core.Map(x, body, N):
            n = _size(type_of(N, gamma))
            _need(type_of(body, {**gamma, x: SCALAR}), SCALAR, "map")
            return Real(n)
        case core.Map2(x, y, body, left, right):
            A = _need(type_of(right, gamma), type_of(left, gamma), "map2")
            _need(type_of(body, {**gamma, x: SCALAR, y: SCALAR}), SCALAR, "map2")
            return Real(_size(A))
        case core.Reduce(a, x, body, start, N) | core.Foldl(a, x, body, start, N) | core.Scanl(a, x, body, start, N):
            n = _size(type_of(N, gamma))
            A = type_of(start, gamma)
            if not isinstance(M, core.Foldl):
                _need(A, SCALAR, "the start")
            _need(type_of(body, {**gamma, a: A, x: SCALAR}), A, "a fold")
            return Real(n + 1) if isinstance(M, core.Scanl) else A
        case core.Total(N):
            _size(type_of(N, gamma))
            return SCALAR
        case core.Replicate(n, N):
            _need(type_of(N, gamma), SCALAR, "replicate")
            return Real(n)
        case core.Generate(n, i, body):
            _need(type_of(body, {**gamma, i: SCALAR}), SCALAR, "generate")
            return Real(n)
        case core.Dot(left, right):
            _size(_need(type_of(right, gamma), type_of(left, gamma), "dot"))
            return SCALAR


def _need(found: Type, wanted: Type, what: str) -> Type:
    if found != wanted:
        raise KernelBug(f"{what}: {found} instead of {wanted}")
    return found


def _size(A: Type) -> int:
    match A:
        case Real(n):
            return n
        case Product() | Sum() | Function():
            raise KernelBug(f"{A} is no array")


def _function(A: Type) -> tuple[Type, Type]:
    match A:
        case Function(B, C):
            return B, C
        case Real() | Product() | Sum():
            raise KernelBug(f"{A} is no function")


def _sum(A: Type) -> tuple[Type, Type]:
    match A:
        case Sum(B, C):
            return B, C
        case Real() | Product() | Function():
            raise KernelBug(f"{A} is no sum")
