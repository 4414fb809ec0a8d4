"""One step of call by value outside of abstractions: rules (7), (9), (12)–(14), (23) and ``if``."""

from collections.abc import Callable
from dataclasses import dataclass, replace

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


def step(s: State, strategy: Strategy, t: c.Term) -> Reduct | None:
    """The next step in t, without one that replaces a variable t by its value; ``None`` if there is none."""
    match t:
        case c.Var() | c.Num() | c.Nil() | c.Lam() | c.LinearLambda() | c.Fix() | c.Block():
            return None
        case c.App(function, argument):
            return _application(s, strategy, function, argument)
        case c.Plus(c.Num(r), c.Num(q)) if Rule.SUM not in strategy.off:
            return _number(Rule.SUM, r + q, 1)
        case c.Plus(c.Pair(left, right), c.Pair(left1, right1)) if Rule.SUM_OF_PAIRS not in strategy.off:
            made = c.Pair(c.Plus(left, left1), c.Plus(right, right1))
            return Reduct(Event(Rule.SUM_OF_PAIRS, made), made)
        case c.Pair(left, right) | c.Plus(left, right):
            operands = left, right
        case c.Fun(symbol, operands):
            numbers = [u.value for u in operands if isinstance(u, c.Num)]
            if len(numbers) == len(operands):
                rule = Rule.PRODUCT if symbol == "mul" else Rule.FUNCTION
                return None if rule in strategy.off else _number(rule, apply(symbol, numbers), operations(symbol))
        case c.If(smaller, larger):
            operands = smaller, larger
    # No function of its own: the depth of terms is limited by Python's stack.
    find = step if isinstance(t, c.Pair) else value
    for i, u in enumerate(operands):
        found = find(s, strategy, u)
        if found:
            return replace(found, term=_with_operands(t, (*operands[:i], found.term, *operands[i + 1 :])))
    return _branch(s, t) if isinstance(t, c.If) and Rule.IF not in strategy.off else None


def _with_operands(t: c.Pair | c.Plus | c.Fun | c.If, operands: tuple[c.Term, ...]) -> c.Term:
    match t:
        case c.Pair():
            return c.Pair(*operands)
        case c.Plus():
            return c.Plus(*operands)
        case c.Fun(symbol):
            return c.Fun(symbol, operands)
        case c.If(_, _, then, otherwise):
            smaller, larger = operands
            return c.If(smaller, larger, then, otherwise)


def value(s: State, strategy: Strategy, t: c.Term) -> Reduct | None:
    """The next step in t, where a variable may be replaced by its value."""
    if not isinstance(t, c.Var):
        return step(s, strategy, t)
    bound = s.value(t.name)
    return copied(s, strategy, t) if bound is not None and c.is_atom(bound) else None


def deep_value(s: State, strategy: Strategy, t: c.Term) -> Reduct | None:
    """The next step in t and in its components, where variables may be replaced by their values."""
    if not isinstance(t, c.Pair):
        return value(s, strategy, t)
    left, right = t.left, t.right
    found = deep_value(s, strategy, left)
    if found:
        return found.inside(lambda u: c.Pair(u, right))
    found = deep_value(s, strategy, right)
    return found.inside(lambda u: c.Pair(left, u)) if found else None


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
            found = value(s, strategy, argument)
            return found.inside(lambda u: c.App(function, u)) if found else None
        case _:
            found = step(s, strategy, function)
            return found.inside(lambda u: c.App(u, argument)) if found else None


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
