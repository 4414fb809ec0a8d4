"""What holds for every text: it is answered in time, with results or diagnostics that can be shown, and no state in between."""

import json
import re
import time
from collections.abc import Mapping
from dataclasses import dataclass, replace
from pathlib import Path

import numpy as np

from rh_kernel.display import diagnostics
from rh_kernel.display.diagnostics import error
from rh_kernel.display.registry import bundle, records
from rh_kernel.kernel.completion.completing import completions
from rh_kernel.kernel.inspection.inspecting import inspection
from rh_kernel.session.limits.bounds import Bounds
from rh_kernel.session.results import ItemFailed, Result, Shown, ValueFound
from rh_kernel.session.session import Session, execute
from rh_kernel.session.settings import Evaluator, Settings
from rh_kernel.source.diagnostic import Diagnostic, Rejected
from rh_kernel.source.span import Source
from rh_kernel.syntax.core import Array
from rh_kernel.syntax.parsing.formatting import format_source
from rh_kernel.syntax.parsing.parser import Unparsed, completeness, parse
from tests.display.allowed import CONTROLS, Page, assert_allowed
from tests.fuzz.profile import within
from tests.laws.readings import arrays

READING = 8.0
"""Seconds in which a text is read, typechecked, laid out, or its results are shown."""
RUNNING = 0.5
"""Seconds after which a cell that still runs is interrupted."""
STOPPING = 8.0
"""Seconds in which it has said what it does next, and has then stopped."""

OURS = re.compile(r"Traceback|File \"|object at 0x|<class '|\?\d+\b.*\?\d|\bDimMeta|\bTypeMeta")
"""What is about our program and not about theirs."""

BOUNDED = {"RH204", "RH206", "RH208", "RH209", "RH231", "RH241"}
"""The codes of a cell that met one of the bounds of ``%limit``."""


@dataclass(frozen=True, slots=True)
class Outcome:
    """The results of a cell with the numbers of their items, the session after it, and whether it had to be stopped."""

    shown: tuple[tuple[int, Result], ...]
    after: Session
    stopped: bool

    @property
    def diagnostics(self) -> list[Diagnostic]:
        return [d for _, result in self.shown if isinstance(result, ItemFailed) for d in result.diagnostics]


def ran(session: Session, text: str, cell: str = "") -> Outcome:
    """Run a cell as the kernel does: event by event, and with an interrupt if it goes on for long."""
    events, shown = execute(session, Source("cell", text), cell=cell), list[tuple[int, Result]]()
    end, stopped = time.process_time() + RUNNING, False
    while True:
        try:
            with within(STOPPING, f"one event of {text!r}"):
                if time.process_time() < end or stopped:
                    event = next(events)
                else:
                    stopped = True
                    event = events.throw(KeyboardInterrupt())
        except StopIteration as stop:
            return Outcome(tuple(shown), stop.value, stopped)
        except KeyboardInterrupt:
            return Outcome(tuple(shown), session, stopped)
        if isinstance(event, Shown):
            shown.append((event.item, event.result))


def check_text(session: Session, text: str) -> Outcome:
    """Everything that holds for a text on its own."""
    with within(READING, f"completing {text!r}"):
        check_asking(session, text)
    with within(READING, f"formatting {text!r}"):
        check_formatting(text)
    outcome = ran(session, text)
    check_state(session, outcome)
    for item, result in outcome.shown:
        with within(READING, f"showing what came of {text!r}"):
            check_shown(item, result, text)
    return outcome


def check_session(session: Session, cells: list[tuple[str, str]]) -> None:
    """Cells one after the other, some of them more than once: each is answered, and leaves a session that can go on."""
    for cell, text in cells:
        outcome = ran(session, text, cell)
        check_state(session, outcome)
        for item, result in outcome.shown:
            with within(READING, f"showing what came of {text!r}"):
                check_shown(item, result, text)
        session = outcome.after
    assert not ran(session, "1 + 2").diagnostics


def check_asking(session: Session, text: str) -> None:
    """Tab, Shift-Tab and Enter have an answer everywhere."""
    for cursor in {0, len(text) // 2, len(text) - 1, len(text)}:
        if cursor >= 0:
            start, _ = completions(session, text, cursor)
            assert 0 <= start <= cursor
            inspection(session, text, cursor)
            completeness(text[:cursor])


def check_formatting(text: str) -> None:
    """What can be parsed says the same when it is laid out, and is laid out the same again; else it is refused."""
    read = parse(Source("cell", text))
    if any(isinstance(item, Unparsed) for item in read):
        try:
            format_source(Source("cell", text))
        except Rejected:
            return
        raise AssertionError("a text that is no program was laid out")
    formatted = format_source(Source("cell", text))
    assert parse(Source("cell", formatted)) == read
    assert format_source(Source("cell", formatted)) == formatted


def check_state(before: Session, outcome: Outcome) -> None:
    """A cell that failed has changed nothing; of no cell anything can be written to afterwards."""
    if outcome.diagnostics:
        assert outcome.after is before
    assert all(not content.flags.writeable for content in outcome.after.heap.values())
    assert outcome.after.heap.keys() == outcome.after.initial.keys()


def check_shown(item: int, result: Result, text: str) -> None:
    """A result in all its forms, and the diagnostics one by one."""
    for record in records(item, result):
        json.dumps(record, allow_nan=False)
    assert_allowed(bundle(result), reads_dot=False)
    if isinstance(result, ItemFailed):
        assert result.diagnostics
        for d in result.diagnostics:
            check_diagnostic(d, text)


def check_diagnostic(d: Diagnostic, text: str) -> None:
    """A diagnostic has a code, a place in the text, one sentence, and is the same in every form."""
    assert re.fullmatch(r"RH\d{3}", d.code)
    assert d.span is not None, d
    for span in (d.span, *(note.span for note in d.notes)):
        assert 0 <= span.start <= span.end <= len(span.source.text)
    assert d.message
    plain = diagnostics.text(d)
    assert OURS.search(text) or not OURS.search(plain)
    assert not CONTROLS.search(plain)
    assert re.sub(r"\x1b\[[0-9;]*m", "", diagnostics.ansi(d)) == plain
    assert Page(diagnostics.html(d)).text == plain
    json.dumps(error(d), allow_nan=False)


def check_agreement(session: Session, text: str) -> None:
    """The three evaluators find the same, or are stuck alike."""
    found: dict[Evaluator, Outcome] = {}
    for evaluator in Evaluator:
        found[evaluator] = ran(replace(session, settings=replace(session.settings, evaluator=evaluator)), text)
    if any(outcome.stopped or BOUNDED & {d.code for d in outcome.diagnostics} for outcome in found.values()):
        return  # steps, boxes and equations are counted each by their own evaluator
    compiled = found[Evaluator.COMPILED]
    for outcome in found.values():
        codes, expected = ([d.code for d in o.diagnostics] for o in (outcome, compiled))
        assert codes == expected
        for (_, one), (_, other) in zip(outcome.shown, compiled.shown, strict=True):
            if isinstance(one, ValueFound) and isinstance(other, ValueFound):
                same(arrays(one.value), arrays(other.value))
        same(contents(outcome), contents(compiled))


def contents(outcome: Outcome) -> list[Array]:
    """What the locations hold, in an order of their own."""
    heap: Mapping[str, Array] = {f"{location}": content for location, content in outcome.after.heap.items()}
    return [heap[name] for name in sorted(heap)]


def same(found: list[Array], expected: list[Array]) -> None:
    """Equal but for the last digits, wherever both are numbers; sums of huge numbers depend on their order.

    Where both are infinite, they are infinite on one side.
    """
    for x, y in zip(found, expected, strict=True):
        assert x.shape == y.shape
        there = np.isfinite(x) & np.isfinite(y) & (np.abs(y) < 1e100)
        assert np.allclose(x[there], y[there], rtol=1e-6, atol=1e-6)
        infinite = np.isinf(x) & np.isinf(y)
        np.testing.assert_array_equal(x[infinite], y[infinite])


def fresh(folder: Path) -> Session:
    """A session in which something has been declared, and in which no cell may take much."""
    bounds = Bounds(steps=20_000, nodes=50_000, equations=20_000, output=1_000_000, bytes=8 << 20)
    text = (
        "dim size = 3\nconst t : Real(2) = [0.5, 1.0]\nloc w : Real(3, 2) = normal(0.5, seed=1)\n"
        "op FC[l : Loc(m, n)] : Real(n) -> Real(m)\nfun twice(x : Real(n)) : Real(n) = x + x\n"
        "net f(x : Real(2)) : Real(3) = FC[w](x)\n"
    )
    outcome = ran(Session.start(folder, Settings(bounds=bounds)), text)
    assert not outcome.diagnostics
    return outcome.after
