"""What it costs to record a training run: ``python -m tests.benchmarks.flow`` trains the U-net for 1,000 batches.

Runs of ``train`` and of ``%flow train`` alternate in one process, after a run of each that is not counted. The times are those
of the whole cell, and their medians are compared; on a busy machine the ratio of the processor times says more.
"""

import argparse
import json
import statistics
import sys
import time
import tracemalloc
from dataclasses import dataclass, replace
from pathlib import Path

import numpy as np

from rh_kernel.display.live.flow import FlowView
from rh_kernel.display.registry import bundle
from rh_kernel.session.flow.probe import Probe
from rh_kernel.session.flow.records import FlowMade
from rh_kernel.session.results import results
from rh_kernel.session.session import Session, execute
from rh_kernel.source.span import Source
from rh_kernel.syntax.parsing.parser import parse
from rh_kernel.syntax.surface_items import TrainItem
from rh_kernel.training.samples import data_set
from rh_kernel.typing.elaboration.items import elaborate_training
from tests.benchmarks import texts
from tests.benchmarks.problems import UNET, Floats, Problem

BATCHES = 1000
EPOCHS = 20


def main() -> None:
    """Print a line for each size of a batch."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--batch", type=int, nargs="+", default=[1, 32])
    parser.add_argument("--runs", type=int, default=5, help="counted runs with and without recording")
    arguments = parser.parse_args()
    sys.stdout.write(f"{UNET.name}, {BATCHES:,} batches, {EPOCHS} epochs" + "\n")
    for batch in arguments.batch:
        sys.stdout.write(measured(batch, arguments.runs) + "\n")


def measured(batch: int, runs: int) -> str:
    """The times with and without recording, what is kept, and what is sent to a page."""
    problem = Problem("W5", UNET, batch, 0.02)
    given = _data(batch)
    session = _declared(problem, given)
    item = texts.training(problem, EPOCHS).replace("batch.npz", "signals")
    plain, recorded, made = list[_Times](), list[_Times](), list[FlowMade]()
    for run in range(runs + 1):
        without, _ = _timed(session, item)
        with_flow, found = _timed(session, f"%flow {item}")
        if run:
            plain.append(without)
            recorded.append(with_flow)
            made += [found] if found is not None else []
    ratios = sorted([b.wall / a.wall for a, b in zip(plain, recorded, strict=True)])
    processor = statistics.median([b.processor / a.processor for a, b in zip(plain, recorded, strict=True)])
    one = made[-1]
    page, saved = len(json.dumps(FlowView(one).opening())), len(bundle(one)["text/html"])
    frames = statistics.median([len(found.frames) for found in made])
    return (
        f"batch {batch}: train {_median(plain):.2f} s, recorded {_median(recorded):.2f} s, "
        f"ratio {statistics.median(ratios):.2f} ({ratios[0]:.2f} to {ratios[-1]:.2f}), of processor times {processor:.2f}; "
        f"{frames:g} frames of {len(one.boxes)} boxes, {one.sizes.nbytes / 1000:.1f} kB kept, "
        f"{_peak(problem, session, given) / 1e6:.2f} MB during a pass; "
        f"{page / 1000:.0f} kB to a page, {saved / 1000:.0f} kB saved"
    )


@dataclass(frozen=True, slots=True)
class _Times:
    """Seconds by the clock, and of all threads of this process."""

    wall: float
    processor: float


def _median(times: list[_Times]) -> float:
    return statistics.median([each.wall for each in times])


def _data(batch: int) -> dict[str, Floats]:
    rng = np.random.default_rng(0)
    x = rng.normal(size=(batch * BATCHES // EPOCHS, *UNET.ends[0]))
    return {"x": x, "t": np.tanh(x)}


def _declared(problem: Problem, given: dict[str, Floats]) -> Session:
    start = replace(Session.start(Path.cwd()), given={"signals": given})
    return _end(start, texts.declarations(problem.net, texts.drawn))[1]


def _timed(session: Session, text: str) -> tuple[_Times, FlowMade | None]:
    began, busy = time.perf_counter(), time.process_time()
    made, _ = _end(session, text)
    return _Times(time.perf_counter() - began, time.process_time() - busy), made


def _end(session: Session, text: str) -> tuple[FlowMade | None, Session]:
    events, found = execute(session, Source("bench", text)), list[FlowMade]()
    while True:
        try:
            event = next(events)
        except StopIteration as end:
            return (found[-1] if found else None), end.value
        found += [result for result in results([event]) if isinstance(result, FlowMade)]


def _peak(problem: Problem, session: Session, given: dict[str, Floats]) -> float:
    """Bytes that a pass takes at most, beside its diagram."""
    data = data_set("signals", given)
    (item,) = parse(Source("bench", texts.training(problem)))
    assert isinstance(item, TrainItem)
    probe = Probe(elaborate_training(session.definitions, item, lambda _name, _span: data.types), data)
    tracemalloc.start()
    run = probe.measured(0, session.heap)
    while next(run, run) is not run:
        pass
    _, peak = tracemalloc.get_traced_memory()
    tracemalloc.stop()
    return peak


if __name__ == "__main__":
    main()
