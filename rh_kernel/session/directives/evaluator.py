"""``%evaluator``: which of the three evaluators runs programs."""

from dataclasses import replace

from rh_kernel.session.actions import AnalysisContext, ChangeSettings
from rh_kernel.session.directives.arguments import choice
from rh_kernel.session.directives.directive import Directive
from rh_kernel.session.settings import Evaluator
from rh_kernel.syntax import surface_items as items

_EVALUATORS = {
    Evaluator.COMPILED: "runs as a straight line of array operations (`%compile` shows it)",
    Evaluator.STEPPED: "is reduced step by step, as in section 5 of the paper (`%trace` shows it)",
    Evaluator.DENOTED: "runs as its denotation, section 7 of the paper (`%diagram` shows it)",
}


def _analyze(item: items.Directive, context: AnalysisContext) -> ChangeSettings:
    word = choice(item, *(evaluator.value for evaluator in Evaluator))
    settings = context.settings if word is None else replace(context.settings, evaluator=Evaluator(word))
    evaluator = settings.evaluator
    return ChangeSettings(settings, f"the evaluator is {evaluator.value}: what you write {_EVALUATORS[evaluator]}")


DIRECTIVE = Directive(
    "evaluator",
    "compiled|stepped|denoted",
    "which of the three evaluators runs what you write",
    _analyze,
    order=330,
    example="%evaluator",
    details="""
`compiled` runs the program of `%compile`, `stepped` the reduction of `%trace`, `denoted` the diagram of `%diagram`. All three
give the same results. Training is always compiled. `rh run --evaluator denoted` starts with it.
""",
)
