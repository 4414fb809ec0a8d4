"""``%compile P``, ``%compile train P for …``: the array program, the result of each pass, and the time of each step."""

from collections.abc import Generator, Mapping
from dataclasses import replace
from typing import Literal, TypeAlias

import numpy as np

from rh_kernel.arrays.backends import backend_for
from rh_kernel.arrays.costs import estimate
from rh_kernel.arrays.draws import drawn, reals_of
from rh_kernel.arrays.execution import machine
from rh_kernel.arrays.program import Program
from rh_kernel.session.actions import Action, Analysis, AnalysisContext, Closed, Run, State, type_summary
from rh_kernel.session.directives.arguments import needs_expression
from rh_kernel.session.directives.directive import Directive
from rh_kernel.session.evaluate import span_of, translated
from rh_kernel.session.limits.budget import check_size, compile_options
from rh_kernel.session.limits.timing import working
from rh_kernel.session.results import ProgramMade, Result, Shown, Working
from rh_kernel.session.settings import Settings
from rh_kernel.session.train import Train, analyze_training
from rh_kernel.source.diagnostic import KernelBug, Stuck
from rh_kernel.source.records import frozen
from rh_kernel.source.span import Span
from rh_kernel.syntax import surface_items as items
from rh_kernel.syntax.core import Array
from rh_kernel.syntax.runtime_errors import placed
from rh_kernel.syntax.signature import Location
from rh_kernel.syntax.types import Type
from rh_kernel.syntax.unhandled_hints import with_handlers
from rh_kernel.training.batches import for_one
from rh_kernel.typing.elaboration.items import elaborate_evaluation

Shows: TypeAlias = Literal["", "passes", "profile"]
"""What ``%compile`` shows in addition to the program."""


@frozen
class Compile(Action):
    """``%compile P``, ``%compile train P for …``; ``shows`` is the option after ``--``, if any"""

    compiled: Closed | Train
    shows: Shows = ""

    @property
    def subject(self) -> Closed | None:
        """The term or command, unless it is trained."""
        return None if isinstance(self.compiled, Train) else self.compiled

    def summary(self, text: str) -> Result:
        """Return the summary of the training run, or the type."""
        return self.compiled.summary(text) if isinstance(self.compiled, Train) else type_summary(text, self.compiled.type)

    def run(self, number: int, state: State) -> Run:
        """Show the program, without effect on the state. Raises ``Failure``."""
        yield Shown(number, (yield from _compiled(self.compiled, self.shows, state.heap, state.settings)))
        return state


class _Translated:
    """The program of a subject before any pass, with its span and the type of its result.

    For a training run of ``epochs`` epochs on ``size`` samples, ``samples`` is the size of a batch, and ``inputs`` are the
    arrays of the first one.
    """

    def __init__(self, subject: Closed | Train, settings: Settings) -> None:
        self.samples: int | None = None
        self.inputs: tuple[Array, ...] = ()
        self.type: Type | None = None
        self.span: Span | None
        self.epochs = self.size = 0
        match subject:
            case Train(run, sets, span):
                data = sets[run.data]
                self.samples, self.span = min(run.batch, data.size), span
                self.epochs, self.size = run.epochs, data.size
                self.inputs = tuple([data.arrays[name][: self.samples] for name, _ in run.sample])
                try:
                    self.program = for_one(run.command, run.sample, data, compile_options(settings))
                except Stuck as failure:
                    raise placed(with_handlers(failure, run.command), span) from None
            case closed:
                self.program, self.span, self.type = translated(closed, settings), span_of(closed), closed.type


def _compiled(
    subject: Closed | Train, shows: Shows, heap: Mapping[Location, Array], settings: Settings
) -> Generator[Working, None, ProgramMade]:
    """Return the result of ``%compile``. A profile runs on a copy of the heap, and on the first batch of a training run.

    Raises ``Stuck``, with a span, as evaluation and training do, and ``Rejected`` as training does.
    """
    # Completion and %help import this module, and need none of these.
    from rh_kernel.arrays.native.compiled import NativeRunner
    from rh_kernel.arrays.passes import Pass, passes
    from rh_kernel.arrays.planning.profiling import profile

    yield Working("compiling")
    source = _Translated(subject, settings)
    samples, precision = source.samples, settings.precision
    backend = backend_for(settings.device)
    found = passes(source.program, samples, precision, matrices=backend.prefers_gemm)
    program = next((p.form for p in found if p.made_by in {Pass.SIMPLIFIED, Pass.BATCHED}), None)
    if not isinstance(program, Program):
        raise KernelBug("a pass left no program")
    if shows != "profile":
        return ProgramMade(program, source.type, found, in_full=shows == "passes", samples=samples)
    if samples is not None:
        batches = -(-source.size // samples)
        backend = backend_for(settings.device, source.epochs * estimate(program, batches, source.size))
    ready = machine(program, heap, precision, backend)
    size = ready.plan(samples).size + (samples or 1) * reals_of(program.draws)
    check_size(size, "what is computed here", source.span, settings)
    inputs = [np.ascontiguousarray(array, precision) for array in source.inputs]
    inputs += drawn(program.draws, heap, precision, samples)
    try:
        times = yield from working(profile(ready, samples, inputs), "measuring")
    except Stuck as failure:
        raise placed(failure, source.span) from None
    runner = ready.runner(samples)
    is_native = isinstance(runner, NativeRunner)
    if is_native:
        times = replace(times, choices=tuple(runner.choices))
    place = "the GPU" if backend.is_device else "machine code" if is_native else "NumPy"
    return ProgramMade(program, source.type, found, profile=times, place=place, samples=samples)


def _analyze(item: items.Directive, context: AnalysisContext) -> Analysis:
    shows = _option(item)
    if item.training is None:
        return Compile(elaborate_evaluation(context.definitions, needs_expression(item)), shows)
    return _analyze_training(item.training, context, shows)


def _analyze_training(item: items.TrainItem, context: AnalysisContext, shows: Shows) -> Generator[Working, None, Action]:
    return Compile((yield from analyze_training(item, context)), shows)


def _option(item: items.Directive) -> Shows:
    match item.words:
        case ("passes" | "profile" as option,):
            return option
        case _:
            return ""


DIRECTIVE = Directive(
    "compile",
    "[--passes|--profile] P",
    "the straight-line program that runs, or that of a batch of `train P for …`, with operation counts; the program "
    "after each pass; what each step takes",
    _analyze,
    order=150,
    example="""
loc w : Real(2) = [1, 2]
%compile let v <= Get[w]() in return dot(v, v) + 1
""",
    details="""
Nothing runs. Constants are folded, so a closed term is often one number. The table below the program has a row for each
compiler pass: symbolic execution of the command, simplification, decomposition of functions into simpler ones, lowering to
loops over views, loop fusion, in-place updates, buffer allocation. It counts operations (one for each instruction of a loop
at each entry, two for each multiply-add), the bytes that all steps read and write, and the reals in temporaries.

`%compile --passes P` shows the program after each pass. The steps of a plan are written as on paper:
`t2[i] = Σⱼ w0[i, j] · x[j]` for all the indices shown beside it, `t4 = t2 · σ(t2)` entrywise, and `w0[i, j] -= t7[i] · x[j]`
in place. `x[2 i + j]` is the entry with that number in row-major order.

`%compile --profile P` runs P on a copy of the heap, so nothing changes, and measures each step. Beside it is the prediction
of a simple roofline model: the calls of a step times the cost of a call, plus the bytes at memory bandwidth or the operations
at peak rate, whichever takes longer. The three constants are measured each time, by an addition of a few numbers, a copy and
a matrix product. An exponential counts as one operation but takes as long as many: a step that takes longer than predicted
often contains σ. `%compile train P for (x, t) in D batch b` is the program of a batch, and nothing is trained. Its second row
is the batching pass: what depends on the sample gets a batch axis, everything else is computed once, and the mean of the
changes is taken as early as possible: `w - outer(y, x)` of each sample becomes `mean_outer`, one matrix product for all of
them. A profile runs on the first batch, and by what the whole training run would use: NumPy, machine code or the GPU. Below the
profile of machine code is a line for each large matrix product: whether generated code or the BLAS that NumPy carries is faster
on this machine, which is measured once and kept with the compiled code; `RH_GEMM=own` or `RH_GEMM=blas` in the environment
chooses without measuring.

Of a listing with more than 300 lines (60 with `--passes`), both ends are shown; of a profile, the slowest steps.
`rh compile FILE`, `rh compile FILE --passes` and `rh compile FILE --profile` show all of it, for the last command or training
run of a file.
""",
)
