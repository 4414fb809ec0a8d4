"""Partial evaluation of a program with functions and sums to a program of first order (§8).

There is no recursion, so every application of a known function can be inlined. Where an ``if`` on numbers chooses a function or
an injection, the elimination is moved into both branches.
"""

from collections.abc import Callable
from dataclasses import dataclass, replace
from typing import TypeAlias

from rh_kernel.ad.language import core as c
from rh_kernel.ad.language.binding import parts, rebuilt, subterms
from rh_kernel.ad.language.names import Names
from rh_kernel.ad.language.types import UNIT, Sum


@dataclass(frozen=True, slots=True)
class _Code:
    """A residual term of a ground type."""

    term: c.Term


@dataclass(frozen=True, slots=True)
class _Function:
    """A known function."""

    apply: "Callable[[_Known], _Known]"


@dataclass(frozen=True, slots=True)
class _Tuple:
    """A tuple of known components."""

    components: tuple["_Known", ...]


@dataclass(frozen=True, slots=True)
class _Injection:
    """An injection."""

    side: int
    value: "_Known"


@dataclass(frozen=True, slots=True)
class _Choice:
    """An ``if`` between functions or injections; its branches are evaluated where it is eliminated."""

    smaller: c.Term
    larger: c.Term
    then: "Callable[[], _Known]"
    otherwise: "Callable[[], _Known]"


_Known: TypeAlias = _Code | _Function | _Tuple | _Injection | _Choice
_Environment: TypeAlias = dict[str, _Known]
_Branch: TypeAlias = tuple[str, c.Term]


def is_first_order(M: c.Term) -> bool:
    """Whether M has neither functions nor sums."""
    return not any(isinstance(N, c.Lambda | c.Call | c.Inject | c.Case) for N in subterms(M))


def first_order(program: c.Program) -> c.Program:
    """Partially evaluate a program, so that its known functions and sums disappear."""
    if is_first_order(program.body):
        return program
    names = Names(x for x, _ in program.parameters)
    evaluation = _Evaluation(names)
    return c.Program(program.name, program.parameters, program.result, evaluation.block(program.body, {}))


class _Evaluation:
    """The partial evaluator; ``spine`` has the ``let``s of the current block."""

    def __init__(self, names: Names) -> None:
        self.names = names
        self.spine: list[tuple[str, c.Term]] = []

    def block(self, M: c.Term, env: _Environment) -> c.Term:
        """Evaluate M to a term under the ``let``s that it needs."""
        spine, V = self._within(lambda: self.of(M, env))
        return c.lets(spine, self.reified(V))

    def of(self, M: c.Term, env: _Environment) -> _Known:
        """Evaluate M."""
        if isinstance(M, c.Let):
            env = dict(env)
        while isinstance(M, c.Let):
            env[M.name] = self.named(self.of(M.bound, env), M.name)
            M = M.body
        match M:
            case c.Variable(x):
                return env.get(x, _Code(M))
            case c.Tuple(components):
                return _Tuple(tuple(self.of(N, env) for N in components))
            case c.Projection(i, N):
                V = self.of(N, env)
                return V.components[i - 1] if isinstance(V, _Tuple) else _Code(c.Projection(i, self.reified(V)))
            case c.Lambda(x, _, body):
                return _Function(lambda V: self.of(body, {**env, x: self.named(V, x)}))
            case c.Call(function, argument):
                V = self.of(function, env)
                return self.applied(V, self.of(argument, env))
            case c.Inject(side, _, N):
                return _Injection(side, self.of(N, env))
            case c.Case(N, x, left, y, right):
                return self.cases(self.of(N, env), (x, left), (y, right), env)
            case c.If(smaller, larger, then, otherwise):
                m, n = (self.reified(self.named(self.of(N, env), "m")) for N in (smaller, larger))
                return self.chosen(_Choice(m, n, lambda: self.of(then, env), lambda: self.of(otherwise, env)))
            case _:
                return _Code(self._rebuilt(M, env))

    def applied(self, V: _Known, W: _Known) -> _Known:
        """``V(W)``"""
        match V:
            case _Function(f):
                return f(W)
            case _Choice():
                once = self.named(W, "x")
                return self._in_branches(V, lambda U: self.applied(U, once))
            case _:
                return _Code(c.Call(self.reified(V), self.reified(W)))

    def cases(self, V: _Known, left: _Branch, right: _Branch, env: _Environment) -> _Known:
        """``case V of inl x -> M | inr y -> N``"""
        match V:
            case _Injection(side, W):
                name, branch = left if side == 1 else right
                return self.of(branch, {**env, name: self.named(W, name)})
            case _Choice():
                return self._in_branches(V, lambda U: self.cases(U, left, right, env))
            case _:
                return _Code(c.Case(self.reified(V), left[0], self.block(left[1], env), right[0], self.block(right[1], env)))

    def _in_branches(self, choice: _Choice, eliminate: Callable[[_Known], _Known]) -> _Known:
        then, otherwise = choice.then, choice.otherwise
        return self.chosen(replace(choice, then=lambda: eliminate(then()), otherwise=lambda: eliminate(otherwise())))

    def chosen(self, choice: _Choice) -> _Known:
        """Turn a choice into an ``if`` if its branches have a ground type."""
        branches = [self._within(thunk) for thunk in (choice.then, choice.otherwise)]
        if all(_is_code(V) for _, V in branches):
            then, otherwise = (c.lets(spine, self.reified(V)) for spine, V in branches)
            return _Code(c.If(choice.smaller, choice.larger, then, otherwise))
        return choice

    def _within(self, thunk: Callable[[], _Known]) -> tuple[list[tuple[str, c.Term]], _Known]:
        outer, self.spine = self.spine, []
        V = thunk()
        made, self.spine = self.spine, outer
        return made, V

    def _rebuilt(self, M: c.Term, env: _Environment) -> c.Term:
        new: list[tuple[tuple[str, ...], c.Term]] = []
        for names, N in parts(M):
            if names:
                fresh = tuple(map(self.names.fresh, names))
                inner = {**env, **{x: _Code(c.Variable(y)) for x, y in zip(names, fresh, strict=True)}}
                new.append((fresh, self.block(N, inner)))
            else:
                new.append(((), self.reified(self.of(N, env))))
        return rebuilt(M, tuple(new))

    def named(self, V: _Known, wanted: str) -> _Known:
        """Bind the residual terms in V that are no atoms to variables, so that V may be used more than once."""
        match V:
            case _Code(c.Variable() | c.Constant()) | _Function() | _Choice():
                return V
            case _Code(M):
                x = self.names.fresh(wanted)
                self.spine.append((x, M))
                return _Code(c.Variable(x))
            case _Tuple(components):
                return _Tuple(tuple(self.named(W, wanted) for W in components))
            case _Injection(side, W):
                return _Injection(side, self.named(W, wanted))

    def reified(self, V: _Known) -> c.Term:
        """V as a term; for an unknown function or sum, some term that ``from_core`` refuses."""
        match V:
            case _Code(M):
                return M
            case _Tuple(components):
                return c.Tuple(tuple(map(self.reified, components)))
            case _Function() | _Choice():
                return c.Lambda(self.names.fresh("x"), UNIT, c.Tuple(()))
            case _Injection(side):
                return c.Inject(side, Sum(UNIT, UNIT), c.Tuple(()))


def _is_code(V: _Known) -> bool:
    match V:
        case _Code():
            return True
        case _Tuple(components):
            return all(map(_is_code, components))
        case _Function() | _Injection() | _Choice():
            return False
