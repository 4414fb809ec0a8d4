"""Shared parts of documents are laid out once, with the same result as if laid out each time."""

from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from rh_kernel.display.live.line_layout import render_lines
from rh_kernel.display.live.stepper import Stepper
from rh_kernel.display.traces.cropping import NODES, SizeCache, is_large
from rh_kernel.display.traces.frames import subject_doc
from rh_kernel.operational.contexts import Subject, depth
from rh_kernel.session.results import TraceMade
from rh_kernel.source.span import Span
from rh_kernel.syntax.printing.doc import LINE as LINE_END
from rh_kernel.syntax.printing.doc import Annotated, Role, Shared, Spanned, concat, group, join, nest, role
from rh_kernel.syntax.printing.printer import PrintCache
from rh_kernel.syntax.traversal import children
from rh_kernel.syntax.types import SCALAR
from tests.benchmarks.stepping import HEAP, WINDOW, Family, binds, chain, kept, reading, size, training
from tests.display.live.stepping import PROGRAMS, ask, trace_of, trace_of_random
from tests.strategies_of_commands import Program, programs
from tests.tiers import law


def origin(span: Span) -> int:
    """An origin that depends on every position of the source; some are in no declaration."""
    return (span.start + 3 * span.end) % 5


@pytest.mark.parametrize("width", [24, 60, 90])
@pytest.mark.parametrize("name", PROGRAMS)
def test_a_state_looks_the_same_with_the_others_and_alone(name: str, width: int) -> None:
    memory, result = PrintCache(), trace_of(name)
    for step in result.steps:
        alone, shared = (
            render_lines(subject_doc(step.before), origin, width),
            render_lines(subject_doc(step.before, memory=memory), origin, width),
        )
        assert [line.json for line in shared.lines] == [line.json for line in alone.lines]
        again = render_lines(subject_doc(step.before, memory=memory), origin, width)
        assert again.lines == shared.lines
        assert again.cost <= shared.cost <= 2 * alone.cost


@law(25)
@given(programs(), st.integers(12, 100))
def test_states_of_random_programs_look_the_same(p: Program, width: int) -> None:
    memory = PrintCache()
    for step in trace_of_random(p, 30).steps:
        alone = render_lines(subject_doc(step.before), origin, width)
        assert render_lines(subject_doc(step.before, memory=memory), origin, width).lines == alone.lines


def test_lines_that_two_documents_share_are_the_same_objects() -> None:
    rest = Shared(join(LINE_END, [role(Role.KEYWORD, f"line{n}") for n in range(40)]))
    first, second = (render_lines(group(word, LINE_END, rest), origin) for word in ("one", "two"))
    assert first.lines[0] != second.lines[0]
    assert all(one is other for one, other in zip(first.lines[2:-1], second.lines[2:-1], strict=True))
    assert second.cost < first.cost / 4


def test_a_shared_part_may_stand_in_the_middle_of_a_line_and_of_what_was_written() -> None:
    def written(start: int, *parts: Any) -> Any:
        return Annotated(Spanned(Span(trace_span().source, start, start + 1)), concat(*parts))

    inner = written(1, "a", nest(LINE_END, written(2, "b"), LINE_END, "c"))
    for body in (inner, Shared(inner)):
        found = render_lines(written(4, "x ", body, LINE_END, "y"), lambda span: span.start, 3)
        assert [(line.text, line.origin) for line in found.lines] == [("x a", 4), ("  b", 2), ("  c", 4), ("y", 0)]


def trace_span() -> Span:
    found = next(step.redex.span for step in trace_of("pass").steps if step.redex.span is not None)
    assert found.source.text
    return found


@pytest.mark.parametrize("family", [chain, binds, reading, training])
def test_all_steps_of_a_window_are_told_however_large_the_states_are(family: Family) -> None:
    """The cost is bounded; nothing from the state before is laid out again."""
    M = family(4 * NODES)
    taken, result = kept(M)
    stepper = Stepper(TraceMade(M, SCALAR, tuple(taken), result.value, (), HEAP))
    for first in (0, 100, len(taken) // 2):
        assert len(ask(stepper, "window", **{"from": first, "count": WINDOW})["edits"]) == WINDOW


@law(25)
@given(programs(), st.integers(0, 40))
def test_sizes_are_what_a_count_gives(p: Program, most: int) -> None:
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr("rh_kernel.display.traces.cropping.NODES", most)
        sizes = SizeCache()
        todo: list[Subject] = []
        for step in trace_of_random(p, 20).steps:
            assert depth(step.context) == len(step.path)
            M = step.before
            assert sizes.is_large(M) == is_large(M) == (size(M) > most)
            todo.append(M)
        while todo:
            M = todo.pop()
            known = sizes.of(M)
            assert known is None or known[0] == size(M)
            todo += [N for N, _ in children(M)]
