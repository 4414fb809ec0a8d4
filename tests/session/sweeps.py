"""Sweeps for tests: a small net to train, and the same items with the numbers of a run written in by hand."""

import re
from pathlib import Path

from rh_kernel.primitives.values import to_array
from rh_kernel.session.results import ItemFailed, SweepDone, TrainingDone, ValueFound
from rh_kernel.session.session import Session
from rh_kernel.session.sweeps.action import Sweep
from rh_kernel.session.sweeps.jobs import Job, Values
from rh_kernel.session.sweeps.runs import SweepRun
from rh_kernel.source.span import Source
from rh_kernel.syntax.parsing.parser import parse
from rh_kernel.syntax.surface_items import SweepItem
from tests.session.cells import run
from tests.training.programs import HANDLERS

NET = f"""{HANDLERS}
loc bias : Real(1) = [0.25]
const half : Real = 0.5
"""
ITEMS = """  loc v0 : Real(h, 2) = normal(half, seed=seed)
  loc v1 : Real(1, h) = normal(0.5, seed=seed)
  net small(x : Real(2)) : Real(1) =
    let z <= FC[v0](x) in let y <= return swish(z) in let u <= FC[v1](y) in Bias[bias](u)
  train rev handle (x) <u>. small(u) with sgd(a, t)
    for (x, t) in data("xor") epochs h batch 2 shuffle seed
    measure let y <= handle small(x) with infer in return dot(y - t, y - t)
  let y <= handle small(a * [1, 2]) with infer in return y * h
"""


def declared(folder: Path, text: str = NET) -> Session:
    """A session with the handlers and a location that the items train too."""
    _, session = run(Session.start(folder), text)
    return session


def swept(session: Session, text: str) -> tuple[SweepDone, Session]:
    """The result of a cell with a sweep alone, and the session after it."""
    found, after = run(session, text)
    (done,) = found
    assert isinstance(done, SweepDone), found
    return done, after


def by_hand(session: Session, items: str, values: Values) -> SweepRun:
    """What a run should report: the items, not indented, with their numbers written in."""
    text = re.sub(r"^  ", "", items, flags=re.MULTILINE)
    for name, value in values:
        text = re.sub(rf"(?<![\w.\"]){name}(?![\w=])", str(value), text)
    found, _ = run(session, text)
    measures = tuple([curve for r in found if isinstance(r, TrainingDone) for curve in r.measures])
    results = tuple([float(to_array(r.value)[0]) for r in found if isinstance(r, ValueFound)])
    failed = tuple([d for r in found if isinstance(r, ItemFailed) for d in r.diagnostics])
    return SweepRun(values, measures, tuple([("", value) for value in results]), failed, 0.0)


def job_of(session: Session, text: str) -> tuple[Job, Sweep]:
    """The job of the sweep in a text."""
    (item,) = parse(Source("cell", text))
    assert isinstance(item, SweepItem)
    action = Sweep(item, session.definitions, session.given)
    return action.job(session.state), action
