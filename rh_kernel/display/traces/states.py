"""What is shown of the states of a trace: of the term or command after k steps, if it is large, what is around its redex.

What was cut and written for one state is there for those after it.
"""

from rh_kernel.display.traces.cropping import Crops, Uncut
from rh_kernel.display.traces.viewport import Scene, Stage, stage, unnamed
from rh_kernel.display.traces.writing import Writing
from rh_kernel.operational.contexts import Closure, Context, Subject, binders
from rh_kernel.session.results import TraceMade


class States:
    """The states of one trace, in any order."""

    def __init__(self, result: TraceMade) -> None:
        self._result = result
        self._unnamed: dict[int, tuple[Subject, Subject]] = {}
        self._crops = Crops(lambda state: self._uncut(self._stage(state)))
        self._writing = Writing()
        self._names: tuple[Context | None, tuple[str, ...]] = None, ()

    def subject(self, state: int) -> Subject:
        """The term or command after so many steps."""
        steps = self._result.steps
        if state < len(steps):
            return steps[state].before
        return steps[-1].after if steps else self._result.subject

    def scene(self, state: int, *, whole: bool = False) -> Scene:
        """What is shown of it; with handlers ``whole``, and not by their names."""
        found, (_, closure) = self._stage(state), self._closure(state)
        names, cut = self._binders(found.end), self._crops.of(state, self._uncut(found))
        outlined = found.subject if cut is None else cut
        M = self._writing.of(closure, found.end, outlined)
        if M is not outlined:
            M = self._crops.smaller((M, found.path, len(names)))
        return Scene(found, unnamed(M, self._unnamed) if whole else M, names)

    def _stage(self, state: int) -> Stage:
        return stage(*self._closure(state))

    def _closure(self, state: int) -> tuple[Context | None, Closure]:
        """A state as reduction holds it, and the context of its redex."""
        steps = self._result.steps
        if state < len(steps):
            return steps[state].context, steps[state].found
        if steps:
            return steps[-1].context, steps[-1].left
        return None, Closure(self._result.subject, None, None)

    def _uncut(self, found: Stage) -> Uncut:
        return found.subject, found.path, len(self._binders(found.end))

    def _binders(self, end: Context | None) -> tuple[str, ...]:
        """The variables that are bound around what is shown; around the next states it is the same ones."""
        if self._names[0] is not end:
            self._names = end, binders(end)
        return self._names[1]
