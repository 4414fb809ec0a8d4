"""``%whos``: the declared names."""

from rh_kernel.session.actions import AnalysisContext, ShowResult
from rh_kernel.session.directives.arguments import expect_no_arguments
from rh_kernel.session.directives.directive import Directive
from rh_kernel.session.names import names_shown
from rh_kernel.session.results import NamesShown
from rh_kernel.syntax import surface_items as items


def _analyze(item: items.Directive, context: AnalysisContext) -> ShowResult:
    expect_no_arguments(item)
    return ShowResult(NamesShown(names_shown(context.definitions, context.functions, context.effects)))


DIRECTIVE = Directive(
    "whos",
    "",
    "every name that was declared: its type, its place, and whether what it was made from has changed since",
    _analyze,
    order=240,
    example="""
const t = [1, 2]
fun sq(x : Real(n)) : Real(n) = x * x
%whos
""",
    details="""
If a declaration was made from an older version of a name, it says so, and which cells to run again.
""",
)
