"""Training a net of many layers, whose weights are the rows of one array, is training its layers one by one."""

from pathlib import Path

import numpy as np
import pytest

from rh_kernel.session.results import Event, ItemFailed, Shown
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


def trained(folder: Path, net: str, options: str, first: str = "") -> dict[str, Array]:
    """The heap after training."""
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
    assert not [e for e in events if isinstance(e, Shown) and isinstance(e.result, ItemFailed)]
    return {location.name: content for location, content in session.state.heap.items()}


@pytest.mark.parametrize("first", ["", "%limit bytes 100000"], ids=["in one go", "little memory"])
@pytest.mark.parametrize("options", ["batch 1", "batch 4", "batch 4 shuffle 1", "batch 4 pieces 2"])
def test_a_family_is_trained_like_its_locations(tmp_path: Path, options: str, first: str) -> None:
    rng = np.random.default_rng(0)
    np.savez(tmp_path / "d.npz", x=rng.normal(size=(12, 3)), t=rng.normal(size=(12, 3)))
    repeated, alone = [trained(tmp_path, net, options, first).items() for net in (REPEATED, ONE_BY_ONE)]
    for (name, found), (other, expected) in zip(repeated, alone, strict=True):
        assert name == other
        np.testing.assert_allclose(found, expected, rtol=1e-10, atol=1e-12)
