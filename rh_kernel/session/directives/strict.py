"""``%strict``: whether a function is undefined where it is not smooth."""

from dataclasses import replace

from rh_kernel.session.actions import AnalysisContext, ChangeSettings
from rh_kernel.session.directives.arguments import choice
from rh_kernel.session.directives.directive import Directive
from rh_kernel.syntax import surface_items as items


def _analyze(item: items.Directive, context: AnalysisContext) -> ChangeSettings:
    word = choice(item, "on", "off")
    settings = context.settings if word is None else replace(context.settings, strict=word == "on")
    if settings.strict:
        text = "strict is on: a function is undefined where it is not smooth, and reduction is stuck there"
    else:
        text = "strict is off: a function has a value and a slope even where it is not smooth"
    return ChangeSettings(settings, text)


DIRECTIVE = Directive(
    "strict",
    "on|off",
    "whether a function is undefined where it is not smooth",
    _analyze,
    order=320,
    example="%strict",
    details="""
After `%strict on` a function has no value where it is not smooth, as in PSmooth (Def. E.4 of the paper): a value, a trace, a
training step and an `rd[f]` are stuck there, with [RH203](errors.md#rh203-undefined-point). `rh run --strict` starts with it.
[The function symbols](symbols.md) list these points for each symbol.
""",
)
