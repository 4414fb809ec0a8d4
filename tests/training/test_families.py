"""Training a net of many layers, whose weights are the rows of one array, is training its layers one by one."""

from collections.abc import Sequence
from pathlib import Path

import numpy as np
import pytest

from rh_kernel.session.results import Event, ItemFailed, Result, Shown, TrainingDone
from rh_kernel.session.session import Session, execute
from rh_kernel.source.span import Source
from rh_kernel.syntax.core import Array

LAYERS = 9

DECLARED = f"""
loc ws[{LAYERS}] : Real(3, 3) = normal(0.4, seed=1)
op FC[l : Loc(m, n)] : Real(n) -> Real(m)
handler sgd(t : Real(k)) : rev handler(Real(k)) = {{
  return x -> return 0.05 * (x - t)
  FC[l](x) -> let w <= Get[l]() in return (w @ x, (w, x))
    | y, (w, x) -> let _ <= Put[l](w - outer(y, x)) in return w^T @ y
}}
"""
REPEATED = f"repeat i < {LAYERS} from s = x do let y <= FC[ws[i]](s) in return s + tanh(y)"
ONE_BY_ONE = (
    "let s <- x in " + "".join(f"let y <= FC[ws[{i}]](s) in let s <- s + tanh(y) in " for i in range(LAYERS)) + "return s"
)


def run(folder: Path, net: str, options: str, first: str) -> tuple[list[Result], Session]:
    """The results of training, and the session after it."""
    session = Session.start(folder)
    text = f'{first}\n{DECLARED}\ntrain rev handle (x) <x>. {net} with sgd(t) for (x, t) in data("d.npz") epochs 3 {options}'
    events: list[Event] = []
    running = execute(session, Source("cell", text))
    while True:
        try:
            events.append(next(running))
        except StopIteration as ended:
            session = ended.value
            break
    results = [e.result for e in events if isinstance(e, Shown)]
    assert not [result for result in results if isinstance(result, ItemFailed)]
    return results, session


def trained(folder: Path, net: str, options: str, first: str = "") -> dict[str, Array]:
    """The heap after training."""
    _, session = run(folder, net, options, first)
    return {location.name: content for location, content in session.state.heap.items()}


def measured(folder: Path, net: str, options: str, first: str) -> Sequence[float]:
    """The only measure after each epoch."""
    results, _ = run(folder, net, options, first)
    ((_, curve),) = [measure for result in results if isinstance(result, TrainingDone) for measure in result.measures]
    return curve


@pytest.mark.parametrize("first", ["", "%limit bytes 100000"], ids=["in one go", "little memory"])
@pytest.mark.parametrize("options", ["batch 1", "batch 4", "batch 4 shuffle 1", "batch 4 pieces 2"])
def test_a_family_is_trained_like_its_locations(tmp_path: Path, options: str, first: str) -> None:
    rng = np.random.default_rng(0)
    np.savez(tmp_path / "d.npz", x=rng.normal(size=(12, 3)), t=rng.normal(size=(12, 3)))
    repeated, alone = [trained(tmp_path, net, options, first).items() for net in (REPEATED, ONE_BY_ONE)]
    for (name, found), (other, expected) in zip(repeated, alone, strict=True):
        assert name == other
        np.testing.assert_allclose(found, expected, rtol=1e-10, atol=1e-12)


def one_by_one(places: range) -> str:
    layers = "".join([f"let y <= FC[vs[{i}]](s) in let s <- s + tanh(y) in " for i in places])
    return f"let s <- x in {layers}return s"


def repeated(index: str) -> str:
    return f"repeat i < 9 from s = x do let y <= FC[vs[{index}]](s) in return s + tanh(y)"


@pytest.mark.parametrize(("index", "places"), [("i", range(9)), ("2 * i", range(0, 18, 2)), ("i + 1", range(1, 10))])
def test_a_measure_may_go_through_other_locations_of_a_family_than_the_training(
    tmp_path: Path, index: str, places: range
) -> None:
    rng = np.random.default_rng(1)
    np.savez(tmp_path / "d.npz", x=rng.normal(size=(12, 3)), t=rng.normal(size=(12, 3)))
    first = "loc vs[18] : Real(3, 3) = normal(0.3, seed=1)"
    plain = "{ return x -> return x ; FC[l](x), k -> let w <= Get[l]() in k(w @ x) }"
    nets = [one_by_one(places), repeated(index)]
    expected, found = [
        measured(tmp_path, repeated("2 * i"), f"batch 4 measure let z <= handle {net} with {plain} in return sum(z * z)", first)
        for net in nets
    ]
    np.testing.assert_allclose(found, expected, rtol=1e-10)
