"""``%data "name"``: the types, the ranges and the first samples of a data set."""

from collections.abc import Generator, Sequence
from dataclasses import replace
from pathlib import PurePath

import numpy as np

from rh_kernel.session.actions import Action, AnalysisContext, Run, State
from rh_kernel.session.data_summary import Component, DataShown
from rh_kernel.session.directives.arguments import invalid_arguments
from rh_kernel.session.directives.directive import Directive
from rh_kernel.session.limits.budget import byte_limit
from rh_kernel.session.limits.timing import working
from rh_kernel.session.results import Notice, Shown, Working
from rh_kernel.source.diagnostic import Rejected
from rh_kernel.source.records import frozen
from rh_kernel.syntax import surface_items as items
from rh_kernel.training.data import DataSet, loading_named
from rh_kernel.training.samples import Summary, summarising
from rh_kernel.training.sources import InMemory

FIRST = 8
"""The most samples that are shown."""

MOST_REALS = 1 << 16
"""The most numbers of a component that are shown, if one sample has no more."""


@frozen
class ShowData(Action):
    """``%data "name"``, and a ``notice`` about the file if there is one"""

    shown: DataShown
    notice: str

    def run(self, number: int, state: State) -> Run:
        """Show the data set."""
        if self.notice:
            yield Shown(number, Notice(self.notice))
        yield Shown(number, self.shown)
        return state


def _analyze(item: items.Directive, context: AnalysisContext) -> Generator[Working, None, ShowData]:
    names = [word.rstrip(",") for word in item.words if word != ","]
    if not names:
        hint = 'for example `%data "digits"`'
        raise invalid_arguments("data", item.span, "the name of a data set, or its files", "nothing", hint)
    blocks = loading_named(names, _called(names), context.folder, context.given, item.span, byte_limit(context.settings))
    data = yield from working(blocks, "reading data", lambda text: text or "")
    try:
        summaries = yield from working(summarising(data), "reading data", lambda text: text or "")
        components = [_component(data, name, summaries[name]) for name in data.sources]
    except Rejected as failure:
        raise Rejected(*[replace(d, span=d.span or item.span) for d in failure.diagnostics]) from None
    return ShowData(DataShown(data.name, data.size, tuple(components)), data.notice)


def _called(names: Sequence[str]) -> tuple[str, ...]:
    """Names for arrays that have none, one in each file: those of the files if they can be names and differ, else x0, x1, …"""
    stems = tuple([PurePath(name).name.partition(".")[0] for name in names])
    return (
        stems
        if len({*stems}) == len(stems) and all(map(str.isidentifier, stems))
        else tuple([f"x{i}" for i in range(len(names))])
    )


def _component(data: DataSet, name: str, summary: Summary) -> Component:
    source = data.sources[name]
    each = max(1, int(np.prod(source.shape[1:])))
    first = source.take(np.arange(min(FIRST, source.shape[0], max(1, MOST_REALS // each))))
    in_memory = isinstance(source, InMemory)
    return Component(
        name, str(data.types[name]), str(source.dtype), in_memory, summary.low, summary.high, summary.counts, first
    )


DIRECTIVE = Directive(
    "data",
    "data…",
    "the types, ranges and classes of a data set, and its first samples, as pictures where they are pictures",
    _analyze,
    checks_live=False,
    order=245,
    example="""
%data "spiral"
""",
    details="""
Several files of one array each stand behind one another, as in `data("x.npy", "t.npy")`. A component whose samples have one 1
and otherwise 0 is one-hot: for it there are the numbers of samples of its classes. A sample is shown as a picture if it is a
matrix, has the shape (1, h, w) or (3, h, w), or is a vector of 16 or more entries whose number is a square. Data that does not
fit into memory is read once, in blocks, and stays in its file.
""",
)
