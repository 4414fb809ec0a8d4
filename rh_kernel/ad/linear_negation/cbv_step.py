"""One step of call by value in a term that is under no λ: rules (7), (9), (12)–(14), (23) and ``if``."""

from collections.abc import Callable
from dataclasses import dataclass, replace

from rh_kernel.ad.linear_negation import calculus as c
from rh_kernel.ad.linear_negation.binding import copy, float_out, occurrences, subterms
from rh_kernel.ad.linear_negation.rules import Event, Rule, Strategy
from rh_kernel.ad.linear_negation.state import State
from rh_kernel.ad.linear_negation.symbols import apply, operations


@dataclass(frozen=True, slots=True)
class Reduct:
    """A step: what the term became, and the substitutions that float out of it."""

    event: Event
    term: c.Term
    stack: tuple[c.Binding, ...] = ()

    def inside(self, around: Callable[[c.Term], c.Term]) -> "Reduct":
        """The same step within a larger term."""
        return replace(self, term=around(self.term))


def step(s: State, strategy: Strategy, t: c.Term) -> Reduct | None:
    """The next step in t, whose value, if it is a variable, is not asked for; ``None`` if there is none."""
    match t:
        case c.Var() | c.Num() | c.Nil() | c.Lam() | c.LinearLambda() | c.Fix() | c.Block():
            return None
        case c.App(function, argument):
            return _application(s, strategy, t, function, argument)
        case c.Pair(left, right):
            found = step(s, strategy, left)
            if found:
                return found.inside(lambda u: c.Pair(u, right))
            found = step(s, strategy, right)
            return found.inside(lambda u: c.Pair(left, u)) if found else None
        case c.Plus(c.Num(r), c.Num(q)) if Rule.SUM not in strategy.off:
            return _number(Rule.SUM, r + q, 1)
        case c.Plus(c.Pair(left, right), c.Pair(left1, right1)) if Rule.SUM_OF_PAIRS not in strategy.off:
            made = c.Pair(c.Plus(left, left1), c.Plus(right, right1))
            return Reduct(Event(Rule.SUM_OF_PAIRS, made), made)
        case c.Plus(left, right):
            found = value(s, strategy, left)
            if found:
                return found.inside(lambda u: c.Plus(u, right))
            found = value(s, strategy, right)
            return found.inside(lambda u: c.Plus(left, u)) if found else None
        case c.Fun(symbol, arguments):
            numbers = [u.value for u in arguments if isinstance(u, c.Num)]
            if len(numbers) == len(arguments):
                rule = Rule.PRODUCT if symbol == "mul" else Rule.FUNCTION
                return None if rule in strategy.off else _number(rule, apply(symbol, numbers), operations(symbol))
            for i, u in enumerate(arguments):
                found = value(s, strategy, u)
                if found:
                    return found.inside(lambda w, i=i: c.Fun(symbol, (*arguments[:i], w, *arguments[i + 1 :])))
            return None
        case c.If(smaller, larger):
            found = value(s, strategy, smaller)
            if found:
                return found.inside(lambda u: replace(t, smaller=u))
            found = value(s, strategy, larger)
            if found:
                return found.inside(lambda u: replace(t, larger=u))
            return None if Rule.IF in strategy.off else _branch(s, t)


def value(s: State, strategy: Strategy, t: c.Term) -> Reduct | None:
    """The next step towards the value of t, where a variable is asked for its value."""
    if not isinstance(t, c.Var):
        return step(s, strategy, t)
    bound = s.value(t.name)
    match bound:
        case c.Num() | c.Var() | c.Nil():
            return copied(s, strategy, t)
        case c.Pair() if c.is_atom(bound):
            return copied(s, strategy, t)
        case _:
            return None


def deep_value(s: State, strategy: Strategy, t: c.Term) -> Reduct | None:
    """The next step towards the value of t and of what it is a pair of."""
    if not isinstance(t, c.Pair):
        return value(s, strategy, t)
    left, right = t.left, t.right
    found = deep_value(s, strategy, left)
    if found:
        return found.inside(lambda u: c.Pair(u, right))
    found = deep_value(s, strategy, right)
    return found.inside(lambda u: c.Pair(left, u)) if found else None


def copied(s: State, strategy: Strategy, x: c.Var) -> Reduct | None:
    """(9): the value of x, with new names for what it binds, in the place of x."""
    bound = s.value(x.name)
    rule = Rule.COPY_NUMERAL if isinstance(bound, c.Num) else Rule.COPY
    if bound is None or rule in strategy.off:
        return None
    made = replace(copy(bound, s.supply))
    s.uses[x.name] -= 1
    s.uses.update(occurrences(made))
    return Reduct(Event(rule, made), made)


def applied(function: c.Lam | c.LinearLambda, argument: c.Term) -> Reduct:
    """(7): ``(λx. t) u → t[x := u]``, of which the substitutions float out."""
    stack, made = float_out(function.body)
    match function:
        case c.Lam(x, A):
            first: c.Binding = c.Bang(x, A, argument)
        case c.LinearLambda(a):
            first = c.Dual(a, argument)
    return Reduct(Event(Rule.BETA, first), made, (first, *stack))


def _application(s: State, strategy: Strategy, t: c.App, function: c.Term, argument: c.Term) -> Reduct | None:
    match function:
        case c.Lam() | c.LinearLambda():
            return None if Rule.BETA in strategy.off else applied(function, argument)
        case c.Var(f) if strategy.waits and s.is_backpropagator(f):
            return None
        case c.Var(f):
            match s.value(f):
                case c.Var() | c.Lam() | c.LinearLambda():
                    found = copied(s, strategy, function)
                    return found.inside(lambda u: c.App(u, argument)) if found else None
                case _:
                    found = value(s, strategy, argument)
                    return found.inside(lambda u: c.App(function, u)) if found else None
        case _:
            found = step(s, strategy, function)
            return found.inside(lambda u: c.App(u, argument)) if found else None


def _branch(s: State, t: c.If) -> Reduct | None:
    """The branch that the guard takes, if it is made of numerals, or of what a point is given for."""
    match t.smaller, t.larger:
        case c.Num(r), c.Num(q):
            holds, cost = r <= q, 0
        case smaller, larger:
            first, second = s.number(smaller), s.number(larger)
            if first is None or second is None:
                return None
            holds, cost = first <= second, _arithmetic(smaller) + _arithmetic(larger)
    dropped, taken = (t.otherwise, t.then) if holds else (t.then, t.otherwise)
    for u in (dropped, t.smaller, t.larger):
        s.uses.subtract(occurrences(u))
    stack, made = float_out(taken)
    return Reduct(Event(Rule.IF, made, cost), made, tuple(stack))


def _arithmetic(t: c.Term) -> int:
    """How many operations on numbers are written in t."""
    plus = sum(isinstance(u, c.Plus) for u in subterms(t))
    return plus + sum(operations(u.symbol) for u in subterms(t) if isinstance(u, c.Fun))


def _number(rule: Rule, number: float, cost: int) -> Reduct:
    made = c.Num(number)
    return Reduct(Event(rule, made, cost), made)
