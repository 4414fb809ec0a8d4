"""Zeros have signs, which 1 / x shows: the evaluators and the back ends agree on them, and on the sign of every infinity."""

import re
from typing import cast

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from rh_kernel.arrays.backend import Runner
from rh_kernel.arrays.compile import compile_command
from rh_kernel.arrays.execution import run
from rh_kernel.arrays.numpy_backend.backend import NumPy
from rh_kernel.arrays.numpy_backend.interpreter import Interpreter
from rh_kernel.arrays.planning.planner import planned
from rh_kernel.denotational.commands import interpret
from rh_kernel.denotational.evaluate import run as denote
from rh_kernel.loops.trees import leaves
from rh_kernel.syntax.binding import instantiate_command
from rh_kernel.syntax.core import Array, Scope
from rh_kernel.syntax.types import SCALAR, real
from rh_kernel.syntax.values import constant
from rh_kernel.typing.definitions import LocDefinition
from tests.arrays.validation import validate
from tests.arrays.written import command
from tests.declarations import declared
from tests.laws.readings import arrays, reached
from tests.tiers import law

DECLARATIONS = declared("""
fun scalar(a : Real) : Real = a
fun vector(v : Real(2)) : Real(2) = v
fun double(a : Real) : Real = a + a
fun five(a : Real) : Real = 5
fun nought(v : Real(2)) : Real(2) = 0
fun pair(a : Real) : Real * Real = (a * -2, a * 3)
fun own(a : Real) : Real = a with rd(w, a) = w - 0
fun stop(v : Real(2)) : Real(2) = v with rd(w, v) = 0
fun both(v : Real(2)) : Real(2) * Real = (-v, sum(v))
loc c : Real(2) = [0.0, -0.0]
op Half[l : Loc(2)] : Real(2) -> Real(2)
op Log : Real -> Real
handler back(t : Real(2)) : rev handler(Real(2)) = {
  return v -> return t * v
  Half[l](v) -> let w <= Get[l]() in return (w * v, (w, v)) | y, z -> let _ <= Put[l](z.1 - z.2 * y) in return z.1 * y
  Log(a) -> return (a, a) | y, a -> return 0
}
""")

LOCATION = cast(LocDefinition, DECLARATIONS.get("c")).location
ZEROS = {"S": "scalar(0)", "V": "vector(0)"}
NUMBERS = ("0", "0.0", "-0.0", "1", "-1", "2", "0.5")

SCALARS = (
    "({S} + 0)",
    "(0 + {S})",
    "(0 - {S})",
    "({S} - 0)",
    "({S} + {S})",
    "({S} - {S})",
    "({S} * {S})",
    "(-{S})",
    "recip(0 * {S})",
    "relu({S})",
    "abs({S})",
    "sign({S})",
    "step({S})",
    "round({S})",
    "square({S})",
    "sum({V})",
    "dot({V}, {V})",
    "mean({V})",
    "sum(slice[0, 1]({V}))",
    "double({S})",
    "own({S})",
    "five({S})",
    "pair({S}).1",
    "pair({S}).2",
    "(both({V})).2",
    "(let {new_S} <- {S} in {S:new_S})",
    "({S}).rd({new_S}. {S:new_S})({S})",
    "({V}).rd({new_S}. {V:new_S})({S})",
    "rd[own]({S}, {S})",
    "rd[double]({S}, {S})",
    "rd[five]({S}, {S})",
    "rd[pair](({S}, {S}), {S})",
)
VECTORS = (
    "({V} + 0)",
    "(0 + {V})",
    "(0 - {V})",
    "({V} - 0)",
    "({V} + {V})",
    "({V} - {V})",
    "({V} * {V})",
    "(-{V})",
    "({S} * {V})",
    "[{L}, {L}]",
    "fill[2]({S})",
    "concat(slice[1, 2]({V}), slice[0, 1]({V}))",
    "(outer({V}, {V}) @ {V})",
    "sum_rows(broadcast_rows[2]({V}))",
    "reshape[2](crop1d[2](pad1d[4](reshape[1, 2]({V}))))",
    "reshape[2](sumpool1d[2](reshape[2, 2](outer({V}, {V}))))",
    "recip(0 * {V})",
    "nought({V})",
    "stop({V})",
    "(both({V})).1",
    "(let {new_V} <- {V} in {V:new_V})",
    "({V}).rd({new_V}. {V:new_V})({V})",
    "({S}).rd({new_V}. {S:new_V})({V})",
    "rd[stop]({V}, {V})",
    "rd[nought]({V}, {V})",
    "rd[both](({V}, {S}), {V})",
)

HOLE = re.compile(r"\{(L|new_S|new_V|S:new_S|V:new_S|S:new_V|V:new_V|S|V)\}")


class Writer:
    """Writes terms of the language, hole by hole: ``{S}`` is a scalar, ``{V}`` a vector, ``{S:new_S}`` one under a binder."""

    def __init__(self, draw: st.DrawFn) -> None:
        self.draw = draw
        self.names = 0

    def term(self, kind: str, scope: tuple[tuple[str, str], ...], depth: int) -> str:
        """A term of that kind in these variables, each with its kind."""
        known = [name for name, of in scope if of == kind]
        if depth == 0 or self.draw(st.integers(0, 3)) == 0:
            number = self.draw(st.sampled_from(NUMBERS))
            written = f"scalar({number})" if kind == "S" else f"fill[2]({number})"
            return self.draw(st.sampled_from([*known, *known, written, ZEROS[kind]]))
        self.names += 1
        new = f"z{self.names}"

        def filled(hole: re.Match[str]) -> str:
            match hole[1].split(":"):
                case ["L"]:
                    return self.draw(st.sampled_from(NUMBERS))
                case ["new_S" | "new_V"]:
                    return new
                case [of]:
                    return self.term(of, scope, depth - 1)
                case [of, binder]:
                    return self.term(of, (*scope, (new, binder[-1])), depth - 1)
                case _:
                    raise AssertionError(hole[0])

        return HOLE.sub(filled, self.draw(st.sampled_from(SCALARS if kind == "S" else VECTORS)))


INPUTS = (("a", "S"), ("u", "V"), ("v", "V"))
NAMES, TYPES = ("a", "u", "v"), (SCALAR, real(2), real(2))


@st.composite
def programs(draw: st.DrawFn) -> str:
    """A command in the variables ``a``, ``u`` and ``v``, whose result shows the signs of its zeros."""
    writer = Writer(draw)
    if draw(st.booleans()):
        M, N = writer.term("S", INPUTS, 3), writer.term("V", INPUTS, 3)
        return f"return ({M}, recip({M}), {N}, recip({N}))"
    inside = (("x", "V"), ("n", "S"), ("y", "V"), ("b", "S"))
    first, second, third = (writer.term(kind, inside[: 2 + i], 2) for i, kind in enumerate("VSV"))
    t = writer.term("V", (), 1)
    body = f"let y <= Half[c]({first}) in let b <= Log({second}) in return {third}"
    shown = "let w <= Get[c]() in return (g, recip(g.1), recip(g.2), w, recip(w))"
    return f"let g <= rev handle (u, a) <x, n>. {body} with back({t}) in {shown}"


def same(found: Array, expected: Array) -> None:
    """The same numbers, with the same sign also where they are zero; nan is nan."""
    np.testing.assert_array_equal(found, expected)
    there = ~np.isnan(expected)
    np.testing.assert_array_equal(np.signbit(found[there]), np.signbit(expected[there]))


def zeros(size: int) -> st.SearchStrategy[Array]:
    return st.lists(st.sampled_from([0.0, -0.0, 1.0, -1.0]), min_size=size, max_size=size).map(np.array)


@law(25)
@given(programs(), st.tuples(zeros(1), zeros(2), zeros(2), zeros(2)))
def test_the_evaluators_and_the_back_ends_agree_on_the_sign_of_zeros(text: str, inputs: tuple[Array, ...]) -> None:
    agree(text, inputs)


def agree(text: str, inputs: tuple[Array, ...]) -> None:
    """The steps, the denotation, and the compiled program read equation by equation and run as loops, with and without BLAS."""
    P = command(DECLARATIONS, text, dict(zip(NAMES, TYPES, strict=True)))
    *given, content = inputs
    heap = {LOCATION: content}
    stepped = reached(instantiate_command(Scope(NAMES, P), *map(constant, given)), heap)
    expected = arrays(stepped.value)
    found = [tuple(denote(interpret(TYPES, Scope(NAMES, P)), given, heap).values)]
    program = validate(compile_command(P, TYPES))
    for how in ("read", "loops", "matrices"):
        memory = NumPy().memory(heap, "float64")
        runner: Runner = Interpreter(program, memory, "float64", None)
        if how != "read":
            runner = NumPy().runner(planned(program, None, matrices=how == "matrices"), memory)
        runner.step(*given)
        found.append(leaves(runner.result()))
    for values in found:
        for x, y in zip(values, expected, strict=True):
            same(x, y)


@pytest.mark.parametrize(
    ("term", "expected"),
    [
        ("0 * -1", -np.inf),
        ("0 + -0.0", np.inf),
        ("-0.0 + 0", np.inf),
        ("-0.0 - 0", -np.inf),
        ("-0", -np.inf),
        ("0 - 0", np.inf),
        ("-(1 - 1)", -np.inf),
        ("sum([-0.0, -0.0])", np.inf),
        ("dot(-0.0, 1.0)", np.inf),
        ("rd[neg](0.0, 1)", -np.inf),
        ("rd[neg](0, 1)", np.inf),
        ("rd[five](1, 2)", np.inf),
        ("rd[five](1, 2) + -0.0", np.inf),
        ("(-0.0).rd(x. x + five(x))(1)", -np.inf),
        ("slice[0, 1]((fill[2](0.0)).rd(u. rd[both]((u, 1), u))(u))", -np.inf),
        ("1.rd(x. (-0.0).rd(y. x * 0 + (y + five(y)))(x))(1)", np.inf),
    ],
)
def test_one_divided_by_a_zero_is_infinite_on_its_side(term: str, expected: float) -> None:
    text, inputs = f"return recip({term})", (np.zeros(1), np.zeros(2), np.zeros(2), np.zeros(2))
    agree(text, inputs)
    found, _ = run(compile_command(command(DECLARATIONS, text, dict(zip(NAMES, TYPES, strict=True))), TYPES), inputs[:3], {})
    assert np.asarray(found).tolist() == [expected]
