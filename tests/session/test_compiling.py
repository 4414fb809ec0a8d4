"""``%compile P``, ``%compile --passes P`` and ``%compile --profile P``; none of them has an effect."""

import numpy as np
import pytest

from rh_kernel.arrays.execution import run as run_program
from rh_kernel.arrays.passes import Pass
from rh_kernel.display.programs.listings import MOST
from rh_kernel.display.registry import bundle
from rh_kernel.loops.ir import Plan
from rh_kernel.session.results import ProgramMade, Working
from rh_kernel.session.session import Session, execute
from rh_kernel.source.span import Source
from rh_kernel.training.bundled import bundled
from tests.display.pages import MLP, PASS
from tests.typing.cells import last, run, wrong

SUBJECTS = (PASS, "handle mlp([1.0, -2.0]) with infer", "1 + 2 * 3", "return (1, ())")
WAYS = ("", "--passes ", "--profile ")


def made(text: str, session: Session | None = None) -> ProgramMade:
    result = last(f"{MLP}%compile {text}" if session is None else f"%compile {text}", session)
    assert isinstance(result, ProgramMade)
    return result


@pytest.mark.parametrize("way", WAYS)
@pytest.mark.parametrize("subject", SUBJECTS)
def test_the_heap_stays_as_it_is(way: str, subject: str) -> None:
    _, before = run(MLP)
    results, after = run(f"%compile {way}{subject}", before)
    assert [type(result) for result in results] == [ProgramMade]
    assert after.heap == before.heap
    assert all(after.heap[location] is content for location, content in before.heap.items())


@pytest.mark.parametrize("way", WAYS)
def test_all_three_show_one_program_and_its_passes(way: str) -> None:
    result = made(way + PASS)
    assert [p.made_by for p in result.passes] == [p for p in Pass if p is not Pass.BATCHED]
    assert result.passes[1].form == result.program
    assert isinstance(result.passes[-1].form, Plan)
    assert (result.in_full, result.profile is not None) == (way == "--passes ", way == "--profile ")


def test_a_profile_has_a_row_for_every_step() -> None:
    result = made(f"--profile {PASS}")
    assert result.profile is not None
    plan = result.passes[-1].form
    assert isinstance(plan, Plan)
    shown = bundle(result)
    steps = len(plan.steps)
    assert len(result.profile.steps) == steps > 0
    assert shown["text/html"].count("<tr") == steps + len(["heading", "all"])
    assert len(shown["text/plain"].splitlines()) == steps + len(["heading", "all", "a run", "the model"])


def test_the_last_pass_is_open() -> None:
    html = bundle(made(f"--passes {PASS}"))["text/html"]
    assert html.count("<details") == len(Pass) - 1
    assert html.count(" open>") == 1
    assert html.rindex("<details") == html.index(" open>") - len('<details style="margin:2px 0"')


def test_a_pass_that_changes_nothing_says_so() -> None:
    assert bundle(made("--passes return 1"))["text/plain"].count("\nas before\n") >= 1


def test_of_a_long_listing_both_ends_are_shown_and_how_many_lines_are_left_out() -> None:
    """The sizes of the HTML and of the text do not grow with the program."""
    _, before = run("loc w : Real(2, 2) = zeros\n")

    def shown(count: int) -> dict[str, str]:
        lets = "".join([f"let x{i + 1} <- sin(m @ x{i}) in " for i in range(count)])
        return bundle(made(f"--passes let m <= Get[w]() in let x0 <- [1, 2] in {lets}return x{count}", before))

    short, long = shown(450), shown(900)
    assert short["text/html"].count("<tr") == long["text/html"].count("<tr") < 2 * MOST
    assert len(long["text/html"]) + len(long["text/plain"]) < 250_000
    assert " lines are left out" in short["text/html"]
    for kind in ("text/html", "text/plain"):
        assert len(long[kind]) < 1.1 * len(short[kind])
    assert short["text/plain"].count(" lines are left out; `rh compile` prints all of them") >= 3


def test_of_many_steps_a_profile_shows_those_that_take_longest() -> None:
    _, before = run("loc w : Real(2, 2) = zeros\n")
    lets = "".join([f"let x{i + 1} <- sin(m @ x{i}) in " for i in range(450)])
    result = made(f"--profile let m <= Get[w]() in let x0 <- [1, 2] in {lets}return x450", before)
    assert result.profile is not None
    steps, shown = result.profile.steps, bundle(result)
    assert len(steps) > MOST
    assert all(step.seconds is not None for step in steps)
    taken = sorted([step.seconds or 0 for step in steps])[-MOST:]
    others = result.profile.seconds - sum(taken)
    text = shown["text/plain"].split("\n")
    (row,) = [line for line in text if line.startswith("⋮")]
    assert row.startswith(f"⋮ {len(steps) - MOST} shorter steps; `rh compile --profile FILE` prints all of them ")
    assert float(row.split()[-2].replace(",", "")) == pytest.approx(others * 1e6, rel=0.05)
    assert text.index(row) == MOST + 1
    assert shown["text/html"].count("<tr") == MOST + 3


TRAINING = 'train rev handle (x) <u>. mlp(u) with sgd(0.1, t) for (x, t) in data("moons") epochs 2'


@pytest.mark.parametrize("way", WAYS)
def test_of_a_training_run_it_is_the_program_of_a_batch(way: str) -> None:
    _, before = run(MLP)
    result = made(f"{way}{TRAINING} batch 32", before)
    assert [p.made_by for p in result.passes] == [p for p in Pass if p is not Pass.SIMPLIFIED]
    assert (result.type, result.samples, result.program) == (None, 32, result.passes[1].form)
    assert result.program.names == ("x", "t")
    assert result.program.is_batched
    plan = result.passes[-1].form
    assert isinstance(plan, Plan)
    assert (plan.samples, plan.inputs) == (32, ((32, 2), (32, 1)))
    shown = bundle(result)
    assert ("of a batch of 32 takes" if way == "--profile " else "for a batch of b = 32") in shown["text/plain"]
    assert "for a batch of b = 32" in shown["text/html"]
    assert run(f"%compile {way}{TRAINING} batch 32", before)[1].heap == before.heap


def test_the_program_of_a_batch_is_the_one_that_trains() -> None:
    """Running the displayed program on all samples changes the heap like an epoch of one batch."""
    _, before = run(MLP)
    result = made(f"{TRAINING} batch 300", before)
    data = bundled("moons")
    _, contents = run_program(result.program, [data.arrays["x"], data.arrays["t"]], before.heap)
    _, after = run(TRAINING.replace("epochs 2", "epochs 1 batch 300"), before)
    for location, content in contents.items():
        np.testing.assert_allclose(content, after.heap[location], rtol=1e-12)
        assert not np.array_equal(content, before.heap[location])


def test_a_batch_is_no_larger_than_the_data() -> None:
    _, before = run(MLP)
    assert made(f"{TRAINING} batch 1000", before).samples == 300
    assert made(TRAINING, before).samples == 1


def test_samples_that_do_not_fit_are_refused_as_in_training() -> None:
    text = TRAINING.replace("moons", "iris")
    assert [p.code for p in wrong(f"{MLP}%compile {text}")] == [p.code for p in wrong(f"{MLP}{text}")]


def test_only_compile_takes_a_training_run() -> None:
    (problem,) = wrong(f"{MLP}%trace {TRAINING}")
    assert problem.hint == "%trace takes the command for one sample, without `train` and `for`"


def test_a_profile_can_be_interrupted_behind_each_step() -> None:
    _, session = run(MLP)
    events = [*execute(session, Source("cell", f"%compile --profile {PASS}"))]
    plan = made(PASS).passes[-1].form
    assert isinstance(plan, Plan)
    assert sum(isinstance(event, Working) for event in events) > len(plan.steps)


def test_a_profile_of_what_gets_stuck_says_where() -> None:
    (problem,) = wrong("%strict on\nloc w : Real = zeros\n%compile --profile let x <= Get[w]() in return relu(x)")
    assert problem.span is not None
    assert problem.span.text == "relu(x)"
    assert not wrong("%strict on\nloc w : Real = ones\n%compile --profile let x <= Get[w]() in return relu(x)")


def test_an_option_is_one_word() -> None:
    text = "const passes = 2.0\n%compile {}"
    spaced, joined = [last(text.format(words)) for words in ("- -passes", "--passes passes")]
    assert isinstance(spaced, ProgramMade)
    assert isinstance(joined, ProgramMade)
    assert (spaced.in_full, joined.in_full) == (False, True)
    assert spaced.program == joined.program
    assert wrong("%compile --passes")


@pytest.mark.parametrize(
    ("text", "word"),
    [("--foo let x <- 1 in x", "foo"), ("--foo 1", "foo"), ("--passes --profile return 1", "profile")],
)
def test_what_is_no_option_is_reported(text: str, word: str) -> None:
    (problem,) = wrong(f"%compile {text}")
    assert problem.span is not None
    assert (problem.span.text, problem.hint) == (word, "`%compile` takes one option: `--passes` or `--profile`")


def test_a_name_with_two_signs_is_a_term() -> None:
    assert not wrong(
        "const profile = 3.0\nconst x = 2.0\n%compile --x\nlet y <- 1 in y\n%compile --passes --profile\nlet y <- 1 in y"
    )
