"""One step of call by value outside of abstractions: rules (7), (9), (12)–(14), (23) and ``if``."""

from collections.abc import Callable
from dataclasses import dataclass, replace
from typing import TypeAlias

from rh_kernel.ad.linear_negation import calculus as c
from rh_kernel.ad.linear_negation.binding import copy, float_out, occurrences, subterms
from rh_kernel.ad.linear_negation.rules import Event, Rule, Strategy
from rh_kernel.ad.linear_negation.state import State
from rh_kernel.ad.linear_negation.symbols import apply, operations


@dataclass(frozen=True, slots=True)
class Reduct:
    """A step: the reduct of the term, and the substitutions that float out of it."""

    event: Event
    term: c.Term
    stack: tuple[c.Binding, ...] = ()

    def inside(self, around: Callable[[c.Term], c.Term]) -> "Reduct":
        """The same step within a larger term."""
        return replace(self, term=around(self.term))


_Step: TypeAlias = Callable[[State, Strategy, c.Term], Reduct | None]
_Terms: TypeAlias = tuple[c.Term, ...]


def _first(find: _Step, s: State, strategy: Strategy, terms: _Terms, around: Callable[[_Terms], c.Term]) -> Reduct | None:
    """The first step that ``find`` finds in immediate subterms, within the term that ``around`` makes of these."""
    for i, u in enumerate(terms):
        found = find(s, strategy, u)
        if found:
            return found.inside(lambda w, i=i: around((*terms[:i], w, *terms[i + 1 :])))
    return None


def step(s: State, strategy: Strategy, t: c.Term) -> Reduct | None:
    """The next step in t, without one that replaces a variable t by its value; ``None`` if there is none."""
    match t:
        case c.Var() | c.Num() | c.Nil() | c.Lam() | c.LinearLambda() | c.Fix() | c.Block():
            return None
        case c.App(function, argument):
            return _application(s, strategy, function, argument)
        case c.Pair(left, right):
            return _first(step, s, strategy, (left, right), lambda new: c.Pair(*new))
        case c.Plus(c.Num(r), c.Num(q)) if Rule.SUM not in strategy.off:
            return _number(Rule.SUM, r + q, 1)
        case c.Plus(c.Pair(left, right), c.Pair(left1, right1)) if Rule.SUM_OF_PAIRS not in strategy.off:
            made = c.Pair(c.Plus(left, left1), c.Plus(right, right1))
            return Reduct(Event(Rule.SUM_OF_PAIRS, made), made)
        case c.Plus(left, right):
            return _first(value, s, strategy, (left, right), lambda new: c.Plus(*new))
        case c.Fun(symbol, arguments):
            numbers = [u.value for u in arguments if isinstance(u, c.Num)]
            if len(numbers) == len(arguments):
                rule = Rule.PRODUCT if symbol == "mul" else Rule.FUNCTION
                return None if rule in strategy.off else _number(rule, apply(symbol, numbers), operations(symbol))
            return _first(value, s, strategy, arguments, lambda new: c.Fun(symbol, new))
        case c.If(smaller, larger):
            found = _first(value, s, strategy, (smaller, larger), lambda new: replace(t, smaller=new[0], larger=new[1]))
            return found or (None if Rule.IF in strategy.off else _branch(s, t))


def value(s: State, strategy: Strategy, t: c.Term) -> Reduct | None:
    """The next step in t, where a variable may be replaced by its value."""
    if not isinstance(t, c.Var):
        return step(s, strategy, t)
    bound = s.value(t.name)
    return copied(s, strategy, t) if bound is not None and c.is_atom(bound) else None


def deep_value(s: State, strategy: Strategy, t: c.Term) -> Reduct | None:
    """The next step in t and in its components, where variables may be replaced by their values."""
    if isinstance(t, c.Pair):
        return _first(deep_value, s, strategy, (t.left, t.right), lambda new: c.Pair(*new))
    return value(s, strategy, t)


def copied(s: State, strategy: Strategy, x: c.Var) -> Reduct | None:
    """(9): replace x by a copy of its value with fresh binders."""
    bound = s.value(x.name)
    rule = Rule.COPY_NUMERAL if isinstance(bound, c.Num) else Rule.COPY
    if bound is None or rule in strategy.off:
        return None
    made = replace(copy(bound, s.supply))
    s.uses[x.name] -= 1
    s.uses.update(occurrences(made))
    return Reduct(Event(rule, made), made)


def applied(function: c.Lam | c.LinearLambda, argument: c.Term) -> Reduct:
    """(7): ``(λx. t) u → t[x := u]``; the substitutions of t float out, too."""
    stack, made = float_out(function.body)
    match function:
        case c.Lam(x, A):
            first: c.Binding = c.Bang(x, A, argument)
        case c.LinearLambda(a):
            first = c.Dual(a, argument)
    return Reduct(Event(Rule.BETA, first), made, (first, *stack))


def _application(s: State, strategy: Strategy, function: c.Term, argument: c.Term) -> Reduct | None:
    match function:
        case c.Lam() | c.LinearLambda():
            return None if Rule.BETA in strategy.off else applied(function, argument)
        case c.Var(f) if strategy.waits and s.is_backpropagator(f):
            return None
        case c.Var(f) if isinstance(s.value(f), c.Var | c.Lam | c.LinearLambda):
            found = copied(s, strategy, function)
            return found.inside(lambda u: c.App(u, argument)) if found else None
        case c.Var():
            return _first(value, s, strategy, (argument,), lambda new: c.App(function, *new))
        case _:
            return _first(step, s, strategy, (function,), lambda new: c.App(new[0], argument))


def _branch(s: State, t: c.If) -> Reduct | None:
    """The branch of a conditional between numerals, or between terms whose variables have numbers in the state."""
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
    """The number of operations on numbers in t."""
    plus = sum(isinstance(u, c.Plus) for u in subterms(t))
    return plus + sum(operations(u.symbol) for u in subterms(t) if isinstance(u, c.Fun))


def _number(rule: Rule, number: float, cost: int) -> Reduct:
    made = c.Num(number)
    return Reduct(Event(rule, made, cost), made)
