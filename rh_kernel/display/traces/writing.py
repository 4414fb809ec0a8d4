"""What is shown of ``K[M[ρ]]`` with its values written in: what is not shown is never written.

The states of a trace share what was written: from one state to the next only the parts change that mention the variable which
was bound in between. A part is known by its identity, and kept as long as it is known.
"""

from dataclasses import dataclass, replace
from typing import TypeVar, cast

from rh_kernel.display.clipping import DOTS
from rh_kernel.operational.contexts import Closure, Context, Subject, up_to
from rh_kernel.operational.environments import Environment, are_same, length, value_at, without
from rh_kernel.syntax.core import Bound, Command, Handle, Node, Perform, R, RevHandle, Term
from rh_kernel.syntax.rebuild import Transform, rebuild
from rh_kernel.syntax.traversal import children, rebuilt

AnyNode = TypeVar("AnyNode", bound=Node)

KNOWN = 20_000
"""So many parts are known."""


@dataclass(frozen=True, slots=True)
class _Known:
    """What a part became under so many binders, where the variables that are bound outside of these have values in ρ."""

    part: Node
    image: Node
    depth: int
    rho: Environment


class Writing:
    """Writes values into what is shown of the states of one trace."""

    def __init__(self) -> None:
        self._known: dict[int, _Known] = {}

    def of(self, closure: Closure, end: Context | None, shown: Subject) -> Subject:
        """``shown``, which is the outline of the closure inside ``end`` or as much of it as is shown, with the values in it."""
        frames = [*up_to(closure.context, end)]
        if closure.rho is None and all(frame.rho is None for frame in frames):
            return shown
        if len(self._known) > KNOWN:
            self._known.clear()
        forms = [shown]
        for frame in reversed(frames):
            forms.append(children(forms[-1])[frame.position][0])
        M = self._form(forms.pop(), closure.rho, None, None)
        for frame in frames:
            M = self._form(forms.pop(), frame.rho, frame.position, M)
        return M

    def _form(self, M: Subject, rho: Environment, position: int | None, hole: Subject | None) -> Subject:
        """``M[ρ]``; its child at the position is there already."""
        parts: list[Subject] = []
        for n, (N, binders) in enumerate(children(M)):
            parts.append(hole if n == position and hole is not None else self._part(N, binders, rho))
        image = rebuilt(M, parts) if parts or not isinstance(M, Bound) or rho is None else value_at(rho, M.index)
        match image:
            case RevHandle(_, _, H):
                return replace(image, handler=self._part(H, 0, rho)) if rho is not None and H.loose else image
            case Handle(_, H):
                return replace(image, handler=self._part(H, 0, rho)) if rho is not None and H.loose else image
            case R(known=known) if known and rho is not None:
                return replace(image, known=tuple([self._part(V, 0, rho) for V in known]))
            case Perform(op):
                return replace(image, operation=self._part(op, 0, rho)) if rho is not None and op.loose else image
            case _:
                return image

    def _part(self, part: AnyNode, depth: int, rho: Environment) -> AnyNode:
        """What a part under so many binders becomes."""
        if rho is None or not part.loose >> depth:
            return part
        known = self._known.get(id(part))
        if known is None or known.depth < depth or not are_same(without(rho, known.depth - depth), known.rho):
            image = cast(AnyNode, rebuild(part, depth, _Values(rho, length(rho))))
        elif known.depth == depth:
            return cast(AnyNode, known.image)
        else:
            image = cast(AnyNode, rebuild(known.image, depth, _Values(rho, known.depth - depth)))
        self._known[id(part)] = _Known(part, image, depth, rho)
        if isinstance(part, Term | Command):
            for (N, binders), (inner, _) in zip(children(part), children(cast(Subject, image)), strict=False):
                if N.loose >> depth + binders:
                    self._known[id(N)] = _Known(N, inner, depth + binders, rho)
        return image


@dataclass(frozen=True, slots=True)
class _Values(Transform):
    """The last ``count`` values of ρ are put in the places of their variables; what is left out stays as it is."""

    rho: Environment
    count: int
    into_functions = False

    def skips(self, node: Node, depth: int) -> bool:
        return not node.loose >> depth & (1 << self.count) - 1

    def variable(self, x: Bound, depth: int) -> Term:
        return x if x.hint == DOTS else value_at(self.rho, x.index - depth)
