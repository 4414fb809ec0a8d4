"""The directives of ``%%eff`` cells: ``%trace``, ``%count`` and ``%type``, each before an expression."""

from typing import TYPE_CHECKING

from rh_kernel.session.actions import Action, AnalysisContext
from rh_kernel.session.directives.directive import Directive
from rh_kernel.syntax.parsing.tokens import EFF_SECTION

if TYPE_CHECKING:
    from rh_kernel.ad.eff.frontend.surface_items import DirectiveItem


def _analyze(item: "DirectiveItem", context: AnalysisContext) -> Action:
    from rh_kernel.session.sections.eff_cells import analyze_directive

    return analyze_directive(item, context)


DIRECTIVES = (
    Directive(
        "trace",
        "M",
        "in a %%eff cell: every step of the reduction of M, redex and contractum marked, with the rule's name",
        _analyze,
        EFF_SECTION,
    ),
    Directive(
        "count",
        "M",
        "in a %%eff cell: M, the steps of the machine, the operations by handlers, and references made and alive",
        _analyze,
        EFF_SECTION,
    ),
    Directive(
        "type",
        "M",
        "in a %%eff cell: the type and the effects of an expression, a function, a handler, an operation",
        _analyze,
        EFF_SECTION,
    ),
)
