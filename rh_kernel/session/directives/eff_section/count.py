"""``%count M`` in ``%%eff`` cells: what the machine does for an expression."""

from rh_kernel.session.directives.directive import Directive
from rh_kernel.session.directives.eff_section import analyze
from rh_kernel.syntax.parsing.tokens import EFF_SECTION

DIRECTIVE = Directive(
    "count",
    "M",
    "in a %%eff cell: M, the steps of the machine, the operations by handlers, and references made and alive",
    analyze,
    EFF_SECTION,
    example="""
%%eff
include evaluate
%count handle t 3 (p 1 1) with evaluate
""",
    details="""
Use it below a line `%%eff`: [effects and handlers](language.md#effects-and-handlers) describes the language. M is run on the
abstract machine for these cells, and shown with its value. The counts do not depend on the computer: machine steps, how often
each operation was performed, how many clauses each handler ran, for how many of these a continuation was captured, how many
references and arrays were created and the maximum alive at once, and the maximum stack depth. `%trace M` there shows each
step of the reduction of M, at most 10,000, and `%type M` its type and effects; these cells have no other directives.
""",
)
