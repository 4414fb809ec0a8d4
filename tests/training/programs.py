"""Training runs as users write them: parse a text to a ``TrainingRun``, its data, and its initial heap."""

from collections.abc import Mapping
from dataclasses import dataclass, replace
from pathlib import Path

import numpy as np

from rh_kernel.source.span import Source, Span
from rh_kernel.syntax.core import Array
from rh_kernel.syntax.parsing.parser import parse
from rh_kernel.syntax.signature import Location
from rh_kernel.syntax.surface_items import Declaration, TrainItem
from rh_kernel.syntax.types import Real, Type, concrete_shape
from rh_kernel.training.data import DataSet, load
from rh_kernel.training.events import Event, Progress, Trained
from rh_kernel.training.loop import train
from rh_kernel.typing.definitions import BUILT_IN, LocDefinition
from rh_kernel.typing.elaboration.declarations import declare
from rh_kernel.typing.elaboration.items import TrainingRun, elaborate_training

HANDLERS = """
op FC[l : Loc(m, n)] : Real(n) -> Real(m)
op Bias[l : Loc(n)] : Real(n) -> Real(n)
handler sgd(alpha : Real, t : Real(k)) : rev handler(Real(k)) = {
  return x -> return alpha * (x - t)
  FC[l](x) -> let w <= Get[l]() in return (w @ x, (w, x))
    | y, z -> let (w, x) <- z in
              let _ <= Put[l](w - outer(y, x)) in
              return w^T @ y
  Bias[l](x) -> let b <= Get[l]() in return (x + b, b)
    | y, b -> let _ <= Put[l](b - y) in return y
}
handler infer = {
  return x -> return x
  FC[l](x), k -> let w <= Get[l]() in k(w @ x)
  Bias[l](x), k -> let b <= Get[l]() in k(x + b)
}
"""

MLP = """
net mlp(x : Real(n_in)) : Real(n_out) =
  let z <= FC[w0](x) in
  let y <= Bias[b0](z) in
  let h <= return swish(y) in
  FC[w1](h)
"""


def mlp(n_in: int, n_hid: int, n_out: int) -> str:
    """Return the declarations of a multilayer perceptron with one hidden layer; ``Run.weights`` draws its weights."""
    sizes = f"dim n_in = {n_in}\ndim n_hid = {n_hid}\ndim n_out = {n_out}"
    places = "loc w0 : Real(n_hid, n_in) = zeros\nloc b0 : Real(n_hid) = zeros\nloc w1 : Real(n_out, n_hid) = zeros"
    return f"{sizes}\n{places}\n{HANDLERS}\n{MLP}"


@dataclass(frozen=True)
class Run:
    """An elaborated training run."""

    run: TrainingRun
    sets: Mapping[str, DataSet]
    locations: tuple[Location, ...]

    @property
    def data(self) -> DataSet:
        return self.sets[self.run.data]

    def weights(self, seed: int = 0) -> dict[Location, Array]:
        """Return matrices by Glorot's rule and vectors of zeros."""
        rng = np.random.default_rng(seed)
        heap: dict[Location, Array] = {}
        for location in self.locations:
            shape = concrete_shape(Real(location.shape))
            assert shape is not None
            bound = np.sqrt(6.0 / sum(shape)) if len(shape) == 2 else 0.0
            heap[location] = rng.uniform(-bound, bound, shape)
        return heap

    def events(self, heap: Mapping[Location, Array]) -> list[Event]:
        """Return the events, each with the heap at that time."""
        return [kept(event) for event in train(self.run, self.data, self.sets, heap)]


def kept(event: Event) -> Event:
    """Return the event with copies of the arrays that the next one may overwrite."""
    if not isinstance(event, Progress):
        return event
    return replace(event, heap={location: content.copy() for location, content in event.heap.items()})


def elaborated(text: str, given: Mapping[str, Mapping[str, Array]] | None = None) -> Run:
    """Return the training run at the end of the text."""
    definitions, locations = BUILT_IN, list[Location]()
    sets: dict[str, DataSet] = {}

    def sample_types(name: str, span: Span) -> Mapping[str, Type]:
        sets[name] = load(name, Path(), given or {}, span)
        return sets[name].types

    for item in parse(Source("test", text)):
        if isinstance(item, TrainItem):
            return Run(elaborate_training(definitions, item, sample_types), sets, tuple(locations))
        assert isinstance(item, Declaration), item
        definition = declare(definitions, item)
        definitions = definitions.with_(definition, item.name.span)
        if isinstance(definition, LocDefinition):
            locations.append(definition.location)
    raise AssertionError("the text trains nothing")


def trained(events: list[Event]) -> Trained:
    """Return the last event of a run."""
    (last,) = [event for event in events if isinstance(event, Trained)]
    assert events[-1] is last
    return last


def reports(events: list[Event]) -> list[Progress]:
    """Return the progress events of a run."""
    return [event for event in events if isinstance(event, Progress)]


def close(left: Mapping[Location, Array], right: Mapping[Location, Array], tolerance: float = 1e-12) -> None:
    """Assert that two heaps are equal."""
    assert left.keys() == right.keys()
    for location, array in left.items():
        np.testing.assert_allclose(array, right[location], rtol=tolerance, atol=tolerance, err_msg=location.name)
