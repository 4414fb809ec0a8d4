"""``%compile P``, ``%compile train P for …``: the array program, what each pass makes of it, and what each step takes."""

from collections.abc import Generator
from typing import Literal, TypeAlias

from rh_kernel.session.actions import Action, Analysis, AnalysisContext, Closed, Run, State, typed
from rh_kernel.session.directives.directive import Directive
from rh_kernel.session.directives.words import needs_expression
from rh_kernel.session.results import Result, Shown, Working
from rh_kernel.session.train import Train, analyze_training
from rh_kernel.source.records import frozen
from rh_kernel.syntax import surface_items as items
from rh_kernel.typing.elaboration.items import elaborate_evaluation

Shows: TypeAlias = Literal["", "passes", "profile"]
"""What ``%compile`` shows beside the program."""


@frozen
class Compile(Action):
    """``%compile P``, ``%compile train P for …``; ``shows`` is what follows ``--``, if anything does"""

    compiled: Closed | Train
    shows: Shows = ""

    @property
    def subject(self) -> Closed | None:
        """The term or command, if it is none that is trained."""
        return None if isinstance(self.compiled, Train) else self.compiled

    def summary(self, text: str) -> Result:
        """That of the training run, or the type."""
        return self.compiled.summary(text) if isinstance(self.compiled, Train) else typed(text, self.compiled.type)

    def run(self, number: int, state: State) -> Run:
        """Shows the program; nothing takes effect. Raises ``Failure``."""
        from rh_kernel.session.compiling import made

        yield Shown(number, (yield from made(self.compiled, self.shows, state.heap, state.settings)))
        return state


def _analyze(item: items.Directive, context: AnalysisContext) -> Analysis:
    shows = _option(item)
    if item.training is None:
        return Compile(elaborate_evaluation(context.definitions, needs_expression(item)), shows)
    return _analyze_training(item.training, context, shows)


def _analyze_training(item: items.TrainItem, context: AnalysisContext, shows: Shows) -> Generator[Working, None, Action]:
    return Compile((yield from analyze_training(item, context)), shows)


def _option(item: items.Directive) -> Shows:
    match item.words:
        case ("passes" | "profile" as option,):
            return option
        case _:
            return ""


DIRECTIVES = (
    Directive(
        "compile",
        "[--passes|--profile] P",
        "the straight-line program that runs, or that of a batch of `train P for …`, with operation counts; the program "
        "after each pass; what each step takes",
        _analyze,
    ),
)
