"""Draws (LANGUAGE §9): the numbers of the contract to the bit, by every evaluator, in loops, branches and clauses."""

from collections.abc import Callable, Sequence
from pathlib import Path
from textwrap import dedent

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from rh_kernel.arrays.program import Loop, Program
from rh_kernel.primitives.draws import Stream
from rh_kernel.session.results import Notice, ProgramMade, Result, ValueFound
from rh_kernel.session.session import Session
from rh_kernel.syntax.builtin import DRAWS, NORMAL, UNIFORM
from rh_kernel.syntax.core import Array
from tests.laws.readings import arrays, assert_close
from tests.session.cells import codes, run
from tests.tiers import law

EVALUATORS = ("compiled", "stepped", "denoted")
FORWARDED = "with { return x -> return x }"
"""A reverse handler that forwards every operation; the cotangent of the result is the result."""
SCALED = "repeat i < ROUNDS from s = x do let a <= Normal[2]() in let b <= Uniform[2]() in return s * (a + b)"
NESTED = """repeat i < ROUNDS from s = x do
  let a <= Normal[2]() in repeat j < 9 from s = s do let b <= Uniform[2]() in return a - b * s"""
CHOOSING = """repeat i < ROUNDS from s = x do
  let a <= Normal() in if a < 0 then return s else let b <= Uniform[2]() in return s + b"""
KEPT = """
op Layer : Real(2) -> Real(2)
handler dropping = {
  return x -> return x
  Layer(x) -> let u <= Uniform[2]() in let keep <- step(u - [0.5, 0.5]) in return (x * keep, keep)
    | y, keep -> let e <= Normal[2]() in return y * keep + 0.01 * e
}
"""


def philox(seed: int, number: int, sample: int = 0, epoch: int = 0) -> np.random.Generator:
    """The generator of the contract."""
    return np.random.Generator(np.random.Philox(key=[seed, 0], counter=[0, number, sample, epoch]))


def after(cell: str, evaluator: str) -> tuple[list[Result], Session]:
    return run(Session.start(Path()), f"%evaluator {evaluator}\n{dedent(cell)}")


def value(cell: str, evaluator: str) -> list[Array]:
    """The arrays in the value of the last item."""
    results, _ = after(cell, evaluator)
    assert not codes(results), codes(results)
    found = results[-1]
    assert isinstance(found, ValueFound)
    return arrays(found.value)


def made(cell: str, evaluator: str) -> float:
    """How many draws the heap counts after a cell."""
    results, session = after(cell, evaluator)
    assert not codes(results), codes(results)
    return float(session.heap[DRAWS].item())


def agree(cell: str) -> list[Array]:
    """The value of the last item, on which the three evaluators agree, as they do on the number of draws."""
    first, *others = [value(cell, evaluator) for evaluator in EVALUATORS]
    for found in others:
        assert_close(found, first)
    assert len({made(cell, evaluator) for evaluator in EVALUATORS}) == 1
    return first


@pytest.mark.parametrize("evaluator", EVALUATORS)
@pytest.mark.parametrize("seed", [0, 7, 2**40])
def test_the_numbers_are_those_of_the_contract(evaluator: str, seed: int) -> None:
    cell = f"%seed {seed}\nlet a <= Normal[3]() in let b <= Uniform[2, 2]() in let c <= Normal() in return (a, b, c)"
    a, b, c = value(cell, evaluator)
    assert a.tobytes() == philox(seed, 0).standard_normal(3).tobytes()
    assert b.tobytes() == philox(seed, 1).random((2, 2)).tobytes()
    assert c.tobytes() == philox(seed, 2).standard_normal(1).tobytes()
    assert made(cell, evaluator) == 3


@pytest.mark.parametrize("evaluator", EVALUATORS)
def test_items_go_on_with_the_next_draw(evaluator: str) -> None:
    (a,) = value("Normal[3]()\nNormal[3]()", evaluator)
    assert a.tobytes() == philox(0, 1).standard_normal(3).tobytes()
    (a,) = value("Normal[3]()\n%reset\nNormal[3]()", evaluator)
    assert a.tobytes() == philox(0, 0).standard_normal(3).tobytes()
    (a,) = value("%seed 5\nNormal[3]()\n%seed 5\nNormal[3]()", evaluator)
    assert a.tobytes() == philox(5, 0).standard_normal(3).tobytes()
    (a,) = value("%seed 5\nNormal[3]()\n%reset\nNormal[3]()", evaluator)
    assert a.tobytes() == philox(5, 0).standard_normal(3).tobytes()


def test_the_seed_is_shown() -> None:
    results, _ = after("%seed 5\nNormal()\n%seed\nUniform[2]()\n%seed", "compiled")
    said = [r.text for r in results if isinstance(r, Notice)]
    assert "the seed is 5, and 1 draw has been made" in said
    assert said[-1] == "the seed is 5, and 2 draws have been made"


@pytest.mark.parametrize("words", ["x", "-1", "1.5", "1 2", str(2**53), "9" * 400])
def test_a_seed_is_a_whole_number(words: str) -> None:
    results, session = after(f"%seed {words}", "compiled")
    assert codes(results) == ["RH042"]
    assert DRAWS not in session.heap


@pytest.mark.parametrize("evaluator", EVALUATORS)
def test_a_cell_that_fails_leaves_the_number_of_draws(evaluator: str) -> None:
    results, session = run(Session.start(Path()), f"%evaluator {evaluator}\nNormal()")
    _, session = run(session, "op Nobody : Real -> Real")
    results, later = run(session, "Normal[2]()\nlet x <= Normal() in Nobody(x)")
    assert codes(results) == ["RH201"]
    assert later.heap[DRAWS].item() == session.heap[DRAWS].item() == 1
    _, later = run(run(session, "Normal[2]()")[1], "%undo")
    assert later.heap[DRAWS].item() == 1


def test_redeclaring_keeps_the_number_of_draws() -> None:
    _, session = after("loc w : Real(2) = zeros\nNormal[2]()", "compiled")
    _, session = run(session, "loc w : Real(3) = zeros")
    assert session.heap[DRAWS].item() == 1


# -- handlers ------------------------------------------------------------------------------------------------------------------


def test_a_reverse_handler_without_a_clause_forwards_a_draw() -> None:
    cell = f"%seed 3\nrev handle ([1, 2]) <x>. let e <= Normal[2]() in return x * e {FORWARDED}"
    e = philox(3, 0).standard_normal(2)
    assert_close(agree(cell), [np.array([1.0, 2.0]) * e * e])


def test_the_cotangent_of_a_draw_is_dropped() -> None:
    """So the gradient of ``x · e`` is e, whatever the shape of what is drawn."""
    cell = """
    %seed 3
    rev handle ([1, 2]) <x>. let e <= Normal[2]() in return dot(x, e) with { return y -> return 1 }"""
    assert_close(agree(cell), [philox(3, 0).standard_normal(2)])


@pytest.mark.parametrize("head", ["rev handle ([1, 2]) <x>. let e <= Normal[2]() in return x + e with"])
def test_a_clause_catches_a_draw(head: str) -> None:
    zero = "{ return x -> return x\n Normal[s](u) -> return (fill[s](0), ()) | y, z -> return () }"
    assert_close(agree(f"%seed 3\nNormal()\n{head} {zero}"), [np.array([1.0, 2.0])])
    assert made(f"%seed 3\nNormal()\n{head} {zero}", "compiled") == 1
    antithetic = "{ return x -> return x\n Normal[s](u) -> let e <= Normal[s]() in return (-e, ()) | y, z -> return () }"
    assert_close(agree(f"%seed 3\n{head} {antithetic}"), [np.array([1.0, 2.0]) - philox(3, 0).standard_normal(2)])


def test_an_ordinary_handler_catches_a_draw_and_may_go_on_twice() -> None:
    cell = """
    %seed 3
    handle (let u <= Uniform() in let e <= Normal[2]() in return scale(u, e)) with {
      return x -> return x
      Uniform[s](i), k -> let a <= k(fill[s](1)) in let b <= k(fill[s](2)) in return a + b
    }"""
    assert_close(agree(cell), [philox(3, 0).standard_normal(2) + 2 * philox(3, 1).standard_normal(2)])


def test_the_name_of_the_shape_is_the_clause_s() -> None:
    cell = """
    %seed 3
    handler doubled = { return x -> return x
      Normal[shape](u) -> let a <= Normal[shape]() in let b <= Uniform[shape]() in return (a + b, ()) | y, z -> return () }
    rev handle ([1, 2]) <x>. let e <= Normal[2]() in let f <= Normal() in return (x + e, f) with doubled"""
    assert_close(agree(cell), [np.array([1.0, 2.0]) + philox(3, 0).standard_normal(2) + philox(3, 1).random(2)])


@pytest.mark.parametrize(
    ("cell", "code"),
    [
        ("handler h = { return x -> return x\n Normal(u) -> return (0, ()) | y, z -> return () }", "RH106"),
        ("handler h = { return x -> return x\n Normal[m, n](u) -> return (0, ()) | y, z -> return () }", "RH106"),
        ("handler h = { return x -> return x\n Normal[s](u) -> return ([0, 0], ()) | y, z -> return () }", "RH102"),
        ("op Normal : Real -> Real", "RH124"),
        ("Normal[2](1)", "RH105"),
        ("Normal[n]()", "RH101"),
        ("Normal[-1]()", "RH117"),
    ],
)
def test_errors(cell: str, code: str) -> None:
    results, _ = after(cell, "compiled")
    assert codes(results) == [code]
    (diagnostic,) = [d for r in results for d in getattr(r, "diagnostics", ())]
    assert diagnostic.span is not None


def test_draws_count_as_memory() -> None:
    results, session = after("%limit bytes 1000000\nrepeat i < 1000000000 from s = 0 do Normal()", "compiled")
    assert codes(results) == ["RH241"]
    assert DRAWS not in session.heap


@pytest.mark.parametrize("option", ["", "--passes", "--profile"])
def test_a_program_that_draws_is_shown(option: str) -> None:
    results, session = after(f"%compile {option} let e <= Normal[30]() in return dot(e, e)", "compiled")
    assert not codes(results)
    (found,) = [r for r in results if isinstance(r, ProgramMade)]
    assert [d.extent for d in found.program.draws] == [(30,)]
    assert DRAWS not in session.heap


# -- loops and branches --------------------------------------------------------------------------------------------------------


def program(cell: str) -> Program:
    results, _ = after(cell, "compiled")
    (found,) = [r for r in results if isinstance(r, ProgramMade)]
    return found.program


@pytest.mark.parametrize("n", [0, 1, 3, 40])
@pytest.mark.parametrize(
    "P",
    [
        SCALED,
        "scan (y in reshape[ROUNDS, 1](fill[ROUNDS](2))) from s = x do let e <= Normal[2]() in return (e, s + scale(y, e))",
        NESTED,
        CHOOSING,
    ],
    ids=["repeat", "scan", "nested", "branch"],
)
def test_rounds_draw_one_after_the_other(P: str, n: int) -> None:
    cell = P.replace("ROUNDS", str(n)) if n or "scan" not in P else "return (0, x)"
    agree(f"%seed 4\nUniform()\nlet x <= return [1, 2] in {cell}")


@pytest.mark.parametrize("checkpointing", ["off", "3"])
@pytest.mark.parametrize("n", [3, 40])
def test_clauses_draw_in_rounds_forward_and_back(n: int, checkpointing: str) -> None:
    P = f"rev handle ([1, 2]) <x>. repeat i < {n} from s = x do let y <= Layer(s) in return 1.01 * y + x with dropping"
    agree(f"%checkpointing {checkpointing}\n{KEPT}\n%seed 4\n{P}")


def test_a_loop_that_draws_is_compiled_as_a_loop() -> None:
    few, many = [
        program(f"%compile rev handle ([1, 2]) <x>. {SCALED.replace('ROUNDS', str(n))} {FORWARDED}") for n in (40, 4000)
    ]
    assert few.count == many.count
    assert any(isinstance(e.operator, Loop) for e in few.equations)
    assert [d.extent for d in many.draws] == [(4000, 2), (4000, 2)]


def test_branches_that_draw_equally_often_need_no_more_numbers() -> None:
    P = "let u <= Uniform() in let w <= (if u < 0.5 then Normal() else Uniform()) in let v <= Normal() in return w + v"
    assert len(program(f"%compile {P}").draws) == 4
    agree(P)


@pytest.mark.parametrize("seed", range(6))
def test_what_comes_after_a_branch_depends_on_its_draws(seed: int) -> None:
    cell = f"""
    %seed {seed}
    let u <= Uniform() in
      let w <= (if u < 0.5 then return 1 else let a <= Normal() in let b <= Normal() in return a * b) in
      let v <= Normal[2]() in
      let w <= (if u > 0.7 then return w else let a <= Uniform() in return a + w) in
      let x <= Uniform[2, 2]() in
      return (w, v, x)"""
    _, v, x = agree(cell)
    u = philox(seed, 0).random(1)[0]
    before = 1 if u < 0.5 else 3
    assert v.tobytes() == philox(seed, before).standard_normal(2).tobytes()
    assert x.tobytes() == philox(seed, before + (1 if u > 0.7 else 2)).random((2, 2)).tobytes()


# -- the streams ---------------------------------------------------------------------------------------------------------------


@law(20)
@given(st.integers(0, 2**53 - 1), st.integers(0, 2**40), st.integers(0, 2**40), st.integers(0, 2**40))
def test_a_draw_is_a_function_of_its_numbers(seed: int, number: int, sample: int, epoch: int) -> None:
    for family in (NORMAL, UNIFORM):
        found = Stream(seed).draw(family, (2, 3), number, sample, epoch)
        assert found.tobytes() == Stream(seed).draw(family, (2, 3), number, sample, epoch).tobytes()
        for other in (
            Stream(seed + 1).draw(family, (2, 3), number, sample, epoch),
            Stream(seed).draw(family, (2, 3), number + 1, sample, epoch),
            Stream(seed).draw(family, (2, 3), number, sample + 1, epoch),
            Stream(seed).draw(family, (2, 3), number, sample, epoch + 1),
        ):
            assert not np.any(found == other)


def streams() -> dict[str, Sequence[Array]]:
    """Pairs of draws, as columns, that differ in one of the numbers."""
    n = 4000
    at: dict[str, Callable[[int], Array]] = {
        "draws": lambda d: Stream(1).draw(NORMAL, (2,), d),
        "samples": lambda i: Stream(1).draw(NORMAL, (2,), 0, i),
        "epochs": lambda e: Stream(1).draw(NORMAL, (2,), 0, 0, e),
        "seeds": lambda k: Stream(k).draw(NORMAL, (2,), 0),
    }
    return {name: [np.array([f(i) for i in range(n)]), np.array([f(i + 1) for i in range(n)])] for name, f in at.items()}


@pytest.mark.parametrize(("name", "pair"), streams().items())
def test_streams_are_standard_normal_and_independent(name: str, pair: Sequence[Array]) -> None:
    """Moments, the correlation of neighbours and of their squares, and the share below four bounds, within five sigma."""
    x, y = pair
    n = x.size
    for z in (x, y):
        assert abs(z.mean()) < 5 / np.sqrt(n), name
        assert abs(z.var() - 1) < 5 * np.sqrt(2 / n)
        assert abs((z**3).mean()) < 5 * np.sqrt(15 / n)
        assert abs((z**4).mean() - 3) < 5 * np.sqrt(96 / n)
    for a, b in ((x, y), (x**2 - 1, y**2 - 1), (x[:, :1], x[:, 1:])):
        assert abs((a * b).mean() / (a.std() * b.std())) < 5 / np.sqrt(a.size)
    for bound, share in ((-1.0, 0.158655), (0.0, 0.5), (0.5, 0.691462), (2.0, 0.977250)):
        assert abs((x < bound).mean() - share) < 5 * np.sqrt(share * (1 - share) / n)


def test_uniform_numbers_fill_the_interval() -> None:
    x = np.array([Stream(1).draw(UNIFORM, (2,), d) for d in range(4000)])
    counts, _ = np.histogram(x, bins=20, range=(0, 1))
    assert x.min() >= 0
    assert x.max() < 1
    assert (((counts - 400) ** 2) / 400).sum() < 60  # χ² with 19 degrees of freedom: 60 is exceeded once in 200,000 times
