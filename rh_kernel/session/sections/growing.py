"""A family of programs of the laboratory, given as texts of ``%%lambda`` cells, and how the counts of systems grow in it."""

from collections.abc import Iterable, Iterator

from rh_kernel.ad.errors import CannotDo
from rh_kernel.ad.growth import Case, Count, Growth, growth
from rh_kernel.ad.systems import system
from rh_kernel.session.plans import DeclareFunction, Differentiate, Surroundings
from rh_kernel.session.sections.laboratory import plan
from rh_kernel.source.diagnostic import Rejected
from rh_kernel.source.span import Source
from rh_kernel.syntax.parsing.parser import parse
from rh_kernel.syntax.parsing.tokens import LABORATORY
from rh_kernel.syntax.surface_items import SectionItem

OPERATIONS = "operations"
"""What a system counts if nothing else is asked for."""


def count(text: str) -> Count:
    """``"chad"`` or ``"chad visits"``: the name of a system, and of what it counts. Raises ``Rejected``."""
    name, _, what = text.strip().partition(" ")
    return Count(system(name), what.strip() or OPERATIONS)


def grown(texts: Iterable[tuple[int, str]], counts: tuple[Count, ...], around: Surroundings) -> Growth:
    """The counts of each program; a text declares functions and ends in ``%ad all f(…)``. Raises ``Failure``."""
    return growth(_cases(texts, around), counts)


def _cases(texts: Iterable[tuple[int, str]], around: Surroundings) -> Iterator[Case]:
    for size, text in texts:
        yield _case(size, text, around)


def _case(size: int, text: str, around: Surroundings) -> Case:
    found: Case | None = None
    items = parse(Source("program", text if text.startswith(LABORATORY) else f"{LABORATORY}\n{text}"))
    for item in items:
        if not isinstance(item, SectionItem) or item.section != LABORATORY:
            continue
        match plan(item.span, around):
            case DeclareFunction() as declared:
                around = around.after(declared)
            case Differentiate(_, program, point, direction, along=False):
                found = Case(size, program, point, direction)
            case _:
                pass
    if found is None:
        hint = "end the text with a gradient: `%ad all f(…)`"
        raise Rejected(CannotDo(system="growth", what="runs the last line of a text, %ad all f(…)", hint=hint))
    return found
