"""``%type E``: the type of a term, a command or a name."""

from rh_kernel.primitives.table import SYMBOLS
from rh_kernel.session.actions import AnalysisContext, ShowResult
from rh_kernel.session.directives.arguments import needs_expression
from rh_kernel.session.directives.directive import Directive
from rh_kernel.session.results import TypeShown
from rh_kernel.session.signatures import type_text
from rh_kernel.syntax import surface as s
from rh_kernel.syntax import surface_items as items
from rh_kernel.typing.definitions import Definitions
from rh_kernel.typing.elaboration.items import elaborate_evaluation


def type_shown(definitions: Definitions, e: s.Expr) -> TypeShown:
    """Return the type of an expression, or of a declared name or function symbol. Raises ``Rejected``."""
    if isinstance(e, s.Var):
        definition = definitions.get(e.name)
        if definition is not None:
            return TypeShown(e.name, type_text(definition))
        if e.name in SYMBOLS:
            return TypeShown(e.name, " or ".join(f"{scheme.domain} -> {scheme.codomain}" for scheme in SYMBOLS[e.name].schemes))
    return TypeShown(e.span.text, str(elaborate_evaluation(definitions, e).type))


def _analyze(item: items.Directive, context: AnalysisContext) -> ShowResult:
    return ShowResult(type_shown(context.definitions, needs_expression(item)))


DIRECTIVE = Directive(
    "type",
    "E",
    "the type of a term, a command or a name",
    _analyze,
    order=110,
    example="""
fun sq(x : Real(n)) : Real(n) = x * x
%type sq
%type sq([1, 2, 3])
""",
    details="""
Nothing runs. Below a line `%%eff` it shows the type and the effects of an
[expression of EFF](language.md#effects-and-handlers).
""",
)
