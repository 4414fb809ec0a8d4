"""The machine agrees with the reducer (Sigal 2024, Figs. 7.4, 7.11) on random programs and on those of ch. 3."""

from collections import Counter
from collections.abc import Mapping
from dataclasses import fields, replace
from itertools import count
from typing import cast

import pytest
from hypothesis import given
from hypothesis import strategies as st

from rh_kernel.ad.eff import core, library, loading
from rh_kernel.ad.eff.core import Apply, Constructed, Force, Literal, Thunk, Tuple, Value
from rh_kernel.ad.eff.machine.compiler.program import Program
from rh_kernel.ad.eff.machine.running import Outcome, run, run_in_slices
from rh_kernel.ad.eff.reduction import reducer as reduction
from rh_kernel.ad.eff.reduction.rules import Rule
from rh_kernel.ad.eff.traversal import TERMS, Node, bottom_up, free, parts
from rh_kernel.operational.errors import OutOfFuel
from rh_kernel.source.diagnostic import Stuck
from rh_kernel.source.trampoline import exhaust
from tests.ad.eff import programs


def ran(text: str, declarations: str = "", *, counting: bool = False) -> Outcome:
    """The outcome of an expression."""
    definitions = loading.declared(declarations)
    return run(loading.checked(text, definitions).term, definitions, counting=counting)


def plainly(V: Value | None) -> object:
    """A value as one of Python: lists for lists, tuples for tuples and for constructed values."""
    match V:
        case Literal(value):
            return value
        case Tuple(components):
            return tuple(map(plainly, components))
        case Constructed("Nil", ()):
            return []
        case Constructed("Cons", (head, rest)):
            found = [plainly(head)]
            while isinstance(rest, Constructed) and rest.fields:
                found.append(plainly(rest.fields[0]))
                rest = rest.fields[1]
            return found
        case Constructed(K, fields):
            return (K, *map(plainly, fields))
        case _:
            return V


def value(text: str, declarations: str = "") -> object:
    """The value of an expression, on which machine and reducer agree."""
    definitions = loading.declared(declarations)
    M = loading.checked(text, definitions).term
    outcome, state = run(M, definitions), reduction.run(M, definitions)
    assert outcome.value == state.value
    return plainly(outcome.value)


# --------------------------------------------------------------------------------------------------- laws


@given(programs.plain())
def test_machine_and_reducer_agree(program: programs.Program) -> None:
    assert run(program.term, program.definitions).value == reduction.run(program.term, program.definitions).value


@given(programs.plain(forwards=True, size=6))
def test_machine_and_reducer_agree_where_operations_pass_handlers(program: programs.Program) -> None:
    assert run(program.term, program.definitions).value == reduction.run(program.term, program.definitions).value


@pytest.mark.parametrize(
    ("applied", "expected"), [("{x y -> x + y} 2.0 x", 3.0), ("{x y -> y} 2.0 x", 1.0), ("{x y z -> x + z} 2.0 x 5.0", 7.0)]
)
def test_a_parameter_does_not_capture_a_variable_of_a_later_argument(applied: str, expected: float) -> None:
    assert value("f 1.0", f"fun f x = {applied}") == expected


def silently(M: core.Computation) -> core.Computation:
    """M, with silent names for the results that are used once."""
    used = Counter(N.name for N in inside(M) if isinstance(N, core.Variable))
    once = {N.name: core.SILENT + N.name for N in inside(M) if isinstance(N, core.Let) and used[N.name] == 1}

    def renamed(N: object) -> object:
        if isinstance(N, tuple):
            return tuple(map(renamed, N))
        if isinstance(N, core.Let | core.Variable):
            N = replace(N, name=once.get(N.name, N.name))
        if not isinstance(N, core.Node):
            return N
        return replace(N, **{f.name: renamed(getattr(N, f.name)) for f in fields(N) if f.name != "span"})

    found = renamed(M)
    return cast(core.Computation, found)


def inside(M: Node) -> list[Node]:
    """M and all its parts."""
    found: list[Node] = [M]
    for N in found:
        found += [L for _, L in parts(N)]
    return found


@given(programs.plain(forwards=True))
def test_postponing_a_result_until_its_use_changes_nothing(program: programs.Program) -> None:
    assert run(silently(program.term), program.definitions).value == run(program.term, program.definitions).value


def applied_in_place(M: Node) -> Node:
    """M, with ``{λx. λy. N} V W`` for ``x ← return V; y ← return W; N``, and names for the arguments of built-in functions."""
    match M:
        case core.BuiltIn(_, (_, _) as arguments):
            x, y = names = tuple([f"{id(M)}.{n}" for n in range(2)])
            N: core.Computation = core.Let(y, core.Return(arguments[1]), replace(M, arguments=tuple(map(core.Variable, names))))
            return applied_in_place(core.Let(x, core.Return(arguments[0]), N))
        case core.Let(x, core.Return(V), core.Let(y, core.Return(W), N)) if x not in free(W):
            return Apply(Apply(Force(Thunk(core.Lambda(x, core.Lambda(y, N)))), V), W)
        case _:
            return M


def shadowing(M: Node, names: Mapping[str, str]) -> Node:
    """M, whose binders have as few names as possible, and ``names`` for its free variables."""
    if isinstance(M, core.Variable):
        return core.Variable(names[M.name])
    new: list[tuple[tuple[str, ...], Node]] = []
    for binders, N in parts(M):
        taken = {names[x] for x in free(N).difference(binders)}
        unused = (x for n in count() if (x := f"x{n}") not in taken)
        inner = dict(zip(binders, unused, strict=False))
        new.append((tuple(inner.values()), shadowing(N, {**names, **inner})))
    return TERMS.rebuilt(M, tuple(new)) if new else M


@given(programs.plain(forwards=True, size=4))
def test_variables_of_the_same_name_are_not_confused(program: programs.Program) -> None:
    M = cast(core.Computation, shadowing(bottom_up(program.term, applied_in_place), {}))
    assert run(M, program.definitions).value == run(program.term, program.definitions).value


DERIVATIVES = ["d", "grad", "dc", "dt", "dd", "gradc", "gradh"]


@pytest.mark.parametrize("derivative", DERIVATIVES)
def test_machine_and_reducer_agree_on_the_library(derivative: str) -> None:
    definitions = loading.program(*library.names())
    body = "t (sin_ x) (divide (exp_ x) (p x (n (t x x))))"
    M = loading.checked(f"handle {derivative} {{x -> {body}}} (c 0.5) with evaluate", definitions).term
    outcome = run(M, definitions, counting=True)
    assert outcome.value == reduction.run(M, definitions).value
    assert outcome.counts is not None
    handled = sum(step.rule is Rule.OPERATION for step in reduction.steps(M, definitions))
    assert handled == sum(n for _, _, n in outcome.counts.handled)


@given(programs.plain(ground=False, forwards=True))
def test_a_function_or_a_pair_has_no_value_in_both(program: programs.Program) -> None:
    V, W = run(program.term, program.definitions).value, reduction.run(program.term, program.definitions).value
    assert (V is None) == (W is None)


@given(programs.plain(forwards=True), st.integers(1, 4))
def test_a_run_in_slices_equals_a_run(program: programs.Program, every: int) -> None:
    whole = run(program.term, program.definitions)
    pieces = run_in_slices(program.term, Program(program.definitions), every=every)
    if whole.steps < 1_000:
        assert exhaust(pieces) == whole


@given(programs.plain(forwards=True))
def test_counting_changes_nothing(program: programs.Program) -> None:
    counted, plain = run(program.term, program.definitions, counting=True), run(program.term, program.definitions)
    assert counted.value == plain.value
    assert counted.counts is not None
    assert counted.counts.captured <= sum(n for _, _, n in counted.counts.handled)


# -------------------------------------------------------------------------------------------- conformance

STATE = """\
effect State = get : Float | put : Float -> Unit
handler runState =
    return x -> \\s -> (s, x)
  | <get -> k> -> \\s -> k s s
  | <put s -> k> -> \\_ -> k () s
handler logState =
    return x -> \\s -> (s, [])
  | <get -> k> -> \\s -> k s s
  | <put s -> k> -> \\_ -> let (last, log) = k () s in (last, s :: log)
"""


def test_state() -> None:
    program = "{let x = get! in put (x + 1.0); let y = get! in put (y + y); get!}"
    assert value(f"(handle {program}! with runState) 1.0", STATE) == (4.0, 4.0)
    assert value(f"(handle {program}! with logState) 1.0", STATE) == (4.0, [2.0, 4.0])


def test_two_instances_of_one_effect_are_two_cells() -> None:
    # The inner cell starts at 0 and is set to the content of the outer one: 1.
    program = "let x = <State> get! in put x; get!"
    assert value(f"(handle (handle {program} with runState) 0.0 with runState) 1.0", STATE) == (1.0, (1.0, 1.0))


EXCEPTION = """\
effect Exception = exception : Text -> a
fun quotients a b = if b == 0.0 then exception "Divided by zero" else a / b
"""


def test_an_exception_leaves_the_rest_undone() -> None:
    program = 'print (show (quotients 4.0 2.0)); print (show (quotients 4.0 0.0)); print "never"'
    handled = f"handle {program} with {{ return x -> x | <exception t -> _> -> print t }}"
    assert ran(handled, EXCEPTION).printed == ("2.0", "Divided by zero")


def test_nested_handlers_compose_their_results() -> None:
    default = "effect Default = default : Float\nhandler constant c = return x -> x | <default -> k> -> k c"
    assert value("handle (default!, default!) with constant 1.0", default) == (1.0, 1.0)
    program = "let x = (handle default! with constant 1.0) in let y = (handle default! with constant 2.0) in (x, y)"
    assert value(program, default) == (1.0, 2.0)


CHOOSE = """\
effect Choose = choose : Bool
handler sum = return x -> x | <choose -> k> -> k True + k False
"""


def test_a_continuation_can_be_resumed_several_times() -> None:
    program = "if choose! then (if choose! then 1.0 else 10.0) else (if choose! then 100.0 else 1000.0)"
    assert value(f"handle {program} with sum", CHOOSE) == 1111.0


def test_each_resumption_has_its_own_inner_handlers() -> None:
    # Each alternative has its own state, (1 + 2) and (1 + 3), which the outer handler adds.
    program = "let (_, x) = (handle put (if <State> choose! then 2.0 else 3.0); get! with runState) 1.0 in x + 1.0"
    assert value(f"handle {program} with sum", STATE + CHOOSE) == 7.0


# A bug of another handler runtime (Koka): two handlers of one effect, the inner one performs the outer operation.
NESTED = """\
effect Op = op : Float
handler outer = return x -> x | <op -> k> -> k 1.0
handler inner = return x -> x | <op -> k> -> k (op! + 1.0)
fun loop (n : Int) total = if n <= 0 then total else let x = op! in loop (n - 1) (total + x)
"""


def test_nested_handlers_of_one_effect_take_time_linear_in_the_operations() -> None:
    def outcome(n: int) -> Outcome:
        return ran(f"handle handle loop {n} 0.0 with inner with outer", NESTED, counting=True)

    small, large, larger = outcome(100), outcome(200), outcome(400)
    assert plainly(small.value) == 200.0
    assert larger.steps - large.steps == 2 * (large.steps - small.steps)
    assert small.counts is not None
    assert larger.counts is not None
    assert small.counts.frames == larger.counts.frames
    assert larger.counts.handled_by("inner") == larger.counts.handled_by("outer") == 400


# --------------------------------------------------------------------------------- functions and pairs


def test_functions_take_more_or_fewer_arguments_than_parameters() -> None:
    assert value("let f = {x -> {y z -> x + y * z}} in let g = f 1.0 in g 2.0 3.0") == 7.0
    assert value("(let f = {x y z -> x + y * z} in f 1.0) 2.0 3.0") == 7.0
    assert value("(if True then \\x -> \\y -> x - y else \\x -> \\y -> y - x) 5.0 2.0") == 3.0


def test_a_handler_may_return_a_function() -> None:
    declared = "effect Ask = ask : Float\nhandler reads = return x -> \\a b -> (x, a, b) | <ask -> k> -> \\a -> k a (a + 1.0)"
    assert value("(handle ask! + ask! with reads) 1.0 10.0", declared) == (3.0, 3.0, 10.0)


def test_adaptors_move_into_functions_and_pairs() -> None:
    level = "effect Level = level : Float\nhandler at n = return x -> \\_ -> x | <level -> k> -> \\u -> k n u"
    inside = "(<Level> (\\x -> level! + x)) 10.0"
    assert value(f"(handle (handle {inside} with at 1.0) () with at 2.0) ()", level) == 12.0
    inside = "(<Level> <| level!, 5.0 |>).1"
    assert value(f"(handle (handle {inside} with at 1.0) () with at 2.0) ()", level) == 2.0


def test_an_adaptor_can_drop_the_second_of_three_levels() -> None:
    level = "effect Level = level : Float\nhandler at n = return x -> x | <level -> k> -> k n"
    inside = "<Level(s a b c -> s b c a)> (level!, <Level> level!, <Level> <Level> level!)"
    program = f"handle handle handle {inside} with at 0.0 with at 1.0 with at 2.0"
    assert value(program, level) == (2.0, 0.0, 1.0)


# ------------------------------------------------------------------------------------------------ the rest


def test_references_and_arrays_hold_the_last_value_written() -> None:
    twice = "fun twice r = r := @r + 1.0; r := @r + 1.0; @r"
    assert value("twice (new 3.0)", twice) == 5.0
    cells = "{let a = new 1.0 in let b = array [1.0, 2.0] in store b 1 @a; a := 7.0; (@a, fetch b 1, size b)}!"
    assert value(cells) == (7.0, 1.0, 2)


def test_postponed_results_use_the_values_of_their_definition() -> None:
    # The comparison is evaluated at its use, when the environment has grown.
    text = "let p = (1.0, 2.0) in (match p | (a, b) -> (match (b, a) | (c, d) -> let e = c + d in (a, b, c, d, e, e + a)))"
    assert value(text) == (1.0, 2.0, 2.0, 1.0, 3.0, 4.0)
    inner = "fun pick b x y = match b | True -> x | False -> y\nfun first (x, _) = x"
    assert value("let r = new 5.0 in (pick (1.0 < 2.0) (first (1.0, 2.0)) 3.0) + @r", inner) == 6.0


def test_matches_take_the_first_branch_that_matches() -> None:
    declared = """\
data Side = L | R
fun f side n xs = match (side, n, xs)
  | (L, 0, _) -> "a"
  | (_, 1, x :: _) -> "b" ++ show x
  | (R, n, [x, y]) -> "c" ++ show (n + x + y)
  | (L, _, []) -> "d"
  | _ -> "e"
"""
    program = "(f L 0 [], f R 1 [5], f R 2 [1, 1], f L 7 [], f R 1 [], f R 3 [1])"
    assert value(program, declared) == ("a", "b5.0", "c4.0", "d", "e", "e")


@pytest.mark.parametrize(
    ("text", "code", "at"),
    [
        ("let a = array [1.0] in fetch a 1", "RH533", "fetch a 1"),
        ("let a = array [1.0] in store a (-1) 2.0", "RH533", "store a (-1) 2.0"),
        ("quotient 7 0", "RH530", "quotient 7 0"),
        ('match Nothing | Just x -> x + 1.0 | Nothing -> fail "nothing is there"', "RH531", 'fail "nothing is there"'),
        ('let f = {x -> 2.0 * fail ("too much" ++ x)} in f "!"', "RH531", 'fail ("too much" ++ x)'),
    ],
)
def test_a_stuck_run_reports_span_and_reason(text: str, code: str, at: str | None) -> None:
    with pytest.raises(Stuck) as caught:
        ran(text)
    (diagnostic,) = caught.value.diagnostics
    assert diagnostic.code == code
    assert diagnostic.hint
    assert diagnostic.span is not None
    assert at is None or diagnostic.span.text == at


def test_the_limit_of_steps_is_exact() -> None:
    definitions = loading.declared("fun loop (x : Float) : Float = loop x")
    with pytest.raises(Stuck) as caught:
        run(loading.checked("loop 1.0", definitions).term, definitions, limit=12_345)
    assert isinstance(caught.value.diagnostics[0], OutOfFuel)
    assert caught.value.diagnostics[0].steps == 12_345


def test_a_program_can_be_used_with_later_declarations() -> None:
    first = loading.declared("fun f x = x + 1.0")
    program = Program(first)
    assert exhaust(run_in_slices(loading.checked("f 1.0", first).term, program)).value == Literal(2.0)
    second = loading.declared("fun g x = f (f x)", first)
    program.use(second)
    assert exhaust(run_in_slices(loading.checked("g 1.0", second).term, program)).value == Literal(3.0)
    # The same key with another declaration, as after a cell was undone.
    other = loading.declared("fun f x = x * 10.0")
    program.use(other)
    assert exhaust(run_in_slices(loading.checked("f 1.0", other).term, program)).value == Literal(10.0)


def test_a_thunk_is_read_back_closed() -> None:
    outcome = ran("let y = 2.0 in let f = {x -> x + y} in {z -> f z}")
    assert isinstance(outcome.value, Thunk)
    called = Apply(Force(outcome.value), Literal(5.0))
    assert run(called, loading.prelude()).value == Literal(7.0)


def test_long_sequences_of_lets_are_compiled() -> None:
    definitions = loading.prelude()
    assert value("1.0 + " * 3_000 + "1.0") == 3_001.0
    tuples = " in ".join(f"let (x{n + 1}, y{n + 1}) = (y{n}, x{n} + 1.0)" for n in range(1_000))
    M = loading.computation(f"let (x0, y0) = (0.0, 0.0) in {tuples} in x1000 + y1000", definitions)
    assert run(M, definitions).value == Literal(1_000.0)
    justs = " in ".join(f"let Just x{n + 1} = Just (x{n} + 1.0)" for n in range(1_000))
    M = loading.computation(f"let x0 = 0.0 in {justs} in x1000", definitions)
    assert run(M, definitions).value == Literal(1_000.0)
