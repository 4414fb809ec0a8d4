"""``repeat i < n from s = M do P`` by unfolding: one step a round, outside of every ``RH`` and under one (LANGUAGE §9).

The rounds that are still to come keep their form, so a state is no larger than one round and what is around it.
"""

from typing import cast

from rh_kernel.operational.environments import Environment, extended
from rh_kernel.operational.memo import Memo
from rh_kernel.operational.reverse import Form, naming
from rh_kernel.operational.substitution import instantiated, substituted
from rh_kernel.source.diagnostic import KernelBug
from rh_kernel.syntax.binding import Static, shift, specialise
from rh_kernel.syntax.core import Bind, Bound, Command, Repeat, Return, Scope, Term
from rh_kernel.syntax.dimensions import dim


def unfolded(M: Repeat, V: Term, rho: Environment) -> tuple[Command, Environment]:
    """``repeat k ≤ i < n from s = V do P = let s ⇐ P[k/i, V/s] in repeat k + 1 ≤ i < n from s = s do P``, and ``⌊V⌋`` at n.

    Only ρ is substituted, and only once; V goes into an environment. So P is the same in all rounds if i is not in it.
    """
    M = substituted(M, rho) if M.scope.loose else M
    if _is_done(M):
        return Return(V, span=M.span), None
    return _round(M, cast(Command, _scope(M).body)), extended(None, V)


def rh_repeat(form: Form, M: Repeat) -> Command:
    """``RH(⟨ys⟩. F[repeat k ≤ i < n from s = y_j do P])``: the form with one round unfolded, or at n with ``⌊y_j⌋``"""
    if _is_done(M):
        return naming(form, (), form.around(Return(M.start, span=M.span), form.K))
    P = cast(Command, instantiated(_scope(M), M.start))
    return naming(form, (), form.around(_round(M, P), form.K))


def _is_done(M: Repeat) -> bool:
    if M.count.constant is None:
        raise KernelBug(f"the number of rounds {M.count} is not known")
    return M.first >= M.count.constant


def _scope(M: Repeat) -> Scope:
    """``s. P[k/i]``"""
    return _fixed.of(M.scope, M.index) or specialise(M.scope, Static({M.index: dim(M.first)}, {}, {}))


def _round(M: Repeat, P: Command) -> Command:
    """``let s ⇐ P in`` the rounds after the first one"""
    (hint,) = M.scope.hints
    rest = Repeat(M.index, M.first + 1, M.count, Bound(0, hint), shift(M.scope, 1), span=M.span)
    return Bind(P, Scope((hint,), rest), span=M.span)


def _without_index(scope: Scope, index: str) -> Scope | None:
    """Return the scope itself if it does not mention the index, so that it is the same in all rounds."""
    return scope if specialise(scope, Static({index: dim(0)}, {}, {})) is scope else None


_fixed = Memo(_without_index, 1_000)
