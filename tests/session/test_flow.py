"""``%flow train …`` trains as ``train`` does, and its sizes are those of the pass that ``%gradient`` records."""

from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from rh_kernel.denotational.recording import occurrences
from rh_kernel.session.flow.pace import (
    FEWEST_FRAMES,
    MOST_FRAMES,
    MOST_SAMPLES,
    MOST_SIZES,
    QUICK,
    SHARE,
    SLOW,
    Pace,
    most_frames,
)
from rh_kernel.session.flow.records import FlowMade, Quantity
from rh_kernel.session.results import GradientMade, ItemFailed, Progress, Shown, TrainingDone
from rh_kernel.session.session import Session, execute
from rh_kernel.source.span import Source
from rh_kernel.syntax.core import Array
from tests.session.cells import codes, run

FC = """
op FC[l : Loc(m, n)] : Real(n) -> Real(m)
handler sgd(alpha : Real, t : Real(k)) : rev handler(Real(k)) = {
  return y -> return alpha * (y - t)
  FC[l](x) -> let w <= Get[l]() in return (w @ x, (w, x))
    | y, (w, x) -> let _ <= Put[l](w - outer(y, x)) in return w^T @ y
}
"""
MLP = f"""{FC}
loc w0 : Real(3, 2) = normal(0.5, seed=1)
loc w1 : Real(1, 3) = normal(0.5, seed=2)
net mlp(x : Real(2)) : Real(1) = let h <= FC[w0](x) in FC[w1](swish(h))
"""
COMMAND = "rev handle (x) <u>. mlp(u) with sgd(0.1, t)"
TRAIN = f'train {COMMAND} for (x, t) in data("points")'


def session(count: int = 10) -> Session:
    rng = np.random.default_rng(0)
    points = {"x": rng.normal(size=(count, 2)), "t": rng.normal(size=(count, 1))}
    return replace(Session.start(Path.cwd()), given={"points": points})


def flow(text: str, declarations: str = MLP, count: int = 10) -> tuple[FlowMade, Session]:
    found, after = run(session(count), f"{declarations}\n%flow {text}")
    assert isinstance(found[-1], FlowMade), found[-1]
    return found[-1], after


def of(made: FlowMade, quantity: Quantity, label: str) -> Array:
    """The sizes of a box in all frames."""
    i = [box.label for box in made.boxes].index(label)
    return made.sizes[:, [*Quantity].index(quantity), i]


@pytest.mark.parametrize(
    "options",
    ["", " epochs 7", " epochs 5 batch 3 shuffle 4", " epochs 40 batch 5", " epochs 3 batch 4 pieces 2", " batch 20"],
)
def test_it_trains_as_training_does(options: str) -> None:
    measure = " measure return dot(x, x)" if options.endswith("4") else ""
    plain, without = run(session(), f"{MLP}\n{TRAIN}{options}{measure}")
    made, after = flow(f"{TRAIN}{options}{measure}")
    assert isinstance(plain[-1], TrainingDone)
    for location, content in without.heap.items():
        assert np.array_equal(after.heap[location], content), location
        assert not after.heap[location].flags.writeable
    batches = [frame.batch for frame in made.frames]
    assert batches == sorted(set(batches))
    assert (batches[0], batches[-1]) == (0, made.batches)


def test_the_sizes_are_those_of_the_recorded_pass() -> None:
    made, after = flow(f"{TRAIN} epochs 2 batch 1")
    for n, before in ((0, run(session(), MLP)[1]), (-1, after)):
        frame = made.frames[n]
        (sample,) = frame.samples
        x, t = (before_of(name)[sample].tolist() for name in "xt")
        text = COMMAND.replace("(x)", f"({x})").replace(", t)", f", {t})")
        found, _ = run(before, f"%gradient {text}")
        assert isinstance(found[-1], GradientMade)
        (only,) = found[-1].passes
        values = only.recording.values
        wires = {o.mark.level: o for o in occurrences(only.arrow) if o.mark.level >= 0}
        for i in range(3):
            assert made.sizes[n, 0, i] == pytest.approx(rms(values[wires[i].wire]), rel=1e-5)
            (w,) = wires[i].cotangents
            assert made.sizes[n, 1, i] == pytest.approx(rms(values[w]), rel=1e-5)
        for change in only.changes:
            assert change.before is not None
            ratio = rms(change.after - change.before) / max(rms(change.before), rms(change.after))
            assert of(made, Quantity.CHANGE, f"FC[{change.location.name}]")[n] == pytest.approx(ratio, rel=1e-5)


def before_of(name: str) -> Array:
    return np.asarray(session().given["points"][name])


def rms(array: Array) -> float:
    return float(np.sqrt(np.mean(np.square(array))))


def test_the_net_is_what_the_outermost_reverse_handler_handles() -> None:
    made, _ = flow(f"{TRAIN} epochs 2")
    (net,) = made.nets
    assert net.handler == "sgd(0.1, t)"
    assert [box.label for box in net.boxes] == ["FC[w0]", "swish(h)", "FC[w1]"]
    assert [box.locations for box in net.boxes] == [("w0",), (), ("w1",)]
    assert np.isnan(of(made, Quantity.CHANGE, "swish(h)")).all()


def test_rounds_are_measured_together() -> None:
    net = f"{FC}\nloc ws[4] : Real(2, 2) = normal(0.5, seed=1)\nloc v : Real(1, 2) = normal(0.5, seed=2)\n"
    net += "net mlp(x : Real(2)) : Real(1) =\n  let s <= repeat i < 4 from s = x do FC[ws[i]](s) in FC[v](s)\n"
    made, _ = flow(f"{TRAIN} epochs 2", net)
    inner = next(box for box in made.boxes if box.in_loop)
    assert inner.label.startswith("FC[ws[")
    assert (of(made, Quantity.CHANGE, inner.label) > 0).all()
    assert (of(made, Quantity.COTANGENT, inner.label) > 0).all()


def test_a_command_without_a_reverse_handler_has_values_only() -> None:
    text = 'train let w <= Get[w0]() in Put[w0](w + outer(fill[3](sum(t)), x)) for (x, t) in data("points")'
    made, _ = flow(text)
    assert made.extremes(Quantity.VALUE) is not None
    assert made.extremes(Quantity.COTANGENT) is None


def test_an_interrupted_run_shows_what_was_recorded() -> None:
    events = execute(session(), Source("cell", f"{MLP}\n%flow {TRAIN} epochs 10000000"))
    found: list[Shown] = []
    interrupted = False
    try:
        event = next(events)
        while True:
            if isinstance(event, Shown):
                found.append(event)
            if isinstance(event, Progress) and event.fraction > 0 and not interrupted:
                interrupted = True
                event = events.throw(KeyboardInterrupt())
            else:
                event = next(events)
    except (StopIteration, KeyboardInterrupt):
        pass
    assert isinstance(found[-1].result, FlowMade)
    assert found[-1].result.frames[-1].batch < found[-1].result.batches


def test_a_diagram_that_does_not_fit_is_refused() -> None:
    found, _ = run(session(), f"{MLP}\n%limit bytes 20000\n%flow {TRAIN.replace('mlp(u)', 'mlp(u + 0 * sum(fill[9000](1)))')}")
    assert isinstance(found[-1], ItemFailed)


def test_it_takes_a_training_item() -> None:
    assert codes(run(session(), f"{MLP}\n%flow 1 + 1")[0]) == ["RH042"]


# --- what to look at ---------------------------------------------------------------------------------------------------------


def layers(activation: str, first: str = "normal(0.5, seed=1)") -> str:
    return f"""{FC}
loc w0 : Real(4, 2) = {first}
loc w1 : Real(4, 4) = normal(0.5, seed=2)
loc w2 : Real(1, 4) = normal(0.5, seed=3)
net mlp(x : Real(2)) : Real(1) =
  let h <= FC[w0](x) in let h <= FC[w1]({activation}(h)) in FC[w2]({activation}(h))
"""


def test_dead_units_are_pointed_out() -> None:
    bias = f"{FC}\nloc w0 : Real(3, 2) = [[-9, -9], [1, 1], [-9, -9]]\nloc w1 : Real(1, 3) = ones\n"
    net = "net mlp(x : Real(2)) : Real(1) = let h <= FC[w0](x * x) in FC[w1](relu(h))\n"
    made, _ = flow(f"{TRAIN} epochs 3 batch 4", bias + net, count=4)
    (finding,) = [f for f in made.findings if "have been 0" in f.text]
    assert finding.text.startswith("2 of 3 units of relu(h) have been 0 on every recorded sample from the start")
    assert [made.boxes[i].label for i in finding.boxes] == ["relu(h)"]


def test_a_unit_that_is_rarely_used_is_not_dead() -> None:
    bias = f"{FC}\nloc w0 : Real(2, 2) = [[1, 0], [0, 0.1]]\nloc w1 : Real(1, 2) = ones\n"
    net = "net mlp(x : Real(2)) : Real(1) = let h <= FC[w0](x - [1, 0]) in FC[w1](relu(h))\n"
    made, _ = flow(f"{TRAIN.replace('0.1', '0.0001')} epochs 1 batch 40", bias + net, count=40)
    assert not [f for f in made.findings if "have been 0" in f.text]


def test_vanishing_cotangents_are_pointed_out() -> None:
    made, _ = flow(f"{TRAIN.replace('0.1', '0.0001')} epochs 2", layers("square", "normal(0.00005, seed=1)"))
    (finding,) = [f for f in made.findings if "vanishes" in f.text]
    assert "at FC[w0]" in finding.text
    assert finding.quantity is Quantity.COTANGENT
    assert not flow(f"{TRAIN} epochs 2")[0].findings


def test_numbers_that_are_not_finite_are_pointed_out() -> None:
    made, _ = flow(f"{TRAIN.replace('0.1', '90')} epochs 60", layers("square"))
    assert any("is not finite since batch" in f.text for f in made.findings), made.findings


def test_boxes_to_which_nothing_comes_back_are_pointed_out() -> None:
    made, _ = flow(f"{TRAIN} epochs 2", layers("round"))
    (finding,) = [f for f in made.findings if f.text.startswith("nothing comes back")]
    assert finding.text.startswith("nothing comes back to FC[w0], FC[w1]:")


# --- time and memory ---------------------------------------------------------------------------------------------------------


def record(pace: Pace, cost: float, batch: int, trained: float) -> None:
    """Record a frame of passes that take so many seconds each."""
    done = 0
    while done < pace.samples(batch, trained):
        pace.passed(cost)
        done += 1
    pace.record()


@given(st.integers(1, 5000), st.floats(1e-5, 0.5), st.floats(1e-6, 0.1), st.floats(0, 1), st.integers(1, 400))
def test_recording_takes_a_bounded_share(batches: int, cost: float, step: float, preparation: float, boxes: int) -> None:
    pace, recorded = Pace(batches), list[int]()
    while pace.due <= batches:
        at = pace.due
        trained = preparation + at * step
        if pace.allows(at, trained):
            recorded.append(at)
            if not at:
                pace.limit(boxes, preparation)
            record(pace, cost, at, trained)
        pace.plan(at, trained)
        assert pace.due > at
    assert (recorded[0], recorded[-1]) == (0, batches)
    assert len(recorded) <= most_frames(boxes) <= MOST_FRAMES
    assert len(recorded) * boxes * 3 <= max(MOST_SIZES, 6 * boxes)
    frame = (MOST_SAMPLES if cost <= QUICK else 1) * cost
    first_and_last, others = 2 * MOST_SAMPLES * cost, FEWEST_FRAMES * frame if cost <= SLOW else 0
    assert pace.spent <= preparation + max(SHARE * (preparation + batches * step), others) + first_and_last


def test_there_are_some_frames_even_if_there_is_no_time() -> None:
    pace, recorded = Pace(1000), list[int]()
    pace.limit(10, 5.0)
    while pace.due <= 1000:
        at = pace.due
        if pace.allows(at, 0.0):
            recorded.append(at)
            record(pace, 0.02, at, 0.0)
        pace.plan(at, 0.0)
    assert len(recorded) >= FEWEST_FRAMES


@given(st.floats(1e-4, 4e-3), st.floats(0.2, 10))
def test_a_short_run_of_many_batches_takes_a_sixth_longer_at_most(cost: float, seconds: float) -> None:
    """The U-net of the benchmark takes 0.4 s for 1,000 batches, 11 ms for its diagram and 3.6 ms for a pass."""
    pace, recorded = Pace(1000), list[int]()
    pace.limit(14, 3 * cost)
    while pace.due <= 1000:
        at = pace.due
        if pace.allows(at, at * seconds / 1000):
            recorded.append(at)
            record(pace, cost, at, at * seconds / 1000)
        pace.plan(at, at * seconds / 1000)
    assert len(recorded) >= FEWEST_FRAMES
    frame = (MOST_SAMPLES if cost <= QUICK else 1) * cost
    assert pace.spent <= max(SHARE * seconds, 3 * cost + (FEWEST_FRAMES + 2) * frame) + MOST_SAMPLES * cost
    assert np.diff(recorded).max() <= 2 * 1000 / FEWEST_FRAMES


@given(st.integers(240, 100_000))
def test_with_enough_time_the_frames_are_evenly_spaced(batches: int) -> None:
    pace, recorded = Pace(batches), list[int]()
    while pace.due <= batches:
        at = pace.due
        recorded.append(at)
        record(pace, 1e-7, at, at * 1.0)
        pace.plan(at, at * 1.0)
    gaps = np.diff(recorded)
    assert len(recorded) > 3 * MOST_FRAMES / 4
    assert gaps.max() <= 2 * np.median(gaps)
