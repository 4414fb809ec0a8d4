"""One step ``(hp, K[M]) → (hp', K[N])`` (RH Def. 5.4, 5.10, Ex. 5.13), as a value."""

from dataclasses import dataclass

from rh_kernel.operational.contexts import Context, Subject, path, plug
from rh_kernel.operational.heap import Change
from rh_kernel.paper import Rule


@dataclass(frozen=True, slots=True)
class Step:
    """The rule, the context K (``None`` is the hole alone), the redex M, its contractum N, and the change of the heap."""

    rule: Rule
    context: Context | None
    redex: Subject
    contractum: Subject
    change: Change | None = None

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
        """The positions, from 0, of the children that lead from the root of ``K[M]`` to M.

        The children of a form are its terms and commands in the order in which they are written: a handler is none of
        them, and a scope stands for its body.
        """
        return path(self.context)
