"""``repeat i < n from s = M do P`` by unfolding: one step a round, outside of every ``RH`` and under one (LANGUAGE §9).

The rounds that are still to come keep their form, so a state is no larger than one round and what is around it.
"""

from typing import cast

from rh_kernel.operational.reverse import Form, Unfolded, naming
from rh_kernel.operational.substitution import instantiated
from rh_kernel.source.diagnostic import KernelBug
from rh_kernel.syntax.binding import Static, shift, specialise
from rh_kernel.syntax.core import Bind, Bound, Command, Repeat, Return, Scope, Term
from rh_kernel.syntax.dimensions import dim


def unfolded(M: Repeat, V: Term) -> Command:
    """``repeat k ≤ i < n from s = V do P = let s ⇐ P[k/i, V/s] in repeat k + 1 ≤ i < n from s = s do P``, and ``⌊V⌋`` at n."""
    k, n, scope = M.first, M.count.constant, M.scope
    if n is None:
        raise KernelBug(f"the number of rounds {M.count} is not known")
    if k >= n:
        return Return(V, span=M.span)
    round_k = specialise(scope, Static({M.index: dim(k)}, {}, {}))
    (hint,) = scope.hints
    rest = Repeat(M.index, k + 1, M.count, Bound(0, hint), shift(scope, 1), span=M.span)
    return Bind(cast(Command, instantiated(round_k, V)), Scope((hint,), rest), span=M.span)


def rh_repeat(form: Form, M: Repeat) -> Unfolded:
    """``RH(⟨ys⟩. F[repeat k ≤ i < n from s = y_j do P])``: the form with one round unfolded, or at n with ``⌊y_j⌋``"""
    return naming(form, (), form.around(unfolded(M, M.start), form.K))
