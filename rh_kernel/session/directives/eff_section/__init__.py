"""The directives of ``%%eff`` cells, one module each. All of them stand before an expression."""

from typing import TYPE_CHECKING

from rh_kernel.session.actions import Action, AnalysisContext

if TYPE_CHECKING:
    from rh_kernel.ad.eff.frontend.surface_items import DirectiveItem


def analyze(item: "DirectiveItem", context: AnalysisContext) -> Action:
    """Return the action of a directive. Raises ``Rejected``."""
    from rh_kernel.session.sections.eff_cells import analyze_directive

    return analyze_directive(item, context)
