"""A family of programs of the laboratory, given as texts of ``%%lambda`` cells, and how the counts of systems grow in it."""

from collections.abc import Iterable, Iterator

from rh_kernel.ad.errors import CannotDo
from rh_kernel.ad.growth import Case, Count, Growth, growth
from rh_kernel.ad.registry import system
from rh_kernel.session.actions import AnalysisContext
from rh_kernel.session.sections.differentiation import Differentiate
from rh_kernel.session.sections.lambda_cells import DeclareFunction, analyze
from rh_kernel.source.diagnostic import Rejected
from rh_kernel.source.span import Source
from rh_kernel.syntax.parsing.parser import parse
from rh_kernel.syntax.parsing.tokens import LAMBDA_SECTION
from rh_kernel.syntax.surface_items import SectionItem

OPERATIONS = "operations"
"""What a system counts if nothing else is asked for."""


def count(text: str) -> Count:
    """``"chad"`` or ``"chad visits"``: the name of a system, and of what it counts. Raises ``Rejected``."""
    name, _, what = text.strip().partition(" ")
    return Count(system(name), what.strip() or OPERATIONS)


def grown(texts: Iterable[tuple[int, str]], counts: tuple[Count, ...], context: AnalysisContext) -> Growth:
    """The counts of each program; a text declares functions and ends in ``%ad all f(…)``. Raises ``Failure``."""
    return growth(_cases(texts, context), counts)


def _cases(texts: Iterable[tuple[int, str]], context: AnalysisContext) -> Iterator[Case]:
    for size, text in texts:
        yield _case(size, text, context)


def _case(size: int, text: str, context: AnalysisContext) -> Case:
    found: Case | None = None
    items = parse(Source("program", text if text.startswith(LAMBDA_SECTION) else f"{LAMBDA_SECTION}\n{text}"))
    for item in items:
        if not isinstance(item, SectionItem) or item.section != LAMBDA_SECTION:
            continue
        match analyze(item.span, context):
            case DeclareFunction() as declared:
                context = declared.after(context)
            case Differentiate(_, program, point, direction, along=False):
                found = Case(size, program, point, direction)
            case _:
                pass
    if found is None:
        hint = "end the text with a gradient: `%ad all f(…)`"
        raise Rejected(CannotDo(system="growth", what="runs the last line of a text, %ad all f(…)", hint=hint))
    return found
