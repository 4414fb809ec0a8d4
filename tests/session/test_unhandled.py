"""Unhandled operations: all evaluators, traces and diagrams name the handlers around them."""

import pytest

from tests.typing.cells import run, wrong

START = """op FC[l : Loc(m, n)] : Real(n) -> Real(m)
op Noise : Real(n) -> Real(n)
loc w : Real(2, 2) = eye
handler infer = { return x -> return x
  FC[l](x), k -> let w <= Get[l]() in k(w @ x) }
handler sgd(t : Real(n)) = { return x -> return x - t
  FC[l](x) -> let w <= Get[l]() in return (w @ x, w) | y, w -> return w^T @ y }
net f(x : Real(2)) = let y <= FC[w](x) in Noise(y)
"""
REVERSE = "rev handle ([1, 2]) <x>. f(x) with sgd([0, 0])"
CLAUSE = "`Noise(x) -> P | y, z -> Q`, where P returns Real(n) and the data for Q, and Q returns Real(n)."


def hint(text: str) -> str:
    _, session = run(START)
    (diagnostic,) = wrong(text, session)
    assert diagnostic.code == "RH201"
    return diagnostic.hint


@pytest.mark.parametrize(
    "text",
    [
        REVERSE,
        f"%evaluator stepped\n{REVERSE}",
        f"%evaluator denoted\n{REVERSE}",
        f"%compile {REVERSE}",
        f"%gradient {REVERSE}",
        f'train {REVERSE} for (x, t) in data("xor")',
        'train return 1 for (x, t) in data("xor") measure let y <= handle f(x) with infer in return sum(y)',
    ],
)
def test_the_handler_around_has_no_clause(text: str) -> None:
    if "measure" in text:
        assert hint(text) == "`infer` has no clause for `Noise`. Add one: `Noise(x), k -> Q`, where `k` takes Real(n)."
    else:
        assert hint(text) == f"`sgd` has no clause for `Noise`. Add one: {CLAUSE}"


@pytest.mark.parametrize(
    ("text", "said"),
    [
        (f"handle ({REVERSE}) with infer", f"`sgd` and `infer` have no clause for `Noise`. Add one: {CLAUSE}"),
        (
            "handle Noise([1, 2]) with { return x -> return x ; FC[l](x), k -> k(fill[m](0)) }",
            "The handler around it has no clause for `Noise`. Add one: `Noise(x), k -> Q`, where `k` takes Real(n).",
        ),
        (
            "handle FC[w]([1, 2]) with { return x -> return x ; FC[l](x), k -> let y <= Noise(x) in k(fill[m](0)) }",
            "the operations in a clause go to the outer handlers: one of them needs a clause for `Noise`.",
        ),
        (
            "let y <= handle FC[w]([1, 2]) with infer in Noise(y)",
            "handle it with `rev handle (M) <x>. … with H` or `handle … with H`, where H has a clause for `Noise`",
        ),
        (
            "loc v : Real(2, 2) = eye\nhandle FC[v]([1, 2]) with { return x -> return x ; FC[w](x), k -> k(x) }",
            "The handler around it has a clause only for `FC[w]`, but this is `FC[v]`. "
            "A clause for all locations is `FC[l](x), k -> Q`, where `k` takes Real(m).",
        ),
    ],
)
def test_what_is_said_depends_on_the_handlers_around(text: str, said: str) -> None:
    assert hint(text) == said
