"""Programs with loops and branches in all systems: agreement, counts by the number of rounds, and what the table says."""

import math
from itertools import pairwise
from pathlib import Path

import pytest
from hypothesis import given

from rh_kernel.ad.comparison import distance, vjp
from rh_kernel.ad.language.core import Program
from rh_kernel.ad.language.unrolling import rounds
from rh_kernel.ad.registry import NAMES, system
from rh_kernel.ad.system import Point, VjpResult
from rh_kernel.display.registry import bundle, records
from rh_kernel.session.results import Differentiated, results
from rh_kernel.session.session import Session, execute
from rh_kernel.source.span import Source
from tests.ad.examples import EFFECTS
from tests.ad.programs import BRANCHES, LOOPS, Fragment, Sample, flat, program, programs
from tests.ad.test_systems import EXACT, found
from tests.tiers import law

KEEP_LOOPS = ("chad", "chad-forward", "chad-combinators", "chad-accumulated", "unary", "direct", "finite-differences")
REVERSE = ("chad-accumulated", "linear-negation", "tape", "effects:stateful", "effects:taped")
RNN = "fun rnn(w : Real, u : Real, xs : Real({n})) : Real = foldl(s x. sin(w * s + u * x), 0, xs)"
GATED = "fun f(w : Real, xs : Real(3)) : Real = foldl(s x. if s <= x then sin(w * s + x) else w * s, 0, xs)"


def recurrent(n: int) -> tuple[Program, Point]:
    """A net that reads a sequence of n numbers."""
    return program(RNN.format(n=n)), (0.5, 0.25, tuple([1 + k / 4 for k in range(n)]))


def repeated(n: int) -> tuple[Program, Point]:
    """n rounds that read nothing but the state."""
    return program(f"fun f(w : Real, s : Real) : Real = foldl(s i. sin(w * s), s, generate[{n}](i. i))"), (0.5, 1.0)


def agree(fragment: Fragment, refusing: tuple[str, ...]) -> None:
    """All systems but those ``refusing`` agree on random programs of a fragment; Fig. 6 may run out of fuel."""
    wanted = set(EXACT) - {"reverse-derivative", *refusing}

    @law(60)
    @given(programs(fragment, scalar=True))
    def agrees(sample: Sample) -> None:
        outcomes = found(EXACT, sample)
        assert wanted <= set(outcomes) | set(refusing)
        gradients = [flat(outcome.gradient) for outcome in outcomes.values()]
        whole = [gradient for gradient in gradients if all(map(math.isfinite, gradient))]
        assert all(distance(one, other) <= 1e-9 for one, other in pairwise(whole))

    agrees()


def test_all_systems_agree_on_programs_with_loops() -> None:
    agree(LOOPS, ())


def test_all_systems_but_the_effects_agree_on_programs_with_loops_and_branches() -> None:
    """Where a program has no branch after all, the effects agree too."""
    agree(BRANCHES, EFFECTS)


def steps(name: str, cases: list[tuple[Program, Point]]) -> list[int]:
    """By how much the number of operations grows from one case to the next."""
    counts = [vjp(system(name), f, point, 1.0).derivative for f, point in cases]
    return [after - before for before, after in pairwise(counts)]


@pytest.mark.parametrize("name", [*REVERSE, "reverse-handler"])
def test_reverse_systems_do_the_same_for_each_further_round(name: str) -> None:
    """The number of operations is linear in the number of rounds."""
    (step, *others) = steps(name, [repeated(n) for n in (2, 4, 6, 8)])
    assert step > 0
    assert others == [step, step]


@pytest.mark.parametrize("name", REVERSE)
def test_reverse_systems_do_the_same_for_each_further_row(name: str) -> None:
    """The number of operations is linear in the length of the sequence."""
    (step, *others) = steps(name, [recurrent(n) for n in (2, 4, 6, 8)])
    assert step > 0
    assert others == [step, step]


@pytest.mark.parametrize("name", ["chad", "reverse-handler"])
def test_a_cotangent_of_the_whole_sequence_in_each_round_makes_it_quadratic(name: str) -> None:
    """Without accumulators, each row that is used adds a cotangent of the whole sequence, zero but for this row."""
    (step, *others) = steps(name, [recurrent(n) for n in (2, 4, 6, 8)])
    assert [after - before for before, after in pairwise([step, *others])] == [others[0] - step] * 2
    assert others[0] > step


def test_forward_systems_pay_for_each_number_of_the_point_in_each_round() -> None:
    """There is one pass for each number of the point, and there are more of them with more rounds: quadratic growth."""
    for name in ("chad-forward", "effects:forward", "finite-differences"):
        first, second, third = steps(name, [recurrent(n) for n in (2, 4, 6, 8)])
        assert first < second < third


def test_the_rounds_that_are_written_out_are_counted() -> None:
    assert rounds(program(RNN.format(n=5))) == 5
    assert rounds(program("fun f(x : Real) : Real = x * x")) == 0
    assert rounds(program("fun f(s : Real) : Real = foldl(s i. s * i, s, generate[4](i. i))")) == 4
    assert rounds(program("fun f(x : Real, ys : Real(3)) : Real = sum(map(y. foldl(a z. a * z, x, ys), ys))")) == 3 + 9
    assert (
        rounds(program("fun f(x : Real, ys : Real(3)) : Real = dot(map2(y z. y * z, ys, ys), scanl(a z. a + z, x, [1, 2]))"))
        == 5
    )


def test_a_system_keeps_the_loops_or_says_that_it_unrolls_them() -> None:
    assert tuple(name for name in NAMES if not system(name).unrolls) == KEEP_LOOPS
    for name in KEEP_LOOPS:
        sizes = [vjp(system(name), *recurrent(n), 1.0).size for n in (4, 8)]
        assert sizes[0] == sizes[1], f"the program of {name} grows with the number of rounds"


def table(*lines: str) -> Differentiated:
    text = "\n".join(["%%lambda", *lines])
    (*_, last) = results(execute(Session.start(Path()), Source("cell", text)))
    assert isinstance(last, Differentiated)
    return last


def test_the_table_says_which_systems_unroll() -> None:
    last = table(RNN.format(n=3), "%ad all rnn(0.5, 0.25, [1, 2, 3])")
    heading, *lines = bundle(last)["text/plain"].split("\n")
    assert heading.split()[-2:] == ["loops", "time"]
    for line in lines:
        assert (" kept " if line.split()[0] in KEEP_LOOPS else " unrolled: 3 rounds ") in line
    for record in records(1, last):
        assert record.get("unrolled") == (None if record["system"] in KEEP_LOOPS else 3)
    assert "unrolled: 3 rounds" in bundle(last)["text/html"]


def test_a_program_without_loops_has_no_such_column() -> None:
    last = table("fun f(x : Real) : Real = x * x", "%ad all f(3)")
    assert "loops" not in bundle(last)["text/plain"]
    assert not any("unrolled" in record for record in records(1, last))


def test_a_system_that_cannot_do_it_says_why_and_stops_no_other() -> None:
    last = table(GATED, "%ad all f(0.5, [1, 2, 3])")
    text = bundle(last)["text/plain"]
    why = "do not differentiate conditionals (if): the effect Smooth of the thesis has no operation that compares numbers"
    assert text.split("\n")[-1] == f"{', '.join(EFFECTS)}: {why}"
    assert {row.system.name for row in last.rows if isinstance(row.outcome, VjpResult)} == {*NAMES} - {*EFFECTS}
    assert why in bundle(last)["text/html"]


@pytest.mark.parametrize("name", ["reverse-handler", "reverse-derivative"])
def test_the_systems_of_the_main_paper_take_the_branch_that_runs(name: str) -> None:
    f = program("fun f(x : Real) : Real * Real = if 0 <= x then (x, x * x) else (x / 4, -x)")
    for x, expected in ((2.0, 1 + 4.0), (-2.0, 0.25 - 1), (0.0, 1.0)):
        assert vjp(system(name), f, (x,), (1.0, 1.0)).gradient == (expected,)
