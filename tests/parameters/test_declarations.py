"""Parameters as declarations: the kinds of declarations are kept, and no value can inject other items."""

from __future__ import annotations

import contextlib

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from rh_kernel.parameters.declarations import Declared, declarations, declared_in
from rh_kernel.source.diagnostic import Rejected
from rh_kernel.source.span import Source
from rh_kernel.syntax.parsing.parser import parse
from rh_kernel.syntax.surface_items import ConstDeclaration, DimDeclaration, LocDeclaration

CELL = """# what this run is about
dim n = 3   # how many
const alpha = 0.1
const t : Real(n) = [1, 2, 3]  # the target
# of the first layer
loc w : Real(n, 2) = normal(0.5, seed=1)
loc v = [1,
  2]  # two lines
"""
SIGNS = [
    "\n",
    "\r",
    "\t",
    "\x0b",
    "\x85",
    "\u2028",
    "\n%reset",
    "\ndim k = 1",
    "const y = 2",
    "let z <- 1 in z",
    "normal(1.0, seed=2)",
]
PIECES = st.sampled_from([*'1x=#"(){}[],:;-+% é', *SIGNS])
TEXTS = st.lists(PIECES, max_size=8).map("".join) | st.text(max_size=10)


def test_a_cell_declares_its_parameters() -> None:
    assert declared_in(CELL) == (
        Declared("dim", "n", "", "3", "how many"),
        Declared("const", "alpha", "", "0.1", ""),
        Declared("const", "t", "Real(n)", "[1, 2, 3]", "the target"),
        Declared("loc", "w", "Real(n, 2)", "normal(0.5, seed=1)", ""),
        Declared("loc", "v", "", "[1,\n  2]", "two lines"),
    )


def test_what_gives_no_name_a_value_is_no_parameter() -> None:
    assert declared_in("fun f(x : Real) = x\nnet g(x : Real) = return x\nf(2)\n%heap\ndim n =\ndim m = 2") == (
        Declared("dim", "m", "", "2", ""),
    )
    assert declared_in("") == ()


def test_a_parameter_stays_what_the_notebook_declares() -> None:
    given_ = {"w": "zeros", "beta": 2, "t": [1, 2, 3, 4], "n": 4, "alpha": 0.5}
    assert declarations(given_, declared_in(CELL)).split("\n") == [
        "dim n = 4",
        "const alpha = 0.5",
        "const t : Real(n) = [1, 2, 3, 4]",
        "loc w : Real(n, 2) = zeros",
        "const beta = 2",
    ]
    assert declarations({"n": 4}) == "const n = 4"


@given(st.dictionaries(st.sampled_from(["n", "alpha", "t", "w", "new"]) | TEXTS, TEXTS | st.integers(), max_size=3))
@example({"x": "1\n%reset"})
@example({"x": "f\n(2)"})
@example({"x = 1 #": 2})
@example({"x : Real(1)": 2})
@example({"w": 'load("w.npy")\n}'})
def test_nothing_but_the_declarations_of_the_names_is_made(parameters: dict[str, object]) -> None:
    with contextlib.suppress(Rejected):
        made = parse(Source("cell", declarations(parameters, declared_in(CELL))))
        kinds = {"n": DimDeclaration, "w": LocDeclaration}
        assert {
            item.name.span.text for item in made if isinstance(item, DimDeclaration | ConstDeclaration | LocDeclaration)
        } == {*parameters}
        assert len(made) == len(parameters)
        for item in made:
            assert isinstance(item, DimDeclaration | ConstDeclaration | LocDeclaration)
            assert isinstance(item, kinds.get(item.name.text, ConstDeclaration))


@pytest.mark.parametrize("name", ["learning-rate", "let", "2nd", "", "a b", "x = 1 #", "x\ny", "x : Real(1)"])
def test_a_name_that_is_none_is_refused(name: str) -> None:
    with pytest.raises(Rejected):
        declarations({name: 1})


@pytest.mark.parametrize("value", ["", "[1,, 2]", "1 2", "1\ndim n = 3", '"adam"', "normal(1.0, seed=2)", "{ return x -> x }"])
def test_a_text_that_is_no_term_is_refused(value: str) -> None:
    with pytest.raises(Rejected) as refused:
        declarations({"x": value})
    assert all(d.span is not None and d.span.source.name == "parameter x" for d in refused.value.diagnostics)
