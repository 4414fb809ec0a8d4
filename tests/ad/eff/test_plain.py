"""The features outside of the thesis' calculus (Sigal 2024, ch. 7), in which every program terminates."""

import pytest
from hypothesis import given

from rh_kernel.ad.eff import loading
from rh_kernel.ad.eff.typing.thesis_fragment import outside
from tests.ad.eff.programs import Program, plain

DECLARATIONS = """\
effect Choose = choose : Bool
effect Raise = raise : Text -> a
effect Again = again : {[Again] Float} -> Float
effect Run [e] = run : {[e] Float} -> Float
data Paired x = Paired x x
data Tree = Leaf | Branch Tree Tree
data Later [e] = Later {[e] Float}
fun double x = x + x
fun loop x = loop x
fun looping x = {loop x}
fun both = if choose! then 1.0 else 2.0
fun masked = <Choose> both!
fun grown = Branch Leaf Leaf
handler all = return x -> x | <choose -> k> -> k True + k False
handler first = return x -> x | <choose -> k> -> k True
handler never = return x -> x | <raise t -> k> -> 0.0
handler twice = return x -> x | <again p -> k> -> k (handle p! with twice)
handler given v = return x -> x | <choose -> k> -> k v
handler runs = return x -> x | <run p -> k> -> k p!
"""

GO_PAST = "operations that go past a handler to another one"

PROGRAMS: dict[str, tuple[str, ...]] = {
    "double 2": (),
    "let Paired x y = Paired 1 2 in x + y": (),
    "handle both! with all": (),
    "handle both! with given True": (),
    "handle (handle both! with first) + both! with all": (),
    "handle handle 1.0 with first with all": (),
    "handle (let t = {both!} in handle 1.0 with never; t!) with all": ("an operation of any type: `raise`",),
    # In the thesis a clause may perform what is around, but what is handled may not.
    "handle handle if choose! then both! else 3.0 with { return x -> x | <choose -> k> -> k choose! } with all": (),
    "handle handle both! with { return x -> x + both! | <choose -> k> -> k True } with all": (),
    "handle both! with runs": (GO_PAST,),
    "handle run {1.0} with runs": (),
    "handle handle run {both!} with runs with all": (),
    "handle handle both! with runs with all": (GO_PAST,),
    "looping 1": ("recursion: `loop` uses itself",),
    "handle 1.0 with twice": ("recursion: `twice` uses itself", "a recursive effect: Again"),
    "grown!": ("a recursive data type: Tree",),
    "match grown! | Leaf -> 1 | Branch _ _ -> 2": ("a recursive data type: Tree",),
    "[1, 2]": ("a recursive data type: List",),
    "new 1": ("references",),
    'print "a"': ("printing",),
    "handle handle masked! with all with all": ("adaptors",),
    'handle raise "a" with never': ("an operation of any type: `raise`",),
}


@pytest.mark.parametrize("program", PROGRAMS)
def test_features_outside_of_the_calculus(program: str) -> None:
    definitions = loading.declared(DECLARATIONS)
    found = outside(definitions, loading.computation(program, definitions))
    assert set(found) == set(PROGRAMS[program])


@given(plain(ground=True))
def test_random_plain_programs_are_in_the_calculus(program: Program) -> None:
    assert outside(program.definitions, program.term) == ()


@given(plain(ground=False))
def test_random_plain_programs_of_any_type_are_in_the_calculus(program: Program) -> None:
    assert outside(program.definitions, program.term) == ()


@given(plain(forwards=True))
def test_operations_that_pass_handlers_are_the_only_feature(program: Program) -> None:
    assert set(outside(program.definitions, program.term)) <= {GO_PAST}
