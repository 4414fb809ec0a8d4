"""Steps ``σ, C[M] ⇝ σ', C[M']`` and the states between them, as values whose terms are computed on demand."""

from dataclasses import dataclass, replace
from typing import TypeAlias

from rh_kernel.ad.eff import core
from rh_kernel.ad.eff.reduction.contexts import EMPTY, Context, Resumption, plug
from rh_kernel.ad.eff.reduction.native_operations import Cells, StoreChange
from rh_kernel.ad.eff.reduction.rules import Rule
from rh_kernel.ad.eff.reduction.store import Vector
from rh_kernel.ad.eff.reduction.values import Detail, Environment, closed_term, evaluated, term_of
from rh_kernel.source.span import Span


@dataclass(frozen=True, slots=True)
class ForcedContinuation:
    """``λx. handle 𝓗[return x] with H``, from forcing a continuation"""

    resumption: Resumption


Subject: TypeAlias = core.Computation | ForcedContinuation


@dataclass(frozen=True, slots=True)
class Focus:
    """``C[M[ρ]]``"""

    subject: Subject
    rho: Environment
    context: Context

    def term(self, detail: Detail = Detail.FULL) -> core.Computation:
        """``M[ρ]``, as a new object, so that a mark by identity marks this occurrence only."""
        M = self.subject
        if isinstance(M, ForcedContinuation):
            return M.resumption.function(detail)
        N = closed_term(M, self.rho, detail=detail)
        return replace(N) if N is M else N

    @property
    def span(self) -> Span | None:
        """The span of M."""
        return None if isinstance(self.subject, ForcedContinuation) else self.subject.span


@dataclass(frozen=True, slots=True)
class MarkedTerm:
    """The short term ``C[M]`` with the subterms to mark: M, and in it the operation, or the continuation or its argument."""

    whole: core.Computation
    part: core.Computation
    within: core.Computation | core.Value | None


@dataclass(frozen=True, slots=True, kw_only=True)
class Step:
    """``σ, C[M] ⇝ σ', C[M']``: the rule, the context C, and the foci of reduction in M and M'.

    ``cells`` is the store after the step, ``change`` the change of it, ``printed`` the text that was printed. ``captured`` is
    the continuation that (op) makes. ``is_silent`` says that the printed terms before and after are equal: the step binds an
    intermediate result without a name.
    """

    rule: Rule
    context: Context
    at: Focus
    to: Focus
    cells: Cells
    change: StoreChange | None = None
    printed: str | None = None
    captured: Resumption | None = None
    is_silent: bool = False

    @property
    def redex(self) -> core.Computation:
        """M"""
        return plug(self.at.context, self.at.term(), self.context)

    @property
    def contractum(self) -> core.Computation:
        """M'"""
        return plug(self.to.context, self.to.term(), self.context)

    @property
    def before(self) -> core.Computation:
        """``C[M]``"""
        return plug(self.context, self.redex)

    @property
    def after(self) -> core.Computation:
        """``C[M']``"""
        return plug(self.context, self.contractum)

    def marked_before(self, context: Context) -> MarkedTerm:
        """The term before the step, with the subterm in a context that is C or a part of it; for (op) with the operation."""
        inner = self.at.term(Detail.SHORT)
        M = plug(self.at.context, inner, context, Detail.SHORT)
        return MarkedTerm(plug(context, M, None, Detail.SHORT), M, None if M is inner or self.captured is None else inner)

    @property
    def marked_after(self) -> MarkedTerm:
        """``C[M']``; for (op) with the continuation, and for a resumption with the computation that it goes on with."""
        inner = self.to.term(Detail.SHORT)
        M = plug(self.to.context, inner, self.context, Detail.SHORT)
        within = inner if self.captured is None else term_of(self.captured, Detail.SHORT)
        return MarkedTerm(plug(self.context, M, None, Detail.SHORT), M, None if within is M else within)


@dataclass(frozen=True, slots=True)
class State:
    """``σ, C[M[ρ]]`` after ``count`` steps."""

    here: Focus
    cells: Cells
    count: int = 0

    @property
    def whole(self) -> core.Computation:
        """``C[M]``"""
        return plug(self.here.context, self.here.term())

    @property
    def value(self) -> core.Value | None:
        """V, if the computation is ``return V``."""
        M, K = self.here.subject, self.here.context
        is_alone = K.frames is None and K.outer is None
        return term_of(evaluated(M.value, self.here.rho)) if isinstance(M, core.Return) and is_alone else None


def initial(M: core.Computation) -> State:
    """A closed computation with an empty store."""
    return State(Focus(M, None, EMPTY), Vector())
