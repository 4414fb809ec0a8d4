"""``scan (x in M) from s = N do P`` by unfolding: one step a round, outside of every ``RH`` and under one (LANGUAGE §9).

The rounds that are still to come keep their form, and the rows that the rounds before have given are one array. So a state is
no larger than one round and what is around it. After a round the scan is

``let p ⇐ scan (x in M) from s = N do P in ⌊⟨append(L, p.1), p.2⟩⌋``

for the rows L so far. The next round takes this let as a whole.
"""

from dataclasses import dataclass

from rh_kernel.operational.binders import CommandAtDepth, TermAtDepth, bind, call, fixed, performed, returned, tuple_from
from rh_kernel.operational.contexts import Context
from rh_kernel.operational.environments import Environment
from rh_kernel.operational.reverse import Form, naming
from rh_kernel.operational.sequences import append, first, rest, snoc
from rh_kernel.operational.substitution import substituted
from rh_kernel.syntax import core
from rh_kernel.syntax.binding import shift
from rh_kernel.syntax.dimensions import Dim, dim
from rh_kernel.syntax.sequences import length, of_rows, rounds, without_first
from rh_kernel.syntax.types import UNIT, factors, leaves
from rh_kernel.syntax.values import component

NONE = dim(0)


@dataclass(frozen=True, slots=True)
class Scanning:
    """A scan after ``count`` rounds, whose rows are ``rows``; ``outer`` is the context of the let around it, if there is one.

    No environment is substituted in the rows.
    """

    form: core.Scan
    rows: core.Term
    count: Dim
    outer: Context | None

    @property
    def named(self) -> list[tuple[str, core.Term]]:
        """What a round names: the first row, the rows after it, the state, and the rows of the rounds before."""
        M, A, (x, s) = self.form.argument, self.form.source, self.form.scope.hints
        m = component(M, 0, 2)
        return [(x, core.Call(first(A), m)), ("xs", core.Call(rest(A), m)), (s, component(M, 1, 2)), ("bs", self.rows)]

    @property
    def result(self) -> core.Command | None:
        """``⌊⟨L, N⟩⌋`` if no row is to come."""
        if rounds(self.form.source):
            return None
        return core.Return(core.Tuple((self.rows, component(self.form.argument, 1, 2))), span=self.form.span)

    def round(self, x: TermAtDepth, xs: TermAtDepth, s: TermAtDepth, bs: TermAtDepth) -> CommandAtDepth:
        """``let q ⇐ P in let p ⇐ scan (x in xs) from s = q.2 do P in ⌊⟨append(snoc(bs, q.1), p.1), p.2⟩⌋``"""
        scope, C, k, A = self.form.scope, self.form.target, self.count, without_first(self.form.source)

        def others(q: TermAtDepth) -> CommandAtDepth:
            M, rows = tuple_from(xs, _part(q, 1)), call(snoc(C, k), tuple_from(bs, _part(q, 0)))
            return bind(
                lambda depth: core.Scan(M(depth), shift(scope, depth), A, of_rows(length(A), C)),
                "p",
                lambda p: returned(_joined(self.form, rows, k + dim(1), length(A), p)),
            )

        return bind(performed(scope, x, s), "q", others)


def scanning(form: core.Scan, K: Context | None) -> Scanning:
    """The scan that is the head of K; the rows of the rounds before are in a let around it, unless this is the first round."""
    if K is not None and isinstance(K.form, core.Bind):
        match K.form.scope.body:
            case core.Return(core.Tuple((core.Call(core.Defined(name="append") as f, core.Tuple((rows, _))), _)) as M):
                arrays = [A for A in leaves(factors(f.domain, 2)[0]) if A != UNIT]
                k = length(arrays[0]) if arrays else NONE
                joined = _joined(form, fixed(rows), k, length(form.source), fixed(core.Bound(0)))
                if not rows.loose & 1 and joined(0) == M:
                    return Scanning(form, shift(rows, -1), k, K.outer)
            case _:
                pass
    return Scanning(form, core.Zero(of_rows(NONE, form.target)), NONE, K)


def _joined(form: core.Scan, rows: TermAtDepth, k: Dim, n: Dim, p: TermAtDepth) -> TermAtDepth:
    """``⟨append(L, p.1), p.2⟩`` for k rows L and n more"""
    return tuple_from(call(append(form.target, k, n), tuple_from(rows, _part(p, 0))), _part(p, 1))


def _part(M: TermAtDepth, i: int) -> TermAtDepth:
    return lambda depth: component(M(depth), i, 2)


def unfolded(M: core.Scan, V: core.Term, rho: Environment, K: Context | None) -> tuple[core.Command, Context | None]:
    """The next round of ``scan (x in V.1) from s = V.2 do P`` in K, and the context of what it replaces.

    That is ``let bs ⇐ ⌊L⌋ in let x ⇐ ⌊first(V.1)⌋ in let s ⇐ ⌊V.2⌋ in let q ⇐ P in …`` with ``rest(V.1)`` to come.
    """
    scan = scanning(core.Scan(V, substituted(M.scope, rho), M.source, M.target, span=M.span), K)
    if K is not None and scan.outer is not K:
        scan = Scanning(scan.form, substituted(scan.rows, K.rho), scan.count, scan.outer)
    if scan.result is not None:
        return scan.result, scan.outer
    (row, x), (_, xs), (state, s), (hint, bs) = scan.named

    def with_rows(bs: TermAtDepth) -> CommandAtDepth:
        return bind(returned(fixed(x)), row, lambda x: with_row(x, bs))

    def with_row(x: TermAtDepth, bs: TermAtDepth) -> CommandAtDepth:
        return bind(returned(fixed(s)), state, lambda s: scan.round(x, fixed(xs), s, bs))

    return (bind(returned(fixed(bs)), hint, with_rows) if scan.count != NONE else with_rows(fixed(bs)))(0), scan.outer


def rh_scan(form: Form, M: core.Scan) -> core.Command:
    """``RH(⟨ys⟩. F[scan (x in N) from s = N' do P])``: the form for the first round and the scan of the rest"""
    scan = scanning(M, form.K)
    if scan.result is not None:
        return naming(form, (), form.around(scan.result, scan.outer))
    m, named = len(form.hints), scan.named
    variables = [fixed(core.Bound(m + i, hint)) for i, (hint, _) in reversed([*enumerate(reversed(named))])]
    return naming(form, named, form.around(scan.round(*variables)(0), scan.outer))
