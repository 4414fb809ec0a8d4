"""Print, then parse, then elaborate is the identity up to α on closed programs."""

from hypothesis import given, reject
from hypothesis import strategies as st

from rh_kernel.source.diagnostic import Rejected
from rh_kernel.source.span import Source
from rh_kernel.syntax.parsing.parser import parse_expression
from rh_kernel.syntax.printing.printer import show
from rh_kernel.typing.derivation.derive import derive_command
from rh_kernel.typing.elaboration.items import ClosedCommand, ClosedTerm, elaborate_evaluation
from tests.declarations import DEFINITIONS
from tests.strategies import World, terms, types
from tests.strategies_of_commands import Program, programs
from tests.tiers import law

WRITTEN = World(written=True)
WIDTHS = st.sampled_from([10, 60, 100, 10**9])


def read(text: str) -> ClosedTerm | ClosedCommand:
    """The closed term or command that a text stands for, with its type."""
    return elaborate_evaluation(DEFINITIONS, parse_expression(Source("printed", text)))


@law(100)
@given(programs(w=WRITTEN), WIDTHS)
def test_what_is_printed_of_a_program_is_read_as_that_program(p: Program, width: int) -> None:
    assert read(show(p.command, width)) == ClosedCommand(p.command, p.type)


@law(100)
@given(st.data())
def test_what_is_printed_of_a_term_is_read_as_that_term(data: st.DataObject) -> None:
    A = data.draw(types())
    M = data.draw(terms((), A, 6, WRITTEN))
    assert read(show(M, data.draw(WIDTHS))) == ClosedTerm(M, A)


@law(60)
@given(programs())
def test_what_has_been_read_once_is_read_the_same_again(p: Program) -> None:
    try:
        once = read(show(p.command))
    except Rejected:
        reject()  # a zero of which nothing says how large it is
    assert isinstance(once, ClosedCommand)
    assert derive_command((), (), once.command).type == once.type
    assert read(show(once.command)) == once
