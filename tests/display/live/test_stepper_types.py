"""Types on click: the answer at a position is the derived type of the subterm there."""

from collections.abc import Iterator, Mapping

import pytest
from hypothesis import given

from rh_kernel.display.live.lines import WIDTH
from rh_kernel.display.live.stepper import Stepper
from rh_kernel.display.live.view import Unanswerable
from rh_kernel.display.traces.cropping import is_large
from rh_kernel.display.traces.frames import subject_doc
from rh_kernel.operational.contexts import Subject
from rh_kernel.session.results import TraceMade
from rh_kernel.syntax.core import Command
from rh_kernel.syntax.printing.doc import Annotation, Close, Mark, Newline, Open, layout, plain
from rh_kernel.syntax.traversal import children
from rh_kernel.typing.derivation.derivations import Derivation
from rh_kernel.typing.derivation.derive import derive_command, derive_term
from tests.display.live.stepping import PROGRAMS, ask, trace_of, trace_of_random
from tests.display.marked import after_marks, before_marks
from tests.strategies_of_commands import Program, programs
from tests.tiers import law

Path = tuple[int, ...]


def below(M: Subject, d: Derivation, path: Path = ()) -> Iterator[tuple[Path, Derivation]]:
    """Each subterm and subcommand with its derivation."""
    yield path, d
    for i, (N, _) in enumerate(children(M)):
        yield from below(N, d.premises[i], (*path, i))


def extent(M: Subject, marks: Mapping[Path, Annotation], path: Path, text: str) -> tuple[int, int] | None:
    """The extent of a subterm in the text of a state; empty if it is not visible."""
    here: Annotation = Mark("error")
    doc = subject_doc(M, {**marks, path: here})
    if plain(doc, WIDTH) != text:
        return None
    at, start, inside = 0, 0, 0
    for event in layout(doc, WIDTH):
        match event:
            case Open(annotation):
                start = at if annotation == here else start
                inside += 1 if inside or annotation == here else 0
            case Close():
                if inside == 1:
                    return start, at
                inside -= 1 if inside else 0
            case Newline(indent):
                at += 1 + indent
            case str():
                at += len(event)
    return None


def assert_types(result: TraceMade, state: int, every: int) -> int:
    """Ask at every n-th character of a state; return the number of questions."""
    steps, stepper = result.steps, Stepper(result)
    M = steps[state].before if state < len(steps) else steps[-1].after if steps else result.subject
    marks = {
        **(after_marks(steps[state - 1]) if state else {}),
        **(before_marks(steps[state]) if state < len(steps) else {}),
    }
    derivation = derive_command((), (), M) if isinstance(M, Command) else derive_term((), M)
    text = plain(subject_doc(M, marks), WIDTH)
    seen = [(extent(M, marks, path, text), path, d) for path, d in below(M, derivation)]
    shown = [(end - start, len(path), start, end, d) for (start, end), path, d in [(e, p, d) for e, p, d in seen if e]]
    looked_at, lines = 0, text.split("\n")
    for at in range(0, len(text), every):
        line, column = text[:at].count("\n"), at - (text.rfind("\n", 0, at) + 1)
        if at == len(text) or text[at] in " \n":
            continue
        _, _, start, end, d = min((s for s in shown if s[2] <= at < s[3]), key=lambda s: s[:2])
        told = ask(stepper, "type", state=state, line=line, column=column)
        assert (told["type"], told["rule"]) == (str(d.type), d.rule.value)
        offsets = [sum(map(len, lines[:n])) + n for n in told["range"][::3]]
        assert offsets[0] + told["range"][1] == start
        assert offsets[-1] + told["range"][-1] == end
        if not told["text"].endswith("…"):
            assert told["text"].replace(" ", "") == text[start:end].replace(" ", "").replace("\n", "")
        looked_at += 1
    return looked_at


@pytest.mark.parametrize("name", PROGRAMS)
def test_what_is_told_of_a_place_is_what_is_derived(name: str) -> None:
    result = trace_of(name)
    count = len(result.steps)
    assert sum(assert_types(result, state, 3) for state in {0, count // 4, count // 2, max(count - 3, 0), count}) > 3


@law(8)
@given(programs())
def test_what_is_told_of_a_random_program_is_what_is_derived(p: Program) -> None:
    result = trace_of_random(p, 12)
    for state in {0, len(result.steps) // 2, len(result.steps)}:
        if not is_large(result.steps[state].before if state < len(result.steps) else result.subject, 60):
            assert_types(result, state, 4)


def test_what_a_pattern_hides_is_not_told() -> None:
    """``⟨w, x⟩`` abbreviates lets, so a click selects the whole let."""
    stepper = Stepper(trace_of("pass"))
    lines = [text for text, _, _ in ask(stepper, "window", **{"from": 7, "count": 0})["first"]]
    line = next(n for n, text in enumerate(lines) if "let ⟨w, x⟩" in text)
    told = ask(stepper, "type", state=7, line=line, column=lines[line].index("⟨w, x⟩") + 1)
    assert told["rule"] == "T-CLET"
    assert told["text"].startswith("let ⟨w, x⟩ ⇐ ⌊z'⌋ in let _ ⇐ Put[w0]")


def test_the_operands_of_an_infix_are_no_pair() -> None:
    stepper = Stepper(trace_of("pass"))
    lines = [text for text, _, _ in ask(stepper, "window", **{"from": 7, "count": 0})["first"]]
    line = next(n for n, text in enumerate(lines) if " @ " in text)
    told = ask(stepper, "type", state=7, line=line, column=lines[line].index(" @ ") + 1)
    assert (told["rule"], told["type"]) == ("T-FUNC", "Real(2)")


def test_a_reader_who_sees_more_is_told_of_what_he_sees() -> None:
    stepper = Stepper(trace_of("pass"))
    for manner in ({"whole": True}, {"entries": 1}, {}):
        lines = ask(stepper, "window", **{"from": 7, "count": 0}, **manner)["first"]
        line, column = next((n, text.index("swish")) for n, (text, _, _) in enumerate(lines) if "swish" in text)
        told = ask(stepper, "type", state=7, line=line, column=column, **manner)
        assert (told["text"], told["type"]) == ("swish(z)", "Real(3)")


def test_nothing_stands_beside_the_text() -> None:
    stepper = Stepper(trace_of("pass"))
    (text, _, _) = ask(stepper, "window", **{"from": 90, "count": 0})["first"][0]
    assert ask(stepper, "type", state=90, line=0, column=len(text) - 1)["rule"] == "T-PURE"
    for line, column in ((0, len(text)), (1, 0)):
        with pytest.raises(Unanswerable, match="no term"):
            ask(stepper, "type", state=90, line=line, column=column)
