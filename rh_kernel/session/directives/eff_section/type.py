"""``%type M`` in ``%%eff`` cells: the type and the effects of an expression."""

from rh_kernel.session.directives.directive import Directive
from rh_kernel.session.directives.eff_section import analyze
from rh_kernel.syntax.parsing.tokens import EFF_SECTION

DIRECTIVE = Directive(
    "type",
    "M",
    "in a %%eff cell: the type and the effects of an expression, a function, a handler, an operation",
    analyze,
    EFF_SECTION,
)
