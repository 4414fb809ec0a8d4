"""One step ``(hp, K[M]) → (hp', K[N])`` (RH Def. 5.4, 5.10, Ex. 5.13), as a value."""

from rh_kernel.operational.contexts import Closure, Context, Subject, outline, path, plug
from rh_kernel.operational.environments import Environment
from rh_kernel.operational.focus import Head, evaluated, inside, written
from rh_kernel.operational.heap import Change
from rh_kernel.operational.substitution import substituted
from rh_kernel.paper import Rule


class Step:
    """The rule, the context K (``None`` if empty), the redex M, its contractum N, and the change of the heap.

    The redex may be given as the head found in it, and the contractum with an environment: both are built on demand and cached.
    """

    __slots__ = ("_after", "_before", "_contractum", "_redex", "_rho", "change", "context", "rule")

    def __init__(
        self,
        rule: Rule,
        context: Context | None,
        redex: Subject | Head,
        contractum: Subject,
        change: Change | None = None,
        rho: Environment = None,
    ) -> None:
        self.rule = rule
        self.context = context
        self.change = change
        self._redex = redex
        self._contractum = contractum
        self._rho = rho
        self._before: Subject | None = None
        self._after: Subject | None = None

    def __repr__(self) -> str:
        return f"Step({self.rule}, {self.context!r}, {self.redex!r}, {self.contractum!r}, {self.change!r})"

    @property
    def redex(self) -> Subject:
        """M"""
        if not isinstance(self._redex, tuple):
            return self._redex
        if self._before is None:
            self._before = plug(self._redex[4], written(self._redex), self.context)
        return self._before

    @property
    def contractum(self) -> Subject:
        """N"""
        if self._after is None:
            self._after = substituted(self._contractum, self._rho)
        return self._after

    @property
    def found(self) -> Closure:
        """``K[M]`` as a closure at the head, which is M itself or inside M."""
        if isinstance(self._redex, tuple):
            head = inside(self._redex)
            return Closure(evaluated(head), head[3], head[4])
        return Closure(self._redex, None, self.context)

    @property
    def left(self) -> Closure:
        """``K[N]`` as a closure."""
        return Closure(self._contractum, self._rho, self.context)

    @property
    def outline(self) -> Subject:
        """M without environments substituted."""
        return outline(self.found, self.context)

    @property
    def before(self) -> Subject:
        """``K[M]``"""
        return plug(self.context, self.redex)

    @property
    def after(self) -> Subject:
        """``K[N]``"""
        return plug(self.context, self.contractum)

    @property
    def path(self) -> tuple[int, ...]:
        """The child positions, from 0, on the path from the root of ``K[M]`` to M.

        The children of a form are its terms and commands in source order: handlers are not counted, and a scope stands for its
        body.
        """
        return path(self.context)
