"""The readings of the paper's programs: what each evaluator makes of the last command of a file, its value and the heap.

A further evaluator is a further function in ``READINGS``; every expectation and the law of agreement then hold it too.
"""

import contextlib
import io
import json
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Any, TypeAlias

import numpy as np
import pytest

from rh_kernel.__main__ import main
from rh_kernel.session.analyze import analyze_at_once
from rh_kernel.session.evaluate import Evaluate
from rh_kernel.session.session import Session, execute
from rh_kernel.source.span import Source
from rh_kernel.syntax.core import Array, Command
from rh_kernel.syntax.parsing.parser import parse
from rh_kernel.syntax.signature import Location
from rh_kernel.typing.elaboration.items import ClosedCommand

PAPER = Path(__file__).parent / "paper"
PROGRAMS = tuple(sorted(path.name for path in PAPER.glob("*.rh")))


@dataclass(frozen=True, slots=True)
class Outcome:
    """The arrays of the value from left to right, and the content of every location afterwards."""

    value: tuple[Array, ...]
    heap: Mapping[str, Array]


Reading: TypeAlias = Callable[[str], Outcome]


@cache
def lines(command: str, program: str, *options: str) -> tuple[dict[str, Any], ...]:
    """What ``rh COMMAND FILE --json OPTIONS`` prints, one object a line."""
    return tuple([json.loads(line) for line in _printed(command, program, *options)])


def traced(program: str) -> tuple[list[dict[str, Any]], dict[str, Any]]:
    """What ``rh trace FILE --json`` prints of the steps that change the heap, and last of all; a trace is many megabytes."""
    *steps, last = _printed("trace", program)
    return [json.loads(line) for line in steps if not line.endswith('"heap": {}}')], {"count": len(steps), **json.loads(last)}


def _printed(command: str, program: str, *options: str) -> list[str]:
    printed = io.StringIO()
    with contextlib.redirect_stdout(printed):
        code = main([command, str(PAPER / program), "--json", *options])
    assert code == 0, printed.getvalue()
    return printed.getvalue().splitlines()


def heap_after(changes: Iterable[Mapping[str, Any]]) -> dict[str, Array]:
    """The last content of each location in objects that tell how the heap changed."""
    return {name: np.array(content) for change in changes for name, content in change.get("heap", {}).items()}


def flat(value: Any) -> tuple[Array, ...]:
    """The arrays of a value as ``--json`` prints it."""
    return tuple([a for v in value["tuple"] for a in flat(v)]) if isinstance(value, dict) else (np.array(value),)


@cache
def last_command(program: str) -> tuple[Command, Mapping[Location, Array]]:
    """The closed command at the end of a file, and the heap that the items before it leave."""
    text = (PAPER / program).read_text(encoding="utf-8")
    session = Session.start(PAPER)
    context = session.context
    *earlier, last = parse(Source(program, text))
    for item in earlier:
        context, _ = analyze_at_once(item, context)
    _, planned = analyze_at_once(last, context)
    assert isinstance(planned, Evaluate)
    assert isinstance(planned.subject, ClosedCommand)
    events = execute(session, Source(program, text[: last.span.start]))
    while True:
        try:
            next(events)
        except StopIteration as stop:
            return planned.subject.command, stop.value.heap


def compiled(program: str) -> Outcome:
    """The program as ``rh run`` runs it."""
    return _run(program, "compiled")


def stepped(program: str) -> Outcome:
    """Its items reduced step by step (RH §5)."""
    return _run(program, "stepped")


def denoted(program: str) -> Outcome:
    """Its items as arrows, which run on the heap (RH §7)."""
    return _run(program, "denoted")


def _run(program: str, evaluator: str) -> Outcome:
    found = lines("run", program, "--evaluator", evaluator)
    return Outcome(flat(found[-1]["value"]), heap_after(found))


READINGS: tuple[Reading, ...] = (compiled, stepped, denoted)

each_reading = pytest.mark.parametrize("reading", READINGS, ids=lambda reading: reading.__name__)


def assert_outcome(found: Outcome, value: Array, heap: Mapping[str, Array], within: float = 1e-12) -> None:
    """The value is one array, and every location there is has its content."""
    assert_same(found, Outcome((value,), heap), within)


def assert_same(found: Outcome, expected: Outcome, within: float) -> None:
    """Two outcomes agree, entry by entry."""
    assert found.heap.keys() == expected.heap.keys()
    assert len(found.value) == len(expected.value)
    pairs = [*zip(found.value, expected.value, strict=True), *((found.heap[l], expected.heap[l]) for l in expected.heap)]
    for one, other in pairs:
        assert one.shape == other.shape
        np.testing.assert_allclose(one, other, atol=within, rtol=within)
