"""Symbolic evaluation of terms (RH Def. 5.4), and the backward pass over a tape (RH Fig. 6).

``W.rd(x. N)(V)`` evaluates N once, in a region of its own, and then goes back over its tape: each entry takes the accumulated
cotangent of its result and adds to the cotangents of its arguments. That is Fig. 6 with its sums regrouped so that every entry
is visited once; the literal equations visit it once for each variable in scope.
"""

from functools import partial
from typing import TypeAlias, cast

from rh_kernel.arrays.symbolic.builder import Builder
from rh_kernel.arrays.symbolic.closure_compiler import evaluator
from rh_kernel.arrays.symbolic.conditionals import Run, conditional
from rh_kernel.arrays.symbolic.cotangents import Cotangents, accumulate, collect
from rh_kernel.arrays.symbolic.rolling import Rolling, rolled_map
from rh_kernel.arrays.symbolic.selection import kept
from rh_kernel.arrays.symbolic.sequences import Rows, mapped
from rh_kernel.arrays.symbolic.tape import (
    EMPTY,
    NO_NAMES,
    Aliased,
    Applied,
    Branched,
    Called,
    Environment,
    Gated,
    Looped,
    Performed,
    Region,
    Tape,
    bind,
    enter,
    variable,
)
from rh_kernel.arrays.symbolic.values import Slot, Symbolic, SymbolicZero, pack, unpack
from rh_kernel.primitives.smoothness import base, has_row_numbers
from rh_kernel.source.diagnostic import KernelBug
from rh_kernel.source.records import frozen
from rh_kernel.source.span import Span
from rh_kernel.syntax.core import (
    Bound,
    Call,
    Const,
    Defined,
    Function,
    If,
    Let,
    Map,
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
from rh_kernel.syntax.sequences import rounds
from rh_kernel.syntax.types import Product


@frozen
class _Call:
    function: Function
    span: Span | None


@frozen
class _Add:
    pass


@frozen
class _Pack:
    arity: int


@frozen
class _Project:
    index: int
    arity: int


@frozen
class _Enter:
    scope: Scope
    environment: Environment


@frozen
class _Differentiate:
    scope: Scope
    environment: Environment


@frozen
class _Backward:
    variable: Symbolic
    cotangent: Symbolic


@frozen
class _Seal:
    function: Defined
    argument: Symbolic
    region: Region | None


@frozen
class _Leave:
    """Leave the body of a function: restore which checks are emitted, and the call site."""

    strict: bool
    checks_rows: bool
    place: Span | None


_Task: TypeAlias = (
    tuple[Term, Environment]
    | _Call
    | _Add
    | _Pack
    | _Project
    | _Enter
    | _Differentiate
    | _Backward
    | _Seal
    | Run
    | _Leave
    | Rows
)


def evaluate(M: Term, environment: Environment, b: Builder) -> Symbolic:
    """Return the value of M. Uses an explicit stack, so the depth of M is not limited by Python's."""
    if isinstance(M, Bound):
        return variable(M.index, environment)
    key = id(M)
    if key in b.met:
        if key not in b.evaluators:
            b.evaluators[key] = evaluator(M, b)
        value = b.evaluators[key]
        if value is not None:
            return value(environment)
    else:
        b.met[key] = M
    V = _fast_path(M, environment, b)
    if V is not None:
        return V
    todo: list[_Task] = [(M, environment)]
    values: list[Symbolic] = []
    while todo:
        task = todo.pop()
        if isinstance(task, tuple):
            N, rho = task
            V = _fast_path(N, rho, b)
            if V is None:
                _evaluate(N, rho, b, todo, values)
            else:
                values.append(V)
            continue
        match task:
            case _Call(f, span):
                _call(f, values.pop(), span, b, todo, values)
            case _Pack(n):
                items = tuple(values[-n:])
                del values[-n:]
                values.append(items)
            case _Add():
                W = values.pop()
                values.append(b.add(values.pop(), W))
            case _Project(i, n):
                values.append(unpack(values.pop(), n)[i - 1])
            case _Enter(scope, rho):
                todo.append((cast(Term, scope.body), bind(scope, values.pop(), rho)))
            case _Differentiate(scope, rho):
                V = values.pop()
                bit = b.fresh_bit()
                x = b.alias(V, bit)
                b.region = enter(bit, None, b.region)
                todo.append(_Backward(x, values.pop()))
                todo.append((cast(Term, scope.body), bind(scope, x, rho)))
            case _Backward(x, W):
                values.append(_backward_pass(values.pop(), W, x, b))
            case _Seal(f, argument, region):
                b.region = region
                values.append(b.seal(f, argument, values.pop()))
            case Run(action):
                action()
            case _Leave(strict, checks_rows, place):
                b.strict, b.checks_rows, b.place = strict, checks_rows, place
            case Rows(form, rho):
                body = partial(_at_row, form.scope, rho, b)
                values.append((rolled_map if b.options.rolls(rounds(form.source)) else mapped)(form, values.pop(), b, body))
    (V,) = values
    return V


def _at_row(scope: Scope, rho: Environment, b: Builder, x: Symbolic) -> Symbolic:
    return evaluate(cast(Term, scope.body), bind(scope, x, rho), b)


def _fast_path(M: Term, environment: Environment, b: Builder) -> "Symbolic | None":
    """The value of a term no deeper than ``f(⟨x, y⟩)``, the common case; ``None`` if M is deeper."""
    if isinstance(M, Call):
        f = M.function
        if isinstance(f, Primitive):
            V = _without_equations(M.argument, environment)
            if V is not None:
                return _applied(f, V, M.span, b)
        return None
    return b.constant(M.value) if isinstance(M, Const) else _without_equations(M, environment)


def _without_equations(M: Term, environment: Environment) -> "Symbolic | None":
    """The value of ``x``, ``0``, ``x.i`` and tuples of these, which needs no equation; ``None`` if M is another term."""
    if isinstance(M, Bound):
        return variable(M.index, environment)
    if isinstance(M, Tuple):
        items: list[Symbolic] = []
        for N in M.items:
            V = None if isinstance(N, Tuple) else _without_equations(N, environment)
            if V is None:
                return None
            items.append(V)
        return tuple(items)
    if isinstance(M, Proj):
        return unpack(variable(M.of.index, environment), M.arity)[M.index - 1] if isinstance(M.of, Bound) else None
    return SymbolicZero(M.type) if isinstance(M, Zero) else None


def _evaluate(M: Term, environment: Environment, b: Builder, todo: list[_Task], values: list[Symbolic]) -> None:
    match M:
        case Call(f, N):
            todo.append(_Call(f, M.span))
            todo.append((N, environment))
        case Tuple(items):
            todo.append(_Pack(len(items)))
            todo.extend([(N, environment) for N in reversed(items)])
        case Plus(L, N):
            todo.append(_Add())
            todo.append((N, environment))
            todo.append((L, environment))
        case Let(N, scope):
            todo.append(_Enter(scope, environment))
            todo.append((N, environment))
        case Proj(i, n, N):
            todo.append(_Project(i, n))
            todo.append((N, environment))
        case Rd(W, scope, N) | R(W, scope, N):
            todo.append(_Differentiate(scope, environment))
            todo.append((N, environment))
            todo.append((W, environment))
        case Map(N):
            todo += [Rows(M, environment), (N, environment)]
        case Bound(index):
            values.append(variable(index, environment))
        case Const(array):
            values.append(b.constant(array))
        case Zero(A):
            values.append(SymbolicZero(A))
        case If():
            conditional(M, environment, b, todo, values)


def _applied(f: Primitive, V: Symbolic, span: Span | None, b: Builder) -> Symbolic:
    arguments = spread(f, V)
    if b.strict or has_row_numbers(f):
        b.check_smooth(f, arguments, span)
    return b.apply(f, arguments)


def _call(f: Function, V: Symbolic, span: Span | None, b: Builder, todo: list[_Task], values: list[Symbolic]) -> None:
    match f:
        case Primitive():
            values.append(_applied(f, V, span, b))
        case Defined(_, _, _, body, own):
            _enter(span, b, todo)
            if own is not None:
                todo.append(_Seal(f, V, b.region))
                b.region = None
            todo.append((cast(Term, body.body), (V, EMPTY, NO_NAMES)))
        case RdOf(g):
            w, v = unpack(V, 2)
            _enter(span, b, todo)
            if isinstance(w, SymbolicZero) and isinstance(g, Primitive):
                todo.append((Zero(g.domain), EMPTY))
            else:
                todo.append((cast(Term, b.derivative(g).body), (v, (w, EMPTY, NO_NAMES), NO_NAMES)))
            if b.strict or has_row_numbers(g):
                _require(g, v, b, todo, values)


def _enter(span: Span | None, b: Builder, todo: list[_Task]) -> None:
    """Enter the body of a function that is called at ``span``."""
    todo.append(_Leave(b.strict, b.checks_rows, b.place))
    b.place = b.place or span


def _require(g: Function, v: Symbolic, b: Builder, todo: list[_Task], values: list[Symbolic]) -> None:
    """``rd[g]`` is defined at the point v only if g is (RH Def. 6.8), and for a primitive g it is defined wherever g is."""
    g, depth = base(g)
    for _ in range(depth):
        _, v = unpack(v, 2)
    match g:
        case Primitive():
            b.check_smooth(g, spread(g, v), None)
            b.strict = b.checks_rows = False
        case Defined(_, _, _, _, None) | RdOf():
            pass
        case Defined(_, _, _, body, _):
            todo.append(Run(partial(_discard, values, b, b.region)))
            todo.append((cast(Term, body.body), (v, EMPTY, NO_NAMES)))
            b.region = None


def _discard(values: list[Symbolic], b: Builder, region: Region | None) -> None:
    """Discard a value that only had to be defined, and re-enter the region."""
    values.pop()
    b.region = region


def spread(f: Primitive, V: Symbolic) -> tuple[Symbolic, ...]:
    """Return the arguments of f as components of the value it is applied to."""
    return unpack(V, len(f.domain.factors)) if isinstance(f.domain, Product) else (V,)


def _backward_pass(result: Symbolic, W: Symbolic, x: Symbolic, b: Builder) -> Symbolic:
    """``W.R_V(x. N)`` for the N that was just evaluated to ``result`` in the innermost region, which ends here."""
    region = b.region
    if region is None:
        raise KernelBug("a derivative ends where no region is active")
    b.region = region.outer
    cotangents: Cotangents = {}
    accumulate(result, W, region.bit, cotangents, b)
    return _backward_through(Rolling(b), (x,), region.bit, region.tape, cotangents)


def _backward_through(
    loops: Rolling, variables: tuple[Symbolic, ...], bit: int, tape: Tape, cotangents: Cotangents
) -> Symbolic:
    """Go back through a tape; return the cotangents of the variables."""
    while tape is not None:
        entry, tape = tape
        match entry:
            case Performed() | Branched():
                raise KernelBug("an operation was performed in a term")
            case Looped():
                loops.backward_rounds(entry, bit, cotangents, partial(_backward_through, loops))
            case Applied() | Aliased() | Called() | Gated():
                pull_back(entry, bit, cotangents, loops.builder)
    return pack(tuple([collect(x, cotangents) for x in variables]))


def pull_back(entry: Applied | Aliased | Called | Gated, bit: int, cotangents: Cotangents, b: Builder) -> None:
    """Propagate the cotangent of the entry's result to its arguments, by ``rd[f](w, v)``."""
    match entry:
        case Aliased(source, result):
            w = cotangents.pop(result.register, None)
            if w is not None:
                accumulate(source, w, bit, cotangents, b)
        case Gated(source, result, c):
            w = cotangents.pop(result.register, None)
            if isinstance(w, Slot):
                accumulate(source, kept(b, c, w), bit, cotangents, b)
        case Applied(f, arguments, result, command):
            w = cotangents.pop(result.register, None)
            if w is not None:
                v = pack(arguments)
                b.command = command
                accumulate(v, _rd(f, w, v, b), bit, cotangents, b)
        case Called(f, argument, result, span, guard):
            # A user-defined derivative need not be linear, so it is evaluated even if the cotangent is 0.
            guard, b.guard = b.guard, guard
            accumulate(argument, _rd(f, collect(result, cotangents), argument, b, span), bit, cotangents, b)
            b.guard = guard


def _rd(f: Function, w: Symbolic, v: Symbolic, b: Builder, span: Span | None = None) -> Symbolic:
    """``rd[f](w, v)``, where ``f(v)`` is known to be defined."""
    strict, checks_rows, place = b.strict, b.checks_rows, b.place
    b.place = place or span
    if isinstance(f, Primitive):
        b.strict = b.checks_rows = False
    V = evaluate(cast(Term, b.derivative(f).body), (v, (w, EMPTY, NO_NAMES), NO_NAMES), b)
    b.strict, b.checks_rows, b.place = strict, checks_rows, place
    return V
