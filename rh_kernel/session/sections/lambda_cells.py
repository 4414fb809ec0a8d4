"""Analysis and execution of ``%%lambda`` cells: functions and terms of ``ad.language``; ``differentiation`` has ``%ad``."""

from dataclasses import replace
from types import MappingProxyType

from rh_kernel.ad.comparison import NESTING_HINT
from rh_kernel.ad.language import surface as s
from rh_kernel.ad.language.core import Program, Term
from rh_kernel.ad.language.elaboration import elaborate_function, elaborate_term
from rh_kernel.ad.language.evaluation import OpCounter, evaluate
from rh_kernel.ad.language.parsing_items import item as read
from rh_kernel.ad.language.scalars import quietly
from rh_kernel.ad.language.types import Type
from rh_kernel.session.actions import Action, Analysis, AnalysisContext, Run, State, type_summary
from rh_kernel.session.directives.registry import directives
from rh_kernel.session.names import FUNCTION, arrow
from rh_kernel.session.results import Computed, DeclarationMade, Result, Shown, Working
from rh_kernel.session.sections.errors import explain_failed_names, reject_deep_nesting
from rh_kernel.source.diagnostic import KernelBug
from rh_kernel.source.records import frozen
from rh_kernel.source.span import Span
from rh_kernel.syntax.parsing.tokens import LAMBDA_SECTION


@frozen
class DeclareFunction(Action):
    """``fun f(x : A) : B = M``"""

    program: Program

    def _made(self) -> DeclarationMade:
        return DeclarationMade(self.program.name, FUNCTION, arrow(self.program))

    def summary(self, text: str) -> Result:
        """Return the type."""
        return self._made()

    def run(self, number: int, state: State) -> Run:
        """Add the function to the state."""
        yield Working()
        yield Shown(number, self._made())
        return replace(state, functions=MappingProxyType({**state.functions, self.program.name: self.program}))

    def after(self, context: AnalysisContext) -> AnalysisContext:
        """Add the function to the context."""
        return replace(context, functions=MappingProxyType({**context.functions, self.program.name: self.program}))


@frozen
class Compute(Action):
    """A term"""

    term: Term
    type: Type
    span: Span

    def summary(self, text: str) -> Result:
        """Return the type."""
        return type_summary(text, self.type)

    def run(self, number: int, state: State) -> Run:
        """Evaluate the term. Raises ``Failure``."""
        yield Working()
        with reject_deep_nesting(self.span, NESTING_HINT), quietly():
            V = evaluate(self.term, {}, OpCounter())
        yield Shown(number, Computed(self.type, V))
        return state


def analyze(span: Span, context: AnalysisContext) -> Analysis:
    """Return the action of the item at ``span``. Raises ``Rejected``."""
    with explain_failed_names(LAMBDA_SECTION, context), reject_deep_nesting(span, NESTING_HINT):
        found = read(span)
        match found:
            case s.FunItem():
                return DeclareFunction(elaborate_function(found, context.functions))
            case s.EvaluationItem(M):
                return Compute(*elaborate_term(M, context.functions), span)
            case s.AdItem():
                return directives(LAMBDA_SECTION)["ad"].analyze(found, context)
            case None:
                raise KernelBug("an item that consists of comments")
