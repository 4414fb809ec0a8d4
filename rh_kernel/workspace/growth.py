"""``rh.growth(family, sizes, "chad", "chad visits")`` for Python: counts of systems over the sizes of programs."""

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from types import MappingProxyType

from rh_kernel.ad.growth import Growth as Found
from rh_kernel.display.laboratory.growth import growth_html, growth_text
from rh_kernel.session.sections.growing import count, grown
from rh_kernel.session.session import Session
from rh_kernel.source.diagnostic import Failure
from rh_kernel.workspace.errors import Wrong


@dataclass(frozen=True, slots=True, repr=False)
class Growth:
    """How counts grow: a notebook shows curves, a terminal a table."""

    found: Found

    @property
    def sizes(self) -> tuple[int, ...]:
        """The sizes that were tried."""
        return self.found.sizes

    @property
    def counts(self) -> Mapping[str, tuple[int | None, ...]]:
        """The counts for these sizes, by their names, e.g. ``"chad visits"``; ``None`` where the work came to no end."""
        return MappingProxyType({curve.label: curve.values for curve in self.found.curves})

    @property
    def text(self) -> str:
        """What a terminal shows."""
        return growth_text(self.found)

    @property
    def html(self) -> str:
        """What a notebook shows; it needs no script and no address outside."""
        return growth_html(self.found)

    def _repr_mimebundle_(self, include: object = None, exclude: object = None) -> dict[str, str]:
        """Every form, for front ends that choose one themselves."""
        del include, exclude
        return {"text/plain": self.text, "text/html": self.html}

    def __str__(self) -> str:
        return self.text

    def __repr__(self) -> str:
        return self.text


def measured(session: Session, family: Callable[[int], str], sizes: Iterable[int], counts: Iterable[str]) -> Growth:
    """The counts of a family of programs. Raises ``Wrong``."""
    try:
        asked = tuple(count(text) for text in counts)
        return Growth(grown(((n, family(n)) for n in sizes), asked, session.context))
    except Failure as failure:
        raise Wrong(*failure.diagnostics) from None
