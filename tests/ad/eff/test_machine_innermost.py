"""Specialisation of code to the innermost handler: the same code inside of several handlers, and continuations elsewhere."""

from collections.abc import Generator
from dataclasses import fields, replace
from typing import cast

import pytest
from hypothesis import given

from rh_kernel.ad.eff import core, loading
from rh_kernel.ad.eff.definitions import Definitions, Function, Handler
from rh_kernel.ad.eff.machine.compiler.program import Program
from rh_kernel.ad.eff.machine.running import Outcome, run, run_in_slices
from rh_kernel.ad.eff.reduction import reducer as reduction
from rh_kernel.ad.eff.traversal import free
from rh_kernel.ad.eff.types import UNIT, Returner, Row, Scheme, Thunk
from rh_kernel.source.trampoline import exhaust
from tests.ad.eff import programs
from tests.ad.eff.test_machine import value

UNSEEN = Scheme((), (), Thunk(Row(), Returner(UNIT)))
"""The type is arbitrary, as the machine ignores types."""


def declared_apart(M: core.Computation, definitions: Definitions) -> tuple[core.Computation, Definitions]:
    """M, where handlers and functions without free variables are declared and called by name."""
    scheme = loading.declared("effect E = e : Int\nhandler h = return x -> x | <e -> k> -> k 1").handler("h").scheme
    made: list[Function | Handler] = []

    def apart(N: object) -> object:
        if isinstance(N, tuple):
            return tuple(map(apart, N))
        if not isinstance(N, core.Node):
            return N
        N = replace(N, **{f.name: apart(getattr(N, f.name)) for f in fields(N) if f.name != "span"})
        if isinstance(N, core.Thunk) and not free(N):
            made.append(Function(core.FunctionDefinition(f"f{len(made)}", N, core.Signature(())), UNSEEN))
            return core.Global(made[-1].definition.name)
        if isinstance(N, core.Clauses) and not free(N):
            made.append(Handler(core.HandlerDefinition(f"h{len(made)}", (), N, ()), scheme))
            return core.Named(made[-1].definition.name)
        return N

    found = cast(core.Computation, apart(M))
    for D in made:
        definitions = definitions.with_(D)
    return found, definitions


@given(programs.plain(forwards=True, size=6))
def test_declared_handlers_and_functions_behave_as_inlined(program: programs.Program) -> None:
    """The machine on both terms, and the reducer, agree."""
    M, definitions = declared_apart(program.term, program.definitions)
    expected = reduction.run(program.term, program.definitions).value
    assert run(M, definitions).value == run(program.term, program.definitions).value == expected
    counted, plain = (run(N, D, counting=True).counts for N, D in ((M, definitions), (program.term, program.definitions)))
    assert counted is not None
    assert plain is not None
    assert sorted(counted.performed) == sorted(plain.performed)


ASKS = """\
effect Ask = ask : Int
effect Choose = choose : Bool
fun joined xs ys = match xs | [] -> ys | x :: xs -> x :: joined xs ys
handler one = return x -> x | <ask -> k> -> k 1
handler two = return x -> x | <ask -> k> -> k 2
handler doubled = return x -> x | <ask -> k> -> k (2 * ask!)
handler both = return x -> [x] | <choose -> k> -> (match (k True, k False) | (xs, ys) -> joined xs ys)
fun sum () = let a = ask! in let b = ask! in 10 * a + b
"""


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("(handle sum () with one, handle sum () with two, handle sum () with one)", (11, 22, 11)),
        ("handle (handle sum () with doubled) with one", 22),
        ("handle (handle sum () with doubled) with two", 44),
        ("handle (handle (handle sum () with doubled) with doubled) with one", 44),
        ("handle (handle sum () + <Ask> (sum ()) with doubled) with two", 66),
        ("handle (handle <Ask> (sum ()) with one) with two", 22),
        ("handle (handle (handle (if choose! then sum () else ask!) with two) with both) with one", [22, 2]),
        ("handle (handle (handle (if choose! then sum () else ask!) with both) with two) with one", [22, 2]),
    ],
)
def test_functions_inside_of_several_handlers(text: str, expected: object) -> None:
    """By hand: with ``one`` sum is 11, with ``two`` 22, and ``doubled`` doubles the outer one."""
    assert value(text, ASKS) == expected


def test_recursive_functions_and_long_chains_of_calls_do_not_use_the_python_stack() -> None:
    """A thousand recursive calls, or a chain of many functions, inside of a tail-resumptive handler."""
    round_and_round = "fun asked (n : Int) (a : Int) : [Ask] Int = if n <= 0 then a else asked (n - 1) (a + ask!)"
    assert exhaust(started("handle asked 5000 0 with two", f"{ASKS}{round_and_round}")).value == core.Literal(10_000)
    others = "".join(f"fun f{n + 1} () = let a = f{n} () in a + ask!\n" for n in range(300))
    assert exhaust(started("handle f300 () with two", f"{ASKS}fun f0 () = ask!\n{others}")).value == core.Literal(602)


def started(text: str, declarations: str) -> Generator[None, None, Outcome]:
    """The run of a closed term."""
    definitions = loading.declared(declarations)
    return run_in_slices(loading.checked(text, definitions).term, Program(definitions))


def test_a_handler_declared_anew_is_compiled_anew() -> None:
    """The function and its compiled code stay."""
    first = loading.declared(ASKS)
    second = loading.declared(ASKS.replace("k 1", "k 5"))
    program = Program(first)
    M = loading.checked("handle sum () with one", first).term
    assert exhaust(run_in_slices(M, program)).value == core.Literal(11)
    program.use(second)
    assert exhaust(run_in_slices(M, program)).value == core.Literal(55)
    program.use(first)
    assert exhaust(run_in_slices(M, program)).value == core.Literal(11)


def test_direct_clauses_capture_no_continuation() -> None:
    """In forward mode all clauses are direct under ``evaluate``; in reverse mode only that of a constant is."""
    definitions = loading.program("evaluate", "forward", "stateful", "taylor")
    for mode, continuations in (("d", 0), ("grad", 4 * 10)):
        M = loading.checked(f"handle {mode} {{x -> taylor 10 x}} 0.5 with evaluate", definitions).term
        counts = run(M, definitions, counting=True).counts
        assert counts is not None
        assert counts.captured == continuations
