"""``rh.growth(family, sizes, "chad", "chad visits")``: operation counts of AD systems as programs grow."""

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from types import MappingProxyType

from rh_kernel.ad.growth import Growth as Found
from rh_kernel.display.lambda_cells.growth import growth_html, growth_text
from rh_kernel.session.sections.growing import count, grown
from rh_kernel.session.session import Session
from rh_kernel.source.diagnostic import Failure
from rh_kernel.workspace.errors import Wrong


@dataclass(frozen=True, slots=True, repr=False)
class Growth:
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

    def _repr_mimebundle_(self, include: object = None, exclude: object = None) -> dict[str, str]:
        """Every MIME type, for front ends that choose one themselves."""
        del include, exclude
        return {"text/plain": self.text, "text/html": self.html}

    def __str__(self) -> str:
        return self.text

    def __repr__(self) -> str:
        return self.text


def measured(session: Session, family: Callable[[int], str], sizes: Iterable[int], counts: Iterable[str]) -> Growth:
    """Return the counts of a family of programs. Raises ``Wrong``."""
    try:
        asked = tuple(count(text) for text in counts)
        return Growth(grown(((n, family(n)) for n in sizes), asked, session.context))
    except Failure as failure:
        raise Wrong(*failure.diagnostics) from None
