"""A program with functions and sums as one without them, evaluated as far as it goes without numbers (§8).

There is no recursion, so every application of a known function can be made; what is left is a program of first order. What
is done with a function or sum that depends on numbers, by an ``if``, is done in both branches.
"""

from collections.abc import Callable
from dataclasses import dataclass
from typing import TypeAlias

from rh_kernel.ad.language.binding import parts, rebuilt, subterms
from rh_kernel.ad.language.core import Call, Case, Constant, If, Inject, Lambda, Let, Program, Projection, Term, Tuple, Variable
from rh_kernel.ad.language.names import Names
from rh_kernel.ad.language.types import UNIT, Sum


@dataclass(frozen=True, slots=True)
class _Code:
    """A term that computes numbers."""

    term: Term


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
    """A value of a sum whose side is known."""

    side: int
    value: "_Known"


@dataclass(frozen=True, slots=True)
class _Choice:
    """A function or sum that depends on numbers: one of two, which are evaluated where they are used."""

    smaller: Term
    larger: Term
    then: "Callable[[], _Known]"
    otherwise: "Callable[[], _Known]"


_Known: TypeAlias = _Code | _Function | _Tuple | _Injection | _Choice
_Environment: TypeAlias = dict[str, _Known]
_Branch: TypeAlias = tuple[str, Term]


def is_first_order(M: Term) -> bool:
    """Whether there is no function and no sum in M."""
    return not any(isinstance(N, Lambda | Call | Inject | Case) for N in subterms(M))


def first_order(program: Program) -> Program:
    """The program without the functions and sums in it, so far as they are known."""
    if is_first_order(program.body):
        return program
    names = Names(x for x, _ in program.parameters)
    evaluation = _Evaluation(names)
    return Program(program.name, program.parameters, program.result, evaluation.block(program.body, {}))


class _Evaluation:
    """The ``let``s that the block at hand has so far."""

    def __init__(self, names: Names) -> None:
        self.names = names
        self.spine: list[tuple[str, Term]] = []

    def block(self, M: Term, env: _Environment) -> Term:
        """M as a term with the ``let``s that it needs."""
        spine, V = self._within(lambda: self.of(M, env))
        return _lets(spine, self.reified(V))

    def of(self, M: Term, env: _Environment) -> _Known:
        """What is known of M."""
        if isinstance(M, Let):
            env = dict(env)
        while isinstance(M, Let):
            env[M.name] = self.named(self.of(M.bound, env), M.name)
            M = M.body
        match M:
            case Variable(x):
                return env.get(x, _Code(M))
            case Tuple(components):
                return _Tuple(tuple(self.of(N, env) for N in components))
            case Projection(i, N):
                V = self.of(N, env)
                return V.components[i - 1] if isinstance(V, _Tuple) else _Code(Projection(i, self.reified(V)))
            case Lambda(x, _, body):
                return _Function(lambda V: self.of(body, {**env, x: self.named(V, x)}))
            case Call(function, argument):
                V = self.of(function, env)
                return self.applied(V, self.of(argument, env))
            case Inject(side, _, N):
                return _Injection(side, self.of(N, env))
            case Case(N, x, left, y, right):
                return self.cases(self.of(N, env), (x, left), (y, right), env)
            case If(smaller, larger, then, otherwise):
                m, n = (self.reified(self.named(self.of(N, env), "m")) for N in (smaller, larger))
                return self.chosen(_Choice(m, n, lambda: self.of(then, env), lambda: self.of(otherwise, env)))
            case _:
                return _Code(self._rebuilt(M, env))

    def applied(self, V: _Known, W: _Known) -> _Known:
        """``V(W)``"""
        match V:
            case _Function(f):
                return f(W)
            case _Choice(m, n, then, otherwise):
                once = self.named(W, "x")
                return self.chosen(_Choice(m, n, lambda: self.applied(then(), once), lambda: self.applied(otherwise(), once)))
            case _:
                return _Code(Call(self.reified(V), self.reified(W)))

    def cases(self, V: _Known, left: _Branch, right: _Branch, env: _Environment) -> _Known:
        """``case V of inl x -> M | inr y -> N``"""
        match V:
            case _Injection(side, W):
                name, branch = left if side == 1 else right
                return self.of(branch, {**env, name: self.named(W, name)})
            case _Choice(m, n, then, otherwise):
                return self.chosen(
                    _Choice(
                        m,
                        n,
                        lambda: self.cases(then(), left, right, env),
                        lambda: self.cases(otherwise(), left, right, env),
                    )
                )
            case _:
                return _Code(Case(self.reified(V), left[0], self.block(left[1], env), right[0], self.block(right[1], env)))

    def chosen(self, choice: _Choice) -> _Known:
        """A choice as an ``if``, where that computes numbers."""
        branches = [self._within(thunk) for thunk in (choice.then, choice.otherwise)]
        if all(_is_code(V) for _, V in branches):
            then, otherwise = (_lets(spine, self.reified(V)) for spine, V in branches)
            return _Code(If(choice.smaller, choice.larger, then, otherwise))
        return choice

    def _within(self, thunk: Callable[[], _Known]) -> tuple[list[tuple[str, Term]], _Known]:
        outer, self.spine = self.spine, []
        V = thunk()
        made, self.spine = self.spine, outer
        return made, V

    def _rebuilt(self, M: Term, env: _Environment) -> Term:
        new: list[tuple[tuple[str, ...], Term]] = []
        for names, N in parts(M):
            if names:
                fresh = tuple(map(self.names.fresh, names))
                inner = {**env, **{x: _Code(Variable(y)) for x, y in zip(names, fresh, strict=True)}}
                new.append((fresh, self.block(N, inner)))
            else:
                new.append(((), self.reified(self.of(N, env))))
        return rebuilt(M, tuple(new))

    def named(self, V: _Known, wanted: str) -> _Known:
        """V, in which terms that compute have names, so that they may be used more than once."""
        match V:
            case _Code(Variable() | Constant()) | _Function() | _Choice():
                return V
            case _Code(M):
                x = self.names.fresh(wanted)
                self.spine.append((x, M))
                return _Code(Variable(x))
            case _Tuple(components):
                return _Tuple(tuple(self.named(W, wanted) for W in components))
            case _Injection(side, W):
                return _Injection(side, self.named(W, wanted))

    def reified(self, V: _Known) -> Term:
        """V as a term; a function or sum that is left is one that the translation refuses."""
        match V:
            case _Code(M):
                return M
            case _Tuple(components):
                return Tuple(tuple(map(self.reified, components)))
            case _Function() | _Choice():
                return Lambda(self.names.fresh("x"), UNIT, Tuple(()))
            case _Injection(side):
                return Inject(side, Sum(UNIT, UNIT), Tuple(()))


def _is_code(V: _Known) -> bool:
    match V:
        case _Code():
            return True
        case _Tuple(components):
            return all(map(_is_code, components))
        case _Function() | _Injection() | _Choice():
            return False


def _lets(spine: list[tuple[str, Term]], M: Term) -> Term:
    for x, N in reversed(spine):
        M = Let(x, N, M)
    return M
