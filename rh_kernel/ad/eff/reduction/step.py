"""One step ``σ, C[M] ⇝ σ', C[M']`` and the states between steps, as values; terms are written out when somebody asks."""

from dataclasses import dataclass, replace
from typing import TypeAlias

from rh_kernel.ad.eff import core
from rh_kernel.ad.eff.reduction.contexts import EMPTY, Context, Resumption, plugged
from rh_kernel.ad.eff.reduction.references import Cells, Change
from rh_kernel.ad.eff.reduction.rules import Rule
from rh_kernel.ad.eff.reduction.store import Vector
from rh_kernel.ad.eff.reduction.values import Environment, Manner, known, written, written_out
from rh_kernel.source.span import Span


@dataclass(frozen=True, slots=True)
class Opened:
    """``λx. handle 𝓗[return x] with H``: a continuation that was forced"""

    resumption: Resumption


Subject: TypeAlias = core.Computation | Opened


@dataclass(frozen=True, slots=True)
class Here:
    """``C[M[ρ]]``"""

    subject: Subject
    rho: Environment
    context: Context

    def written(self, manner: Manner = Manner.FULL) -> core.Computation:
        """``M[ρ]``, as an object of its own."""
        M = self.subject
        if isinstance(M, Opened):
            return M.resumption.function(manner)
        N = written_out(M, self.rho, manner=manner)
        return replace(N) if N is M else N

    @property
    def span(self) -> Span | None:
        """Where M is written, if it is."""
        return None if isinstance(self.subject, Opened) else self.subject.span


@dataclass(frozen=True, slots=True)
class Marked:
    """``C[M]``, in short, with M, and what to look at in it: the operation, or what k is or goes on with."""

    whole: core.Computation
    part: core.Computation
    within: core.Computation | core.Value | None


@dataclass(frozen=True, slots=True, kw_only=True)
class Step:
    """``σ, C[M] ⇝ σ', C[M']``: the rule, the context C, and the places where M and M' are being reduced.

    ``change`` is that of the store, ``printed`` a text that was printed; ``cells`` is the store behind the step. ``captured``
    is the continuation that (op) makes. ``is_silent`` says that the step is written alike before and after: it binds a result
    that nobody has named.
    """

    rule: Rule
    context: Context
    at: Here
    to: Here
    cells: Cells
    change: Change | None = None
    printed: str | None = None
    captured: Resumption | None = None
    is_silent: bool = False

    @property
    def redex(self) -> core.Computation:
        """M"""
        return plugged(self.at.context, self.at.written(), self.context)

    @property
    def contractum(self) -> core.Computation:
        """M'"""
        return plugged(self.to.context, self.to.written(), self.context)

    @property
    def before(self) -> core.Computation:
        """``C[M]``"""
        return plugged(self.context, self.redex)

    @property
    def after(self) -> core.Computation:
        """``C[M']``"""
        return plugged(self.context, self.contractum)

    def marked_before(self, context: Context) -> Marked:
        """The term before with what stands in a context, which is C or a part of it; for (op) with the operation."""
        inner = self.at.written(Manner.SHORT)
        M = plugged(self.at.context, inner, context, Manner.SHORT)
        return Marked(plugged(context, M, None, Manner.SHORT), M, None if M is inner or self.captured is None else inner)

    @property
    def marked_after(self) -> Marked:
        """``C[M']``; for (op) with the continuation, and where a continuation goes on with what it was given"""
        inner = self.to.written(Manner.SHORT)
        M = plugged(self.to.context, inner, self.context, Manner.SHORT)
        within = inner if self.captured is None else written(self.captured, Manner.SHORT)
        return Marked(plugged(self.context, M, None, Manner.SHORT), M, None if within is M else within)


@dataclass(frozen=True, slots=True)
class State:
    """``σ, C[M[ρ]]`` after ``count`` steps."""

    here: Here
    cells: Cells
    count: int = 0

    @property
    def whole(self) -> core.Computation:
        """``C[M]``"""
        return plugged(self.here.context, self.here.written())

    @property
    def value(self) -> core.Value | None:
        """V, if the computation is ``return V``."""
        M, K = self.here.subject, self.here.context
        is_alone = K.frames is None and K.outer is None
        return written(known(M.value, self.here.rho)) if isinstance(M, core.Return) and is_alone else None


def initial(M: core.Computation) -> State:
    """A closed computation with an empty store."""
    return State(Here(M, None, EMPTY), Vector())
