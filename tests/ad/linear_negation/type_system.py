"""``Γ ⊢ t : A`` and ``Γ ⊢_z t : Rᵈ`` (Tab. 1): simple types, and terms that are linear in one variable z.

One correction of the table: a variable of ``[a° := u]`` has the zone of u, so that typing is kept by ≡ and by linear factoring.
The zone of a term is the linear variable that it is linear in, or ``NONE``, or, for a written zero, ``ANY``.
"""

from collections.abc import Mapping
from dataclasses import dataclass
from enum import Enum
from typing import TypeAlias

from rh_kernel.ad.linear_negation import calculus as c
from rh_kernel.ad.linear_negation.symbols import arity


class Rule(Enum):
    """The rules of the table; ``zero`` and ``let°`` as repaired."""

    AX = "ax"
    AX_LINEAR = "ax°"
    NUM = "num"
    ZERO = "zero"
    UNIT = "unit"
    PAIR = "pair"
    SUM = "sum"
    LAM = "λ"
    APP = "app"
    LAM_LINEAR = "λ°"
    APP_LINEAR = "app°"
    PROD = "prod"
    FN = "fn"
    LET = "let"
    LET_PAIR = "letpair"
    LET_LINEAR = "let°"
    IF = "if"
    FIX = "fix"


class TypeCheckError(Exception):
    """A term is ill-typed."""


class Free(Enum):
    """No zone, or any: a closed zero is linear in every variable."""

    NONE = "∅"
    ANY = "any"


Zone: TypeAlias = Free | str


@dataclass(frozen=True, slots=True)
class Typed:
    """The type of a term, and its zone."""

    type: c.Type
    zone: Zone


Context: TypeAlias = Mapping[str, Typed]


def exponential(types: Mapping[str, c.Type]) -> dict[str, Typed]:
    """The context in which all variables are exponential."""
    return {x: Typed(A, Free.NONE) for x, A in types.items()}


def check(t: c.Term, types: Mapping[str, c.Type]) -> c.Type:
    """The A with ``Γ ⊢ t : A``; raises ``TypeCheckError``."""
    found = infer(t, exponential(types))
    _closed(found, "the term")
    return found.type


def infer(t: c.Term, gamma: Context, fired: set[Rule] | None = None) -> Typed:
    """The type and the zone of t; ``fired`` collects the rules that were used. Raises ``TypeCheckError``."""
    return _Checker(set() if fired is None else fired).infer(t, dict(gamma))


def _join(first: Typed, second: Typed, what: str) -> Zone:
    """The common zone of two terms."""
    match first.zone, second.zone:
        case Free.ANY, zone:
            return zone
        case zone, Free.ANY:
            return zone
        case zone, other if zone == other:
            return zone
        case zone, other:
            raise TypeCheckError(f"{what}: one part is linear in {_shown(zone)}, the other in {_shown(other)}")


def _shown(zone: Zone) -> str:
    return zone if isinstance(zone, str) else "nothing"


def _closed(found: Typed, what: str) -> c.Type:
    if isinstance(found.zone, str):
        raise TypeCheckError(f"{what} uses the linear variable {found.zone}")
    return found.type


def _dimension(A: c.Type) -> int | None:
    """d, if A is ``Rᵈ``."""
    d = 1
    while isinstance(A, c.Times):
        if not isinstance(A.left, c.Ground):
            return None
        d, A = d + 1, A.right
    return d if isinstance(A, c.Ground) else None


class _Checker:
    def __init__(self, fired: set[Rule]) -> None:
        self.fired = fired

    def infer(self, t: c.Term, gamma: dict[str, Typed]) -> Typed:
        match t:
            case c.Var(x):
                return self._variable(x, gamma)
            case c.Num(value):
                self.fired.add(Rule.NUM if value else Rule.ZERO)
                return Typed(c.R, Free.NONE if value else Free.ANY)
            case c.Nil():
                self.fired.add(Rule.UNIT)
                return Typed(c.Unit(), Free.ANY)
            case c.Pair(left, right):
                self.fired.add(Rule.PAIR)
                first, second = self.infer(left, gamma), self.infer(right, gamma)
                return Typed(c.Times(first.type, second.type), _join(first, second, "a pair"))
            case c.Plus(left, right):
                self.fired.add(Rule.SUM)
                first, second = self.infer(left, gamma), self.infer(right, gamma)
                if first.type != second.type or _dimension(first.type) is None:
                    raise TypeCheckError(f"a sum of {first.type} and {second.type}")
                return Typed(first.type, _join(first, second, "a sum"))
            case c.Lam(x, A, body):
                self.fired.add(Rule.LAM)
                B = _closed(self.infer(body, {**gamma, x: Typed(A, Free.NONE)}), "an abstraction")
                return Typed(c.Arrow(A, B), Free.NONE)
            case c.LinearLambda(a, body):
                self.fired.add(Rule.LAM_LINEAR)
                return self._linear_lambda(a, self.infer(body, {**gamma, a: Typed(c.R, a)}))
            case c.App(function, argument):
                return self._app(self.infer(function, gamma), self.infer(argument, gamma))
            case c.Fun("mul", (left, right)):
                self.fired.add(Rule.PROD)
                return self._product(self.infer(left, gamma), self.infer(right, gamma))
            case c.Fun(symbol, arguments):
                self.fired.add(Rule.FN)
                if len(arguments) != arity(symbol):
                    raise TypeCheckError(f"{symbol} takes {arity(symbol)} numbers")
                for u in arguments:
                    self._number(self.infer(u, gamma), str(symbol))
                return Typed(c.R, Free.NONE)
            case c.Block(stack, body):
                inner = dict(gamma)
                for b in stack:
                    self._bind(b, inner)
                return self.infer(body, inner)
            case c.If(smaller, larger, then, otherwise):
                self.fired.add(Rule.IF)
                self._number(self.infer(smaller, gamma), "if")
                self._number(self.infer(larger, gamma), "if")
                first, second = self.infer(then, gamma), self.infer(otherwise, gamma)
                if first.type != second.type:
                    raise TypeCheckError(f"branches of {first.type} and {second.type}")
                return Typed(first.type, _join(first, second, "if"))
            case c.Fix(x, A, body):
                self.fired.add(Rule.FIX)
                if _closed(self.infer(body, {**gamma, x: Typed(A, Free.NONE)}), "fix") != A:
                    raise TypeCheckError(f"fix at {A}")
                return Typed(A, Free.NONE)

    def _variable(self, x: str, gamma: dict[str, Typed]) -> Typed:
        if x not in gamma:
            raise TypeCheckError(f"{x} is not bound")
        self.fired.add(Rule.AX_LINEAR if isinstance(gamma[x].zone, str) else Rule.AX)
        return gamma[x]

    def _linear_lambda(self, a: str, body: Typed) -> Typed:
        if body.zone not in (a, Free.ANY):
            raise TypeCheckError(f"λ°{a}: the body is linear in {_shown(body.zone)}")
        d = _dimension(body.type)
        if d is None:
            raise TypeCheckError(f"λ°{a}: the body has the type {body.type}")
        return Typed(c.Negation(d), Free.NONE)

    def _app(self, function: Typed, argument: Typed) -> Typed:
        match _closed(function, "what is applied"):
            case c.Arrow(A, B):
                self.fired.add(Rule.APP)
                if _closed(argument, "an argument") != A:
                    raise TypeCheckError(f"an argument of {argument.type} instead of {A}")
                return Typed(B, Free.NONE)
            case c.Negation(d):
                self.fired.add(Rule.APP_LINEAR)
                if argument.type != c.R:
                    raise TypeCheckError(f"a backpropagator at {argument.type}")
                return Typed(c.power(d), argument.zone)
            case c.Ground() | c.Unit() | c.Times():
                raise TypeCheckError(f"{function.type} is applied")

    def _product(self, left: Typed, right: Typed) -> Typed:
        if left.type != c.R or right.type != c.R:
            raise TypeCheckError(f"a product of {left.type} and {right.type}")
        match left.zone, right.zone:
            case str(), str():
                raise TypeCheckError("a product of two factors that are linear")
            case (str() as z, _) | (_, str() as z):
                return Typed(c.R, z)
            case Free.NONE, Free.NONE:
                return Typed(c.R, Free.NONE)
            case _:
                return Typed(c.R, Free.ANY)

    def _number(self, found: Typed, what: str) -> None:
        if _closed(found, what) != c.R:
            raise TypeCheckError(f"{what} of {found.type}")

    def _bind(self, b: c.Binding, gamma: dict[str, Typed]) -> None:
        """Extend the context by the variables that b binds."""
        bound = self.infer(b.bound, gamma)
        match b:
            case c.Bang(x, A):
                self.fired.add(Rule.LET)
                if _closed(bound, "a substitution") != A:
                    raise TypeCheckError(f"{x} : {A} is {bound.type}")
                gamma[x] = Typed(A, Free.NONE)
            case c.Open(x, A, y, B):
                self.fired.add(Rule.LET_PAIR)
                if _closed(bound, "a substitution") != c.Times(A, B):
                    raise TypeCheckError(f"{x}, {y} : {c.Times(A, B)} is {bound.type}")
                gamma |= {x: Typed(A, Free.NONE), y: Typed(B, Free.NONE)}
            case c.Dual(a):
                self.fired.add(Rule.LET_LINEAR)
                if bound.type != c.R:
                    raise TypeCheckError(f"{a}° is {bound.type}")
                gamma[a] = Typed(c.R, bound.zone)
