"""Lost updates (RH143): there is a warning if and only if a used clause is stale, and its quick fix gives gradient descent.

The oracle is backpropagation through time, written out in NumPy.
"""

from pathlib import Path

import numpy as np
import numpy.typing as npt
import pytest
from hypothesis import given
from hypothesis import strategies as st

from rh_kernel.session.results import ItemFailed, Shown, Warned
from rh_kernel.session.session import Session, execute
from rh_kernel.source.diagnostic import Diagnostic
from rh_kernel.source.span import Source
from tests.tiers import law

Matrix = npt.NDArray[np.float64]

RATE, WIDTH = 0.125, 2

KEEP = "FC[l](x) -> let w <= Get[l]() in return (tanh(w @ x), (w, x))"
GRADIENT = "let u <- rd[tanh](y, w @ x) in"
CLAUSES = {
    "let": f"{KEEP}\n    | y, z -> let (w, x) <- z in\n              {GRADIENT}\n"
    "              let _ <= Put[l](w - 0.125 * outer(u, x)) in\n              return w^T @ u",
    "pattern": f"{KEEP}\n    | y, (w, x) -> {GRADIENT} let _ <= Put[l](w - 0.125 * outer(u, x)) in return w^T @ u",
    "sum": f"{KEEP}\n    | y, (w, x) -> {GRADIENT} let _ <= Put[l](-0.125 * outer(u, x) + w) in return w^T @ u",
    "before": f"{KEEP}\n    | y, (w, x) -> {GRADIENT}\n"
    "      let v <- w - 0.125 * outer(u, x) in\n      let _ <= Put[l](v) in\n      return w^T @ u",
    "function": f"{KEEP}\n    | y, (w, x) -> {GRADIENT} let _ <= Put[l](descent(w, outer(u, x))) in return w^T @ u",
    "projections": f"{KEEP}\n    | y, z -> let u <- rd[tanh](y, z.1 @ z.2) in\n"
    "      let _ <= Put[l](z.1 - 0.125 * outer(u, z.2)) in return z.1^T @ u",
    "bound": f"{KEEP}\n    | y, (w, x) -> {GRADIENT}\n"
    "      let g <= (let _ <= Put[l](w - 0.125 * outer(u, x)) in return u) in return w^T @ g",
    "nested": "FC[l](x) -> let (w, x) <= (let a <= Get[l]() in return (a, x)) in return (tanh(w @ x), ((x, w), ()))\n"
    f"    | y, ((x, w), _) -> let w' <- w in {GRADIENT} let _ <= Put[l](w' - 0.125 * outer(u, x)) in return w^T @ u",
    "branch": f"{KEEP}\n    | y, (w, x) -> {GRADIENT}\n"
    "      let _ <= if 0 < 1 then Put[l](w - 0.125 * outer(u, x)) else return () in return w^T @ u",
}
"""Gradient descent on ``tanh(w @ x)`` with a content that was read on the way forward, written in several ways."""

FRESH = f"{KEEP}\n    | y, (w, x) -> {GRADIENT} let v <= Get[l]() in let _ <= Put[l](v - 0.125 * outer(u, x)) in return w^T @ u"


def program(clause: str, body: str, weights: list[Matrix], x: Matrix) -> str:
    locations = [f"loc w{i} : Real(2, 2) = {w.tolist()}" for i, w in enumerate(weights)]
    return "\n".join(
        [
            "op FC[l : Loc(m, n)] : Real(n) -> Real(m)",
            "fun descent(a : Real(m, n), g : Real(m, n)) : Real(m, n) = a - 0.125 * g",
            *locations,
            f"handler learn : rev handler(Real(2)) = {{\n  return y -> return y\n  {clause}\n}}",
            f"rev handle ({x.tolist()}) <x>. {body} with learn",
        ]
    )


def run(text: str) -> tuple[list[Diagnostic], dict[str, Matrix]]:
    """The warnings, and the contents at the end."""
    events = execute(Session.start(Path()), Source("cell", text))
    warnings: list[Diagnostic] = []
    while True:
        try:
            event = next(events)
        except StopIteration as stop:
            return warnings, {location.name: content for location, content in stop.value.heap.items()}
        if isinstance(event, Shown):
            assert not isinstance(event.result, ItemFailed), event.result
            warnings += event.result.diagnostics if isinstance(event.result, Warned) else ()


def fixed(text: str, warnings: list[Diagnostic]) -> str:
    for fix in sorted([d.fix for d in warnings if d.fix is not None], key=lambda fix: -fix.span.start):
        text = text[: fix.span.start] + fix.text + text[fix.span.end :]
    return text


def descended(weights: list[Matrix], order: list[int], x: Matrix) -> dict[str, Matrix]:
    """The weights after one step on half the square of the norm of the last state, with the sum over all uses."""
    states = [x]
    for i in order:
        states.append(np.tanh(weights[i] @ states[-1]))
    gradients = [np.zeros_like(w) for w in weights]
    y = states[-1]
    for i, before, after in zip(order[::-1], states[-2::-1], states[:0:-1], strict=True):
        u = y * (1 - after**2)
        gradients[i] += np.outer(u, before)
        y = weights[i].T @ u
    return {f"w{i}": w - RATE * g for i, (w, g) in enumerate(zip(weights, gradients, strict=True))}


def matrices(*shape: int) -> st.SearchStrategy[Matrix]:
    numbers = st.integers(-8, 8).map(lambda n: n / 4)
    return st.lists(numbers, min_size=int(np.prod(shape)), max_size=int(np.prod(shape))).map(
        lambda entries: np.array(entries).reshape(shape)
    )


@st.composite
def chains(draw: st.DrawFn) -> tuple[str, list[int], list[Matrix], Matrix]:
    """A command that uses locations in turn, in loops and outside, with the order of the uses, the weights and the input."""
    weights = [draw(matrices(WIDTH, WIDTH)) for _ in range(draw(st.integers(1, 3)))]
    parts: list[str] = []
    order: list[int] = []
    for _ in range(draw(st.integers(1, 3))):
        i, n = draw(st.integers(0, len(weights) - 1)), draw(st.integers(0, 3))
        kind = draw(st.sampled_from(["once", "repeat", "scan", "if"]))
        use = f"FC[w{i}](x)"
        match kind:
            case "once":
                parts.append(use)
            case "repeat":
                parts.append(f"repeat k < {n} from x = x do {use}")
            case "scan":
                n = max(n, 1)
                rows = [[float(k)] for k in range(n)]
                parts.append(f"let (_, x) <= scan (a in {rows}) from x = x do let x <= {use} in return ((), x) in return x")
            case _:
                parts.append(f"if 0 * sum(x) > 1 then return x else {use}")
        order += [i] * (n if kind in {"repeat", "scan"} else 1)
    body = "".join([f"let x <= ({part}) in " for part in parts]) + "return x"
    return body, order, weights, draw(matrices(WIDTH))


@given(st.data(), chains())
@law()
def test_a_warning_is_given_where_an_update_is_lost_and_its_fix_descends(
    data: st.DataObject, chain: tuple[str, list[int], list[Matrix], Matrix]
) -> None:
    body, order, weights, x = chain
    clause = CLAUSES[data.draw(st.sampled_from(sorted(CLAUSES)))]
    written = program(clause, body, weights, x)
    warnings, _ = run(written)
    assert [d.code for d in warnings] == (["RH143"] if len(order) > len(set(order)) else [])
    left, contents = run(fixed(written, warnings))
    assert left == []
    for name, expected in descended(weights, order, x).items():
        np.testing.assert_allclose(contents[name], expected, rtol=1e-9, atol=1e-12)


@given(chains())
@law(30)
def test_a_clause_that_reads_again_is_right_everywhere(chain: tuple[str, list[int], list[Matrix], Matrix]) -> None:
    body, order, weights, x = chain
    warnings, contents = run(program(FRESH, body, weights, x))
    assert warnings == []
    for name, expected in descended(weights, order, x).items():
        np.testing.assert_allclose(contents[name], expected, rtol=1e-9, atol=1e-12)


@pytest.mark.parametrize("clause", CLAUSES.values(), ids=CLAUSES)
def test_every_way_to_write_a_stale_clause_is_found_and_fixed(clause: str) -> None:
    w, x = np.array([[0.5, -0.25], [1, 0.75]]), np.array([1.0, -2.0])
    written = program(clause, "repeat k < 3 from s = x do FC[w0](s)", [w], x)
    warnings, contents = run(written)
    assert [d.code for d in warnings] == ["RH143"]
    expected = descended([w], [0, 0, 0], x)["w0"]
    assert not np.allclose(contents["w0"], expected)
    left, contents = run(fixed(written, warnings))
    assert left == []
    np.testing.assert_allclose(contents["w0"], expected, rtol=1e-12)
