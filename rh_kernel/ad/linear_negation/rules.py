"""The names of the rules of reduction (Tab. 2), with those that the paper uses and does not state, and strategies."""

from collections import Counter
from collections.abc import Iterable
from dataclasses import dataclass, field
from enum import Enum

from rh_kernel.ad.linear_negation import calculus as c


class Rule(Enum):
    """``t → u``; β is (7)–(14) with (23), η is (15) and (16), ℓ is (17), and the others are not in the paper's table.

    Sums are equal up to associativity and commutativity, as in ≡; no step is needed for these.
    """

    BETA = "(7)"
    """``(λx. t)α u → t[x := u]α``"""
    PAIR = "(8)"
    """``s[⟨x, y⟩ := ⟨t, u⟩α] → s[x := t][y := u]α``"""
    COPY = "(9)"
    """``C{x}[x! := vα] → C{v}[x! := v]α``"""
    COPY_NUMERAL = "(9)n"
    """(9) for a numeral"""
    COLLECT = "(10)"
    """``t[x! := vα] → tα`` for an x that is not free in t"""
    LINEAR = "(11)"
    """``t[x° := vα] → t{v/x}α``"""
    SUM = "(12)"
    """``r + q →`` their sum"""
    SUM_OF_PAIRS = "(13)"
    """``⟨t1, t2⟩ + ⟨u1, u2⟩ → ⟨t1 + u1, t2 + u2⟩``"""
    PRODUCT = "(14)"
    """``r · q →`` their product"""
    ETA = "(15)"
    """``t → λy. t y``"""
    ETA_PAIR = "(16)"
    """``t[x := ⟨u, w⟩] → t[x := ⟨y, z⟩][⟨y, z⟩ := ⟨u, w⟩]``"""
    FACTOR = "(17)"
    """``x t + x u → x (t + u)`` for an ``x : R⊥d``"""
    FUNCTION = "(23)"
    """``f(r1, …, rk) →`` its value"""
    ZERO = "Z"
    """``0 + t → t``"""
    DEAD = "L"
    """``t[b° := u] → t`` for a b that is not free in t"""
    IF = "if"
    """``if r ≤ q then t else u → t`` or ``u``"""


ARITHMETIC = frozenset({Rule.SUM, Rule.PRODUCT, Rule.FUNCTION})
"""The rules that compute numbers."""


@dataclass(frozen=True, slots=True)
class Strategy:
    """The choice of the next redex: rules that are off, and when backpropagators are called.

    With ``waits``, they are called at the end. With ``latest``, of those called in a sum the one that is bound last is called
    first, after its calls were factored; otherwise the one that is bound first.
    """

    off: frozenset[Rule] = frozenset()
    waits: bool = True
    latest: bool = True


S = Strategy()
"""Call by value, then the backpropagators, factored, latest first: linear in the size of the graph."""
BETA_ONLY = Strategy(off=frozenset({Rule.ETA_PAIR, Rule.FACTOR, Rule.ZERO, Rule.DEAD}), waits=False)
"""Call by value with (7)–(14) and (23) alone: exponential."""
NO_FACTORING = Strategy(off=frozenset({Rule.FACTOR}))
"""As S, without (17): exponential."""
NO_ETA = Strategy(off=frozenset({Rule.ETA_PAIR}))
"""As S, without (16); sufficient if all inputs are numerals."""
EARLIEST = Strategy(latest=False)
"""As S, in an order in which two calls of the same backpropagator are never in one sum, so that (17) does not apply."""


@dataclass(frozen=True, slots=True)
class Event:
    """A step of reduction: its rule, its contractum, if there is one, and the number of operations on numbers in it."""

    rule: Rule
    made: c.Term | c.Binding | None = None
    operations: int = 0


@dataclass(slots=True)
class StepCounter:
    """Counts of the steps of reductions by rule, and of operations on numbers."""

    rules: Counter[Rule] = field(default_factory=Counter[Rule])
    operations: int = 0

    def run(self, steps: Iterable[Event]) -> int:
        """Perform steps and count them; return their number."""
        n = 0
        for event in steps:
            n += 1
            self.rules[event.rule] += 1
            self.operations += event.operations
        return n
