"""``rh.growth(family, sizes, "chad", "chad visits")``: operation counts of AD systems as programs grow."""

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from types import MappingProxyType

from rh_kernel.ad.errors import CannotDo
from rh_kernel.ad.growth import Case, Count, growth
from rh_kernel.ad.growth import Growth as Found
from rh_kernel.ad.registry import system
from rh_kernel.display.lambda_cells.growth import growth_html, growth_text
from rh_kernel.session.actions import AnalysisContext
from rh_kernel.session.sections.differentiation import Differentiate
from rh_kernel.session.sections.lambda_cells import DeclareFunction, analyze
from rh_kernel.session.session import Session
from rh_kernel.source.diagnostic import Failure, Rejected
from rh_kernel.source.span import Source
from rh_kernel.syntax.parsing.parser import parse
from rh_kernel.syntax.parsing.tokens import LAMBDA_SECTION
from rh_kernel.syntax.surface_items import SectionItem
from rh_kernel.workspace.errors import Wrong
from rh_kernel.workspace.outcome import Displayed

DEFAULT_COUNT = "operations"


@dataclass(frozen=True, slots=True, repr=False)
class Growth(Displayed):
    """How counts grow with program size: curves in a notebook, a table in a terminal."""

    found: Found

    @property
    def sizes(self) -> tuple[int, ...]:
        """The sizes measured."""
        return self.found.sizes

    @property
    def counts(self) -> Mapping[str, tuple[int | None, ...]]:
        """The counts at these sizes by name, e.g. ``"chad visits"``; ``None`` where a system got stuck."""
        return MappingProxyType({curve.label: curve.values for curve in self.found.curves})

    @property
    def text(self) -> str:
        """The plain text for a terminal."""
        return growth_text(self.found)

    @property
    def html(self) -> str:
        """The HTML for a notebook, self-contained: no scripts, no external URLs."""
        return growth_html(self.found)


def measured(session: Session, family: Callable[[int], str], sizes: Iterable[int], counts: Iterable[str]) -> Growth:
    """Return the counts of a family of programs. Raises ``Wrong``."""
    try:
        asked = tuple(_count(text) for text in counts)
        return Growth(growth((_case(size, family(size), session.context) for size in sizes), asked))
    except Failure as failure:
        raise Wrong(*failure.diagnostics) from None


def _count(text: str) -> Count:
    """Parse ``"chad"`` or ``"chad visits"``: the name of a system, and of what it counts. Raises ``Rejected``."""
    name, _, what = text.strip().partition(" ")
    return Count(system(name), what.strip() or DEFAULT_COUNT)


def _case(size: int, text: str, context: AnalysisContext) -> Case:
    """Analyze the text of a ``%%lambda`` cell that ends in ``%ad all f(…)``. Raises ``Failure``."""
    found: Case | None = None
    for item in parse(Source("program", text if text.startswith(LAMBDA_SECTION) else f"{LAMBDA_SECTION}\n{text}")):
        if not isinstance(item, SectionItem) or item.section != LAMBDA_SECTION:
            continue
        match analyze(item.span, context):
            case DeclareFunction() as declared:
                context = declared.after(context)
            case Differentiate(program=program, point=point, direction=direction, along=False):
                found = Case(size, program, point, direction)
            case _:
                pass
    if found is None:
        hint = "end the text with a gradient: `%ad all f(…)`"
        raise Rejected(CannotDo(system="growth", what="runs the last line of a text, %ad all f(…)", hint=hint))
    return found
