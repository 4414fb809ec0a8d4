"""The visible parts of the states of a trace: a large state is cropped around its redex.

Cropped and instantiated parts are shared between the states.
"""

from rh_kernel.display.traces.cropping import StateCropper, UncroppedState
from rh_kernel.display.traces.instantiation import Instantiator
from rh_kernel.display.traces.viewport import CroppedViewport, Viewport, unnamed, viewport
from rh_kernel.operational.contexts import Closure, Context, Subject, binders, outline
from rh_kernel.session.results import TraceMade


class States:
    """The states of one trace, in any order; state k is the term or command after k steps."""

    def __init__(self, result: TraceMade) -> None:
        self._result = result
        self.steps = result.steps
        self._unnamed: dict[int, tuple[Subject, Subject]] = {}
        self._crops = StateCropper(lambda state: self._uncut(self._viewport(state)))
        self._instantiator = Instantiator()
        self._names: tuple[Context | None, tuple[str, ...]] = None, ()

    def subject(self, state: int) -> Subject:
        """Return the term or command."""
        _, closure = self._closure(state)
        return self._instantiator.of(closure, None, outline(closure))

    def viewport(self, state: int, *, whole: bool = False) -> CroppedViewport:
        """Return the visible part; with ``whole``, clauses of handlers are shown in place of their names."""
        found, (_, closure) = self._viewport(state), self._closure(state)
        names, cut = self._binders(found.end), self._crops.of(state, self._uncut(found))
        outlined = found.subject if cut is None else cut
        M = self._instantiator.of(closure, found.end, outlined)
        if M is not outlined:
            M = self._crops.smaller((M, found.path, len(names)))
        return CroppedViewport(found, unnamed(M, self._unnamed) if whole else M, names)

    def _viewport(self, state: int) -> Viewport:
        return viewport(*self._closure(state))

    def _closure(self, state: int) -> tuple[Context | None, Closure]:
        """The state as a closure, and the context of its redex."""
        steps = self.steps
        if state < len(steps):
            return steps[state].context, steps[state].found
        if steps:
            return steps[-1].context, steps[-1].left
        return None, Closure(self._result.subject, None, None)

    def _uncut(self, found: Viewport) -> UncroppedState:
        return found.subject, found.path, len(self._binders(found.end))

    def _binders(self, end: Context | None) -> tuple[str, ...]:
        """The variables bound around the visible part; cached, as consecutive states have the same ones."""
        if self._names[0] is not end:
            self._names = end, binders(end)
        return self._names[1]
