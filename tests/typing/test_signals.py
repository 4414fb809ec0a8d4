"""Signals, images, pieces under dimension variables (LANGUAGE §2, §4): one definition for all sizes, and uses that fail."""

from typing import Any

import pytest

from rh_kernel.session.results import DeclarationMade
from tests.typing.cells import last, value, wrong

GENERIC = [
    ("fun f(x : Real(c, n), w : Real(d, c, k)) = conv1d(x, w)", "Real(c, n) × Real(d, c, k) -> Real(d, n - k + 1)"),
    ("net f[l : Loc(d, c, 3)](x : Real(c, n)) = let w <= Get[l]() in return conv1d(x, w)", "Real(c, n) ~> Real(d, n - 2)"),
    ("fun f(x : Real(c, n)) = maxpool1d[2](conv1d(x, fill[4, c, 3](1)))", "Real(c, n) -> Real(4, ceil((n - 2) / 2))"),
    ("fun f(x : Real(c, n)) : Real(c, ceil((n - 2) / 2)) = maxpool1d[2](slice[0, c](conv1d(x, fill[c, c, 3](1))))", ""),
    ("fun f(x : Real(c, n)) = pad1d[n + 3](x)", "Real(c, n) -> Real(c, n + 3)"),
    ("fun f(x : Real(c, n)) : Real(c, n) = upscale1d[n](maxpool1d[2](x))", "Real(c, n) -> Real(c, n)"),
    ("fun f(x : Real(c, n), y : Real(d, n)) = concat(x, y)", "Real(c, n) × Real(d, n) -> Real(c + d, n)"),
    ("fun f(x : Real(m), y : Real(n)) = slice[m, m + n](concat(x, y))", "Real(m) × Real(n) -> Real(n)"),
    ("fun f(x : Real(c, m, n)) = maxpool2d[3](x) + avgpool2d[3](x)", "Real(c, m, n) -> Real(c, ceil(m / 3), ceil(n / 3))"),
    (
        "fun f(x : Real(c, h, w), k : Real(d, c, p, q)) = conv2d(x, k)",
        "Real(c, h, w) × Real(d, c, p, q) -> Real(d, h - p + 1, w - q + 1)",
    ),
    ("fun f(x : Real(c, n)) = rd[maxpool1d[2]](maxpool1d[2](x), x)", "Real(c, n) -> Real(c, n)"),
    ("fun f(x : Real(c, n)) = rd[rd[conv1d]]((x, fill[2, c, 3](1)), (fill[2, n - 2](1), (x, fill[2, c, 3](1)))).1", ""),
    ("fun f(x : Real(c, n), y : Real(c, n)) = [1].rd(z. dot(pad1d[n](conv1d(z, fill[c, c, 3](1))), y))(x)", ""),
]


@pytest.mark.parametrize(("text", "type"), GENERIC, ids=[text[:60] for text, _ in GENERIC])
def test_a_definition_holds_for_all_sizes(text: str, type: str) -> None:
    made = last(text)
    assert isinstance(made, DeclarationMade)
    assert made.type.endswith(type)


USED = [
    ("conv1d([[1, 2, 3, 4]], [[[1, 0, -1]], [[0, 1, 0]]])", "Real(2, 2)", [[-2, -2], [2, 3]]),
    ("maxpool1d[2]([[1, 5, 2, 4, 3]])", "Real(1, 3)", [[5, 4, 3]]),
    ("rd[maxpool1d[2]]([[1, 2, 3]], [[1, 5, 4, 4, 3]])", "Real(1, 5)", [[0, 1, 2, 0, 3]]),
    ("pad1d[6]([[1, 2, 3]])", "Real(1, 6)", [[0, 1, 2, 3, 0, 0]]),
    ("upscale1d[5]([[1, 2, 3]])", "Real(1, 5)", [[1, 1, 2, 2, 3]]),
    ("concat([1, 2], [3])", "Real(3)", [1, 2, 3]),
    ("concat([[1, 2]], [[3, 4], [5, 6]])", "Real(3, 2)", [[1, 2], [3, 4], [5, 6]]),
    ("slice[1, 3]([1, 2, 3, 4])", "Real(2)", [2, 3]),
    ("slice[1, 2]([[1, 2], [3, 4]])", "Real(1, 2)", [[3, 4]]),
    ("rd[slice[1, 2]]([[1, 2]], [[0, 0], [0, 0]])", "Real(2, 2)", [[0, 0], [1, 2]]),
    ("rd[concat]([1, 2, 3], ([0], [0, 0]))", "Real(1) × Real(2)", {"tuple": [[1], [2, 3]]}),
    ("conv2d([[[1, 2], [3, 4]]], [[[[1, 1], [1, 1]]]])", "Real(1, 1, 1)", [[[10]]]),
    ("maxpool2d[2]([[[1, 2, 3], [3, 4, 7]]])", "Real(1, 1, 2)", [[[4, 7]]]),
    ("avgpool2d[2]([[[1, 2, 3], [3, 4, 7]]])", "Real(1, 1, 2)", [[[2.5, 5]]]),
    ("fun f(x : Real(n)) = slice[0, n - 1](x) + slice[1, n](x)\nf([1, 2, 4])", "Real(2)", [3, 6]),
    ("dim p = 2\nmaxpool1d[p]([[1, 2, 3, 4]])", "Real(1, 2)", [[2, 4]]),
    (
        "op MaxPool1D[p : Dim] : Real(c, n) -> Real(c, ceil(n / p))\n"
        "handle MaxPool1D[3]([[1, 2, 3, 4]]) with { return x -> return x ; MaxPool1D[p](x), k -> k(maxpool1d[p](x)) }",
        "Real(1, 2)",
        [[3, 4]],
    ),
]


@pytest.mark.parametrize(("text", "type", "expected"), USED, ids=[text[-50:] for text, _, _ in USED])
def test_a_use_has_a_type_and_a_value(text: str, type: str, expected: Any) -> None:
    assert value(text) == (type, expected)


UNFIT = [
    ("slice[1, 5]([1, 2, 3, 4])", "RH117", "slice[1, 5](", "hi ≤ n"),
    ("slice[3, 1]([1, 2, 3, 4])", "RH117", "slice[3, 1](", "lo ≤ hi"),
    ("pad1d[2]([[1, 2, 3]])", "RH117", "pad1d[2](", "n ≤ m"),
    ("maxpool1d[0]([[1, 2, 3]])", "RH117", "maxpool1d[0](", "1 ≤ p"),
    ("rd[maxpool2d[0]]([[[1]]], [[[1]]])", "RH117", "rd[maxpool2d[0]](", "1 ≤ p"),
    ("fun f(x : Real(c, n)) = maxpool1d[0](x)", "RH117", "maxpool1d[0](x)", "1 ≤ p"),
    ("fun f(x : Real(c, n)) : Real(c, 2) = maxpool1d[0](x)", "RH117", "maxpool1d[0](x)", "1 ≤ p"),
    ("fun f(x : Real(n)) = slice[0, n + 1](x)", "RH117", "slice[0, n + 1](x)", "hi ≤ n"),
    ("fun f(x : Real(n)) = slice[n - 3, n](x)\nf([1, 2])", "RH117", "f([1, 2])", "0 ≤ lo"),
    ("net f(x : Real(n)) = return slice[0, 3](x)\nnet g(x : Real(n)) = f(x)\ng([1])", "RH117", "g([1])", "hi ≤ n"),
    ("net f[p : Dim](x : Real(c, n)) = return maxpool1d[p](x)\nf[0]([[1]])", "RH117", "f[0](", "1 ≤ p"),
    (
        "handler h(t : Real(k)) : rev handler(Real(k)) = { return x -> return x + fill[k](sum(slice[0, 2](t))) }\n"
        "rev handle (1) <x>. return x with h(1)",
        "RH117",
        "h(1)",
        "hi ≤ n",
    ),
    ("conv1d([[1, 2]], [[[1, 2, 3, 4]]])", "RH117", "conv1d(", "dimensions that are whole numbers from 0 on"),
    ("conv1d([[1, 2]], [[[1], [2]]])", "RH102", "[[[1], [2]]]", "Real("),
    ("concat([1], [[2]])", "RH103", "concat(", "Real("),
    ("maxpool1d[1.5]([[1]])", "RH118", "1.5", "a dimension"),
    ("slice[1]([1, 2])", "RH106", "", "slice[lo, hi]"),
]


@pytest.mark.parametrize(("text", "code", "place", "expected"), UNFIT, ids=[text[-50:] for text, *_ in UNFIT])
def test_a_use_that_is_not_possible_is_refused(text: str, code: str, place: str, expected: str) -> None:
    (diagnostic,) = wrong(text)
    assert diagnostic.code == code
    assert diagnostic.span is not None
    assert place in diagnostic.span.text
    assert expected in diagnostic.expected


def test_a_clause_at_a_size_that_it_is_not_made_for_is_stuck() -> None:
    text = """op Tail : Real(n) -> Real(n)
handler h = {
  return x -> return x
  Tail(x), k -> k(fill[n](sum(slice[2, n](x))))
}
"""
    assert value(f"{text}handle Tail([1, 2, 3]) with h") == ("Real(3)", [3, 3, 3])
    for command in ("handle Tail([1]) with h", "%trace handle Tail([1]) with h"):
        (diagnostic,) = wrong(text + command)
        assert diagnostic.code == "RH205"
        assert "`slice[2, 1]` of Real(1), which needs lo ≤ hi, and here lo = 2 and hi = 1" in diagnostic.message
        assert diagnostic.span is not None
        assert "slice[2, n](x)" in diagnostic.span.text


def test_arguments_of_a_function_of_many_ranks_are_looked_at_once() -> None:
    """Twice at each of 100 levels would take for ever."""
    text = "[1]"
    for _ in range(100):
        text = f"concat({text}, [2])"
    assert value(text)[0] == "Real(101)"
