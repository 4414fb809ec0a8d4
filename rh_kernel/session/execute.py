"""The actions of the language's own items: declarations, evaluations, checks of values. Training has a module of its own."""

from dataclasses import replace

from rh_kernel.primitives.table import SYMBOLS
from rh_kernel.session.actions import Action, Closed, Run, State, typed
from rh_kernel.session.checking import check
from rh_kernel.session.contents import initial_content
from rh_kernel.session.describing import type_text
from rh_kernel.session.evaluating import evaluate
from rh_kernel.session.limits.timing import working
from rh_kernel.session.results import Change, CheckPassed, DeclarationMade, Result, Shown, ValueFound, changed
from rh_kernel.source.records import frozen
from rh_kernel.source.span import Span
from rh_kernel.source.tables import table
from rh_kernel.typing.definitions import Definition, FunDefinition, LocDefinition, kind_of
from rh_kernel.typing.elaboration.checks import Equation
from rh_kernel.typing.elaboration.items import ClosedCommand


@frozen
class Declare(Action):
    """A declaration, already among the definitions; ``type`` and ``content`` are where its two sides are written."""

    definition: Definition
    type: Span
    content: Span

    def summary(self, text: str) -> Result:
        """The type."""
        return DeclarationMade(self.definition.name, kind_of(self.definition), type_text(self.definition))

    def run(self, number: int, state: State) -> Run:
        """Computes the initial content of a location."""
        definition = self.definition
        changes: tuple[Change, ...] = ()
        if isinstance(definition, LocDefinition):
            making = initial_content(definition, state.folder, self.type, self.content, state.settings)
            content = yield from working(making, "making the initial content")
            location = definition.location
            changes = (Change(location, None, content),)
            heap, initial = table(state.heap), table(state.initial)
            state = replace(state, heap=heap.with_(location, content), initial=initial.with_(location, content))
        kind = kind_of(definition)
        if isinstance(definition, FunDefinition) and definition.name in SYMBOLS:
            kind += " in the place of the one that comes with the language"
        yield Shown(number, DeclarationMade(definition.name, kind, type_text(definition), changes))
        return state


@frozen
class Evaluate(Action):
    """A term or a command"""

    closed: Closed

    @property
    def subject(self) -> Closed:
        """The term or command."""
        return self.closed

    def summary(self, text: str) -> Result:
        """The type."""
        return typed(text, self.closed.type)

    def run(self, number: int, state: State) -> Run:
        """Evaluates it by the evaluator that is set."""
        found = yield from evaluate(self.closed, state.heap, state.settings)
        after = state.put(found.changes)
        is_command = isinstance(self.closed, ClosedCommand)
        yield Shown(number, ValueFound(self.closed.type, found.value, changed(state.heap, after.heap), is_command))
        return after


@frozen
class Compare(Action):
    """``check M == N``, as it is written; ``remarks`` are about its names"""

    equation: Equation
    span: Span
    remarks: tuple[str, ...] = ()

    def summary(self, text: str) -> Result:
        """The type of both sides."""
        return typed(self.span.text, self.equation.left.type)

    def run(self, number: int, state: State) -> Run:
        """Evaluates both sides. Raises ``Failure`` if they differ."""
        about = yield from check(self.equation, state.heap, state.settings, self.span)
        yield Shown(number, CheckPassed(self.span.text, str(self.equation.left.type), (*self.remarks, *about)))
        return state
