"""``%trace M`` in ``%%eff`` cells: every step of the reduction of an expression."""

from rh_kernel.session.directives.directive import Directive
from rh_kernel.session.directives.eff_section import analyze
from rh_kernel.syntax.parsing.tokens import EFF_SECTION

DIRECTIVE = Directive(
    "trace",
    "M",
    "in a %%eff cell: every step of the reduction of M, redex and contractum marked, with the rule's name",
    analyze,
    EFF_SECTION,
)
