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


DIRECTIVE = Directive(
    "ad",
    "SYSTEM f[(M, …) [with W|along V] [--trace]]",
    "in a %%lambda cell: the gradient of f by a published system, or by all; without arguments the forms of f on the way",
    _analyze,
    LAMBDA_SECTION,
    example="""
%%lambda
fun f(x : Real, y : Real) : Real = x * x * y
%ad reverse-handler f(3, 2)
%ad chad-forward f(3, 2) along (1, -1)
%ad reverse-derivative f
""",
    details="""
Use it below a line `%%lambda`: [the laboratory](language.md#the-laboratory) describes the language and the systems. The
cotangent of the result is 1 if the result is a number; otherwise give it after `with`. `along` takes a tangent for the
arguments, for systems with a forward mode. Without arguments the stages of the transformation are shown, from the source to
the code that runs. `--trace` shows each step of a system that rewrites. Operations are applications of function symbols to
numbers, and additions of cotangents; they are counted for the program alone and for the value with the gradient.
`%ad all f(3, 2)` prints a table of all systems, with the largest difference of their gradients from the first one; a system
that rejects the program says why. For a program with loops the table says which systems unroll them.

With `--json` there is an object for each system: `{"item": 4, "kind": "ad", "system": "chad", "value": …, "gradient": […],
"operations": {"primal": 2, "derivative": 10}, "size": …, "counters": {…}, "apart": …, "seconds": …}`, with a gradient for each
parameter. With `along` it has `tangent` instead of `gradient`; a rejection has `refused` and `code`; the stages of a program
are in `forms` and its steps in `steps`.
""",
)
