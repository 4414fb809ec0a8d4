"""``%dtype``: the precision of compiled programs and training runs."""

from dataclasses import replace

from rh_kernel.session.actions import AnalysisContext, ChangeSettings
from rh_kernel.session.directives.arguments import choice
from rh_kernel.session.directives.directive import Directive
from rh_kernel.session.settings import Settings
from rh_kernel.syntax import surface_items as items


def _analyze(item: items.Directive, context: AnalysisContext) -> ChangeSettings:
    settings = context.settings
    match choice(item, "float64", "float32"):
        case "float64" | "float32" as precision:
            settings = replace(settings, precision=precision)
        case _:
            pass
    return ChangeSettings(settings, _dtype_text(settings))


def _dtype_text(settings: Settings) -> str:
    what = f"the dtype is {settings.precision}: compiled programs and training runs compute with"
    match settings.precision:
        case "float64":
            return f"{what} about 16 digits"
        case "float32":
            return f"{what} about 7 digits, and what they put on the heap is rounded to them"


DIRECTIVE = Directive(
    "dtype",
    "float64|float32",
    "the precision of compiled programs and training runs",
    _analyze,
    order=350,
    example="%dtype",
    details="""
In float32 compiled programs and training runs compute with half the memory, up to twice as fast on a CPU and more on a GPU.
Declarations stay exact: only what such a run returns or writes to the heap is rounded. Traces, `stepped` and `denoted`
evaluation, and diagrams are always in float64. `rh run --dtype float32` starts with it.
""",
)
