"""``%compile``: the program of a term, a command or a training run, what each pass makes of it, and what each step takes."""

from collections.abc import Generator, Mapping

import numpy as np

from rh_kernel.arrays.backends import backend_for
from rh_kernel.arrays.execution import machine
from rh_kernel.arrays.numpy_backend.backend import NumPy
from rh_kernel.arrays.passes import Pass, passes
from rh_kernel.arrays.planning.profiling import profile
from rh_kernel.arrays.program import Program
from rh_kernel.session.actions import Closed
from rh_kernel.session.evaluating import span_of, translated
from rh_kernel.session.limits.budget import check_size, longest
from rh_kernel.session.limits.timing import working
from rh_kernel.session.results import ProgramMade, Working
from rh_kernel.session.settings import Settings
from rh_kernel.session.train import Train
from rh_kernel.source.diagnostic import KernelBug, Stuck
from rh_kernel.source.span import Span
from rh_kernel.syntax.core import Array
from rh_kernel.syntax.runtime_errors import placed
from rh_kernel.syntax.signature import Location
from rh_kernel.syntax.types import Type
from rh_kernel.syntax.unhandled_hints import with_handlers
from rh_kernel.training.batches import for_one


class _Subject:
    """What is compiled: a program, where it is written, the type of its result, and for how many ``samples`` and which."""

    def __init__(self, subject: Closed | Train, settings: Settings) -> None:
        self.samples: int | None = None
        self.inputs: tuple[Array, ...] = ()
        self.type: Type | None = None
        self.span: Span | None
        match subject:
            case Train(run, sets, span):
                data = sets[run.data]
                self.samples, self.span = min(run.batch, data.size), span
                self.inputs = tuple([data.arrays[name][: self.samples] for name, _ in run.sample])
                try:
                    self.translated = for_one(run.command, run.sample, data, strict=settings.strict, longest=longest(settings))
                except Stuck as failure:
                    raise placed(with_handlers(failure, run.command), span) from None
            case closed:
                self.translated, self.span, self.type = translated(closed, settings), span_of(closed), closed.type


def made(
    compiled: Closed | Train, shows: str, heap: Mapping[Location, Array], settings: Settings
) -> Generator[Working, None, ProgramMade]:
    """What ``%compile`` shows. A profile runs on a copy of the heap, of a training run on its first batch.

    Raises ``Stuck``, with a place, as evaluation and training do, and ``Rejected`` as training does.
    """
    yield Working("compiling")
    subject = _Subject(compiled, settings)
    samples, precision = subject.samples, settings.precision
    backend = backend_for(settings.device)
    found = passes(subject.translated, samples, precision, matrices=backend.prefers_gemm)
    program = next((p.form for p in found if p.made_by in {Pass.SIMPLIFIED, Pass.BATCHED}), None)
    if not isinstance(program, Program):
        raise KernelBug("a pass left no program")
    if shows != "profile":
        return ProgramMade(program, subject.type, found, in_full=shows == "passes", samples=samples)
    ready = machine(program, heap, precision, backend)
    check_size(ready.plan(samples).size, "what is computed here", subject.span, settings)
    inputs = [np.ascontiguousarray(array, precision) for array in subject.inputs]
    try:
        times = yield from working(profile(ready, samples, inputs), "measuring")
    except Stuck as failure:
        raise placed(failure, subject.span) from None
    place = "NumPy" if isinstance(backend, NumPy) else "the graphics card"
    return ProgramMade(program, subject.type, found, profile=times, place=place, samples=samples)
