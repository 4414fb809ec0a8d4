"""``%limit``: shows what bounds a cell, or changes it."""

from dataclasses import replace

from rh_kernel.session.actions import AnalysisContext
from rh_kernel.session.directives.directive import Directive
from rh_kernel.session.directives.settings import Set
from rh_kernel.session.limits.bounds import changed_bounds
from rh_kernel.syntax import surface_items as items


def _analyze(item: items.Directive, context: AnalysisContext) -> Set:
    bounds, text = changed_bounds(context.settings.bounds, item)
    return Set(replace(context.settings, bounds=bounds), text)


DIRECTIVES = (
    Directive(
        "limit",
        "[what [number|off|default]]",
        "what bounds a cell: steps, nodes, equations, output, bytes, seconds",
        _analyze,
        checks_live=False,
    ),
)
