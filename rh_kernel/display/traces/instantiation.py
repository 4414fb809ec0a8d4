"""Substitute values into the visible part of ``K[M[ρ]]``; what is not visible is never instantiated.

Consecutive states of a trace share instances: only the parts that mention the variable bound by the step change. Instances are
cached by the identity of the part, which is kept alive as long as it is cached.
"""

from dataclasses import dataclass, replace
from typing import TypeVar, cast

from rh_kernel.display.clipping import DOTS
from rh_kernel.operational.contexts import Closure, Context, Subject, up_to
from rh_kernel.operational.environments import Environment, are_same, length, value_at, without
from rh_kernel.syntax.core import RH, Bound, Command, Handle, Node, Perform, R, RevHandle, Term
from rh_kernel.syntax.rebuild import Transform, rebuild
from rh_kernel.syntax.traversal import children, rebuilt

AnyNode = TypeVar("AnyNode", bound=Node)

KNOWN = 20_000
"""Capacity of the cache."""


@dataclass(frozen=True, slots=True)
class _Instance:
    """The instance of a part under ``depth`` binders, where the variables bound outside of these have values in ρ."""

    part: Node
    image: Node
    depth: int
    rho: Environment


class Instantiator:
    """Substitutes values into the visible parts of the states of one trace."""

    def __init__(self) -> None:
        self._known: dict[int, _Instance] = {}

    def of(self, closure: Closure, end: Context | None, shown: Subject) -> Subject:
        """Return ``shown``, the outline of the closure inside ``end`` or a cropped form of it, with values substituted."""
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
        """``M[ρ]``, whose child at ``position`` is already instantiated."""
        parts: list[Subject] = []
        for n, (N, binders) in enumerate(children(M)):
            parts.append(hole if n == position and hole is not None else self._part(N, binders, rho))
        image = rebuilt(M, parts) if parts or not isinstance(M, Bound) or rho is None else value_at(rho, M.index)
        match image:
            case RevHandle(_, _, H) | RH(_, _, H):
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
        """The instance of a part under ``depth`` binders."""
        if rho is None or not part.loose >> depth:
            return part
        known = self._known.get(id(part))
        if known is None or known.depth < depth or not are_same(without(rho, known.depth - depth), known.rho):
            image = cast(AnyNode, rebuild(part, depth, _Values(rho, length(rho))))
        elif known.depth == depth:
            return cast(AnyNode, known.image)
        else:
            image = cast(AnyNode, rebuild(known.image, depth, _Values(rho, known.depth - depth)))
        self._known[id(part)] = _Instance(part, image, depth, rho)
        if isinstance(part, Term | Command):
            for (N, binders), (inner, _) in zip(children(part), children(cast(Subject, image)), strict=False):
                if N.loose >> depth + binders:
                    self._known[id(N)] = _Instance(N, inner, depth + binders, rho)
        return image


@dataclass(frozen=True, slots=True)
class _Values(Transform):
    """Substitutes the last ``count`` values of ρ; the variable ``…`` for cut parts stays."""

    rho: Environment
    count: int
    into_functions = False

    def skips(self, node: Node, depth: int) -> bool:
        return not node.loose >> depth & (1 << self.count) - 1

    def variable(self, x: Bound, depth: int) -> Term:
        return x if x.hint == DOTS else value_at(self.rho, x.index - depth)
