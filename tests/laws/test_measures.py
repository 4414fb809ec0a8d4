"""Every unfolding of ``R`` and ``RH`` makes the measure smaller on which Fig. 6 and Def. 5.7 are defined by recursion.

For ``RH_H^V(⟨ys⟩. P)`` that is ``(max{depth(P), depth(H)}, |P|)``, for ``W.R_V(x. N)`` it is ``|N|``. RH-Term at a constant
leaves it as it is, for ``|c| = 1 = |y|``, so the number of constants is counted third. RH-Handle and R-Rd hand the same form
what an inner form unfolds to, which need not be smaller: there the inner form's measure drops, and the outer one waits.
"""

from collections.abc import Iterator
from typing import cast

from hypothesis import given
from hypothesis import strategies as st

from rh_kernel.figures import Figure
from rh_kernel.paper import Rule
from rh_kernel.syntax.core import RH, Command, Term
from rh_kernel.typing.derivation.derivations import Derivation
from rh_kernel.typing.derivation.derive import derive_command, derive_term
from rh_kernel.typing.derivation.measures import depth, size
from rh_kernel.typing.derivation.rules import TypingRule
from tests.laws.readings import steps_of
from tests.strategies import terms, types
from tests.strategies_of_commands import Program, programs
from tests.tiers import law


def uses(d: Derivation, rule: TypingRule) -> Iterator[Derivation]:
    """The parts of ``d`` that end in ``rule``, outermost first."""
    pending = [d]
    while pending:
        found = pending.pop()
        if found.rule is rule:
            yield found
        pending += reversed(found.premises)


def measure(form: Derivation) -> tuple[int, int, int]:
    """The measure of a form whose second premise is its body: ``max{depth(P), depth(H)}``, ``|P|``, the constants of P."""
    _, body, *_ = form.premises
    deep = 0
    match form.subject:
        case RH(_, scope, H):
            deep = max(depth(cast(Command, scope.body)), depth(H))
        case _:
            pass
    return deep, size(body), sum(1 for _ in uses(body, TypingRule.T_CONST))


@law(50)
@given(programs())
def test_an_equation_of_fig_7_makes_the_measure_smaller(p: Program) -> None:
    for taken in steps_of(p.command, p.heap, 300):
        is_equation = taken.rule.figure is Figure.FIG_7 or taken.rule is Rule.RH_REPEAT
        if is_equation and taken.rule is not Rule.RH_HANDLE and not taken.redex.loose:
            before = uses(derive_command((), (), cast(Command, taken.redex)), TypingRule.T_RH)
            after = derive_command((), (), cast(Command, taken.contractum))
            outer = measure(next(before))
            assert all(measure(form) < outer for form in uses(after, TypingRule.T_RH))


@law(50)
@given(programs())
def test_depth_never_grows(p: Program) -> None:
    """Lemma 5.11, with ``max{depth(P), depth(H)}`` for the depth of an ``RH``."""
    for taken in steps_of(p.command, p.heap, 300):
        if isinstance(taken.before, Command):
            assert depth(taken.before) >= depth(cast(Command, taken.after)), taken.rule
            if taken.rule is Rule.REV_HANDLE:
                assert depth(cast(Command, taken.redex)) > depth(cast(Command, taken.contractum))


@law(80)
@given(st.data())
def test_an_equation_of_fig_6_makes_the_measure_smaller(data: st.DataObject) -> None:
    M = data.draw(terms((), data.draw(types()), 6))
    for taken in steps_of(M, {}, 300):
        if taken.rule.figure is Figure.FIG_6 and taken.rule is not Rule.R_RD and not taken.redex.loose:
            outer = measure(next(uses(derive_term((), cast(Term, taken.redex)), TypingRule.T_R)))
            after = derive_term((), cast(Term, taken.contractum))
            assert all(measure(form) < outer for form in uses(after, TypingRule.T_R)), taken.rule
