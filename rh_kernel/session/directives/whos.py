"""``%whos``: every name that was declared."""

from rh_kernel.session.actions import AnalysisContext, Answer
from rh_kernel.session.directives.directive import Directive
from rh_kernel.session.directives.words import expect_no_words
from rh_kernel.session.names import names_shown
from rh_kernel.session.results import NamesShown
from rh_kernel.syntax import surface_items as items


def _analyze(item: items.Directive, context: AnalysisContext) -> Answer:
    expect_no_words(item)
    return Answer(NamesShown(names_shown(context.definitions, context.functions, context.effects)))


DIRECTIVES = (
    Directive(
        "whos",
        "",
        "every name that was declared: its type, its place, and whether what it was made from has changed since",
        _analyze,
    ),
)
