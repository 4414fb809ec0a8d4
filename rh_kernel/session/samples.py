"""``P for (x, t) in D`` in a directive: analysis reads the data, on which types depend; P runs on all samples."""

from collections.abc import Generator, Mapping
from dataclasses import replace

from rh_kernel.session.actions import AnalysisContext, State
from rh_kernel.session.errors import CannotShow
from rh_kernel.session.limits.budget import allowed, allowed_by, byte_limit, compile_options
from rh_kernel.session.limits.timing import working
from rh_kernel.session.results import Working
from rh_kernel.source.diagnostic import Diagnostic, KernelBug, Rejected, Stuck
from rh_kernel.source.records import frozen
from rh_kernel.source.span import Span
from rh_kernel.syntax import surface_items as items
from rh_kernel.syntax.core import Array
from rh_kernel.syntax.runtime_errors import placed
from rh_kernel.syntax.types import Type
from rh_kernel.syntax.unhandled_hints import with_handlers
from rh_kernel.training.data import DataSet, loading_named
from rh_kernel.training.outputs import outputs
from rh_kernel.typing.elaboration.items import SampledCommand, elaborate_sampled, sample_names
from rh_kernel.typing.errors import BadTraining


@frozen
class Sampled:
    """A command for each sample, with the data; the spans of the command and of the pattern."""

    run: SampledCommand
    data: DataSet
    span: Span
    pattern: Span

    def outputs(self, state: State) -> Generator[Working, None, Array]:
        """Return the result for each sample, (N, d1, …, dk), without effect on the heap. Raises ``Failure``, with a span."""
        settings, run = state.settings, self.run
        slices = outputs(
            run.command,
            [name for name, _ in run.sample],
            self.data,
            state.heap,
            allowed(settings),
            options=compile_options(settings),
            precision=settings.precision,
            device=settings.device,
            by=allowed_by(settings),
        )
        yield Working("compiling")
        try:
            return (yield from working(slices, "running the net", lambda n: f"{n:,} of {self.data.size:,} samples"))
        except Rejected as failure:
            raise Rejected(*[replace(d, span=d.span or self.span) for d in failure.diagnostics]) from None
        except Stuck as failure:
            raise placed(with_handlers(failure, run.command), self.span) from None


def analyze_sampled(item: items.Directive, context: AnalysisContext) -> Generator[Working, None, Sampled]:
    """Read the data and return the command for its samples. Raises ``Failure``."""
    if item.argument is None or item.pattern is None or item.data is None:
        raise KernelBug("a directive for samples has a command, a pattern and data")
    written, names = item.data, sample_names(item.pattern)
    blocks = loading_named(written.names, names, context.folder, context.given, written.span, byte_limit(context.settings))
    data = yield from working(blocks, "reading data", lambda text: text or "")

    def sample_types(_name: str, _span: Span) -> Mapping[str, Type]:
        return data.types

    try:
        run = elaborate_sampled(context.definitions, item.argument, item.pattern, written, sample_types)
    except Rejected as failure:
        raise Rejected(*[_about_data(d) for d in failure.diagnostics]) from None
    return Sampled(run, data, item.argument.span, item.pattern.span)


def _about_data(d: Diagnostic) -> Diagnostic:
    """Return what is wrong with the pattern of a training run as an error of a directive."""
    if not isinstance(d, BadTraining):
        return d
    return CannotShow(span=d.span, why=d.why, found=d.found, expected=d.expected, hint=d.hint)
