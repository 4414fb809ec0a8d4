"""Symbolic evaluation of terms (RH Def. 5.4), and the way back along a tape (RH Fig. 6).

``W.rd(x. N)(V)`` evaluates N once, in a region of its own, and then goes back through what was noted: each entry takes the
cotangent of its result, once all of it has come together, and hands on those of its arguments. That is Fig. 6 with the sums
regrouped, and it visits every entry once; the literal equations visit it once for each variable in scope.
"""

from dataclasses import dataclass
from typing import TypeAlias, cast

from rh_kernel.arrays.builder import Builder
from rh_kernel.arrays.tape import Aliased, Applied, Called, Continuation, Environment, Performed, Region, enter
from rh_kernel.arrays.values import Nought, Slot, Symbolic, pack, unpack
from rh_kernel.source.diagnostic import KernelBug
from rh_kernel.syntax.core import (
    Bound,
    Call,
    Const,
    Defined,
    Function,
    Let,
    Plus,
    Primitive,
    Proj,
    R,
    Rd,
    RdOf,
    Scope,
    Term,
    Tuple,
    Zero,
)
from rh_kernel.syntax.types import Product, real

Cotangents: TypeAlias = dict[int, Symbolic]


@dataclass(frozen=True, slots=True)
class _Evaluate:
    term: Term
    environment: Environment


@dataclass(frozen=True, slots=True)
class _Call:
    function: Function


@dataclass(frozen=True, slots=True)
class _Add:
    pass


@dataclass(frozen=True, slots=True)
class _Pack:
    arity: int


@dataclass(frozen=True, slots=True)
class _Project:
    index: int
    arity: int


@dataclass(frozen=True, slots=True)
class _Enter:
    scope: Scope
    environment: Environment


@dataclass(frozen=True, slots=True)
class _Differentiate:
    scope: Scope
    environment: Environment


@dataclass(frozen=True, slots=True)
class _GoBack:
    variable: Symbolic
    cotangent: Symbolic


@dataclass(frozen=True, slots=True)
class _Seal:
    function: Defined
    argument: Symbolic
    region: Region | None


_Task: TypeAlias = _Evaluate | _Call | _Add | _Pack | _Project | _Enter | _Differentiate | _GoBack | _Seal


def evaluate(M: Term, environment: Environment, b: Builder) -> Symbolic:
    """The value of M. However deep M is, Python's stack is not used."""
    todo: list[_Task] = [_Evaluate(M, environment)]
    values: list[Symbolic] = []
    while todo:
        match todo.pop():
            case _Evaluate(N, rho):
                _evaluate(N, rho, b, todo, values)
            case _Call(f):
                _call(f, values.pop(), b, todo, values)
            case _Add():
                W = values.pop()
                values.append(b.add(values.pop(), W))
            case _Pack(n):
                items = tuple(values[-n:])
                del values[-n:]
                values.append(items)
            case _Project(i, n):
                values.append(unpack(values.pop(), n)[i - 1])
            case _Enter(scope, rho):
                todo.append(_Evaluate(cast(Term, scope.body), bind(scope, values.pop(), rho)))
            case _Differentiate(scope, rho):
                V = values.pop()
                bit = b.fresh_bit()
                x = b.alias(V, bit)
                b.region = enter(bit, None, b.region)
                todo.append(_GoBack(x, values.pop()))
                todo.append(_Evaluate(cast(Term, scope.body), bind(scope, x, rho)))
            case _GoBack(x, W):
                values.append(_go_back(values.pop(), W, x, b))
            case _Seal(f, argument, region):
                b.region = region
                values.append(b.seal(f, argument, values.pop()))
    (V,) = values
    return V


def _evaluate(M: Term, environment: Environment, b: Builder, todo: list[_Task], values: list[Symbolic]) -> None:
    match M:
        case Bound(index):
            values.append(variable(index, environment))
        case Const(array):
            values.append(b.constant(array))
        case Zero(A):
            values.append(Nought(A))
        case Call(f, N):
            todo.append(_Call(f))
            todo.append(_Evaluate(N, environment))
        case Plus(L, N):
            todo.append(_Add())
            todo.append(_Evaluate(N, environment))
            todo.append(_Evaluate(L, environment))
        case Tuple(items):
            todo.append(_Pack(len(items)))
            todo.extend([_Evaluate(N, environment) for N in reversed(items)])
        case Proj(i, n, N):
            todo.append(_Project(i, n))
            todo.append(_Evaluate(N, environment))
        case Let(N, scope):
            todo.append(_Enter(scope, environment))
            todo.append(_Evaluate(N, environment))
        case Rd(W, scope, N) | R(W, scope, N):
            todo.append(_Differentiate(scope, environment))
            todo.append(_Evaluate(N, environment))
            todo.append(_Evaluate(W, environment))


def _call(f: Function, V: Symbolic, b: Builder, todo: list[_Task], values: list[Symbolic]) -> None:
    match f:
        case Primitive(_, _, Product(factors)):
            values.append(b.apply(f, unpack(V, len(factors))))
        case Primitive():
            values.append(b.apply(f, (V,)))
        case Defined(_, _, _, body, None):
            todo.append(_Evaluate(cast(Term, body.body), (V, None)))
        case Defined(_, _, _, body, _):
            todo.append(_Seal(f, V, b.region))
            todo.append(_Evaluate(cast(Term, body.body), (V, None)))
            b.region = None
        case RdOf(g):
            w, v = unpack(V, 2)
            todo.append(_Evaluate(cast(Term, b.derivative(g).body), (v, (w, None))))


def _go_back(result: Symbolic, W: Symbolic, x: Symbolic, b: Builder) -> Symbolic:
    """``W.R_V(x. N)`` for the N that was just evaluated to ``result`` in the innermost region, which ends here."""
    region = b.region
    if region is None:
        raise KernelBug("a derivative ends where no region is active")
    b.region = region.outer
    cotangents: Cotangents = {}
    accumulate(result, W, region.bit, cotangents, b)
    tape = region.tape
    while tape is not None:
        entry, tape = tape
        if isinstance(entry, Performed):
            raise KernelBug("an operation was performed in a term")
        pull_back(entry, region.bit, cotangents, b)
    return collect(x, cotangents)


def pull_back(entry: Applied | Aliased | Called, bit: int, cotangents: Cotangents, b: Builder) -> None:
    """Hands the cotangent of the entry's result on to its arguments, by ``rd[f](w, v)``."""
    match entry:
        case Aliased(source, result):
            w = cotangents.pop(result.register, None)
            if w is not None:
                accumulate(source, w, bit, cotangents, b)
        case Applied(f, arguments, result):
            w = cotangents.pop(result.register, None)
            if w is not None:
                v = pack(arguments)
                accumulate(v, _rd(f, w, v, b), bit, cotangents, b)
        case Called(f, argument, result):
            # What the user wrote need not be linear: it is asked even when the cotangent is 0.
            accumulate(argument, _rd(f, collect(result, cotangents), argument, b), bit, cotangents, b)


def _rd(f: Function, w: Symbolic, v: Symbolic, b: Builder) -> Symbolic:
    return evaluate(cast(Term, b.derivative(f).body), (v, (w, None)), b)


def accumulate(V: Symbolic, W: Symbolic, bit: int, cotangents: Cotangents, b: Builder) -> None:
    """Adds the cotangent W of V to those of the slots in V that depend on the region of ``bit``."""
    match V, W:
        case (Nought(), _) | (_, Nought()):
            return
        case Slot(register, _, active), _:
            if active & bit:
                before = cotangents.get(register)
                cotangents[register] = W if before is None else b.add(before, W)
        case tuple(), tuple():
            for x, y in zip(V, W, strict=True):
                accumulate(x, y, bit, cotangents, b)
        case tuple(), Slot():
            raise KernelBug("a cotangent has another type than its value")


def collect(V: Symbolic, cotangents: Cotangents) -> Symbolic:
    """The cotangent of V, taken out of ``cotangents``."""
    match V:
        case Slot(register, shape):
            w = cotangents.pop(register, None)
            return Nought(real(*shape)) if w is None else w
        case Nought():
            return V
        case tuple():
            return tuple([collect(W, cotangents) for W in V])


def variable(index: int, environment: Environment) -> Symbolic:
    """The value of the variable. Raises ``KernelBug`` if it is not bound to a value."""
    V = entry_at(index, environment)
    if isinstance(V, Continuation):
        raise KernelBug("a continuation is no term")
    return V


def entry_at(index: int, environment: Environment) -> "Symbolic | Continuation":
    """What the variable is bound to. Raises ``KernelBug`` if it is not bound."""
    while environment is not None and index:
        environment = environment[1]
        index -= 1
    if environment is None:
        raise KernelBug("a variable is not bound")
    return environment[0]


def bind(scope: Scope, V: Symbolic, environment: Environment) -> Environment:
    """The environment with the scope's variables bound to the components of V."""
    for W in unpack(V, scope.arity):
        environment = (W, environment)
    return environment
