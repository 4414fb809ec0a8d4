"""One run of a sweep: the items of a job as a cell of their own, with the numbers of the run."""

import time
from collections.abc import Generator
from dataclasses import replace

from rh_kernel.primitives.values import to_array
from rh_kernel.session.results import Event, ItemFailed, Shown, TrainingDone, ValueFound
from rh_kernel.session.session import Session, run_items
from rh_kernel.session.settings import unlocked
from rh_kernel.session.sweeps.jobs import Job, Values, of_run
from rh_kernel.session.sweeps.runs import SweepRun
from rh_kernel.source.diagnostic import Diagnostic
from rh_kernel.syntax.types import SCALAR


def run(job: Job, values: Values) -> Generator[Event, None, SweepRun]:
    """Run the items with these numbers; yield their events, and return what a sweep reports of them."""
    session = Session(job.folder, of_run(job, values), job.heap, job.initial, job.given, unlocked(job.settings))
    began = time.monotonic()
    measures: list[tuple[str, tuple[float, ...]]] = []
    results: list[tuple[str, float]] = []
    failed: tuple[Diagnostic, ...] = ()
    for event in run_items(session, job.items):
        match event:
            case Shown(_, TrainingDone(measures=curves)):
                measures += curves
            case Shown(number, ValueFound(type=A, value=V)) if A == SCALAR:
                text = " ".join(job.items[number - 1].span.text.split())
                results.append((text, float(to_array(V)[0])))
            case Shown(_, ItemFailed(diagnostics)):
                failed += diagnostics
            case _:
                pass
        yield event
    found = SweepRun(values, tuple(measures), tuple(results), failed, time.monotonic() - began)
    return replace(found, measures=(), results=()) if failed else found
