"""``%ad`` in ``%%lambda`` cells: the gradient of a function by one or all of the published AD systems."""

from typing import TYPE_CHECKING

from rh_kernel.session.actions import Action, AnalysisContext
from rh_kernel.session.directives.directive import Directive
from rh_kernel.syntax.parsing.tokens import LAMBDA_SECTION

if TYPE_CHECKING:
    from rh_kernel.ad.language.surface import AdItem


def _analyze(item: "AdItem", context: AnalysisContext) -> Action:
    from rh_kernel.session.sections.differentiation import analyze

    return analyze(item, context.functions)


DIRECTIVES = (
    Directive(
        "ad",
        "SYSTEM f[(M, …) [with W|along V] [--trace]]",
        "in a %%lambda cell: the gradient of f by a published system, or by all; without arguments the forms of f on the way",
        _analyze,
        LAMBDA_SECTION,
    ),
)
