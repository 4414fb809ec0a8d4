"""The systems ``effects:*``: types of the computations that they run, counts of operations, refusals, stages and traces."""

import math

import pytest
from hypothesis import given

from rh_kernel.ad.comparison import distance, vjp
from rh_kernel.ad.eff import core, loading
from rh_kernel.ad.eff.printing import items as printing_items
from rh_kernel.ad.eff.traversal import nodes
from rh_kernel.ad.eff.typing.checking import check_item
from rh_kernel.ad.errors import OutsideFragment
from rh_kernel.ad.handlers.modes import FORWARDS, HESSIAN, MODES, STATEFUL, TAPED, Mode
from rh_kernel.ad.handlers.op_table import FUNCTIONS
from rh_kernel.ad.handlers.running import library, translated
from rh_kernel.ad.handlers.translate import Encoding
from rh_kernel.ad.language.core import Program
from rh_kernel.ad.language.evaluation import run
from rh_kernel.ad.language.scalars import SYMBOLS
from rh_kernel.ad.language.values import Value, numbers
from rh_kernel.ad.registry import system
from rh_kernel.ad.system import VjpResult
from rh_kernel.source.diagnostic import Rejected, Stuck
from rh_kernel.syntax.printing.doc import plain
from tests.ad.examples import EXAMPLES, Example
from tests.ad.programs import FIRST_ORDER, HIGHER_ORDER, Sample, flat, program, programs
from tests.tiers import law

CUBE = program("fun f(x : Real) : Real = x * x * x")
PER_MODE = pytest.mark.parametrize("mode", MODES, ids=lambda m: m.name)


def differentiated(mode: Mode | str, f: Program, *point: Value, cotangent: Value = 1.0) -> VjpResult:
    """The gradient by a mode."""
    return vjp(system(mode if isinstance(mode, str) else mode.name), f, point, cotangent)


def accepted(example: Example) -> bool:
    """Whether the systems support a program."""
    return "conditional" not in example.name and "O21" not in example.name


def is_typed(mode: Mode, sample: Sample | Example) -> None:
    """Check that the computation is well typed and performs only effects that the machine handles."""
    others = sample.point if mode in FORWARDS else sample.cotangent
    found = translated(sample.program, mode.encoding)
    check_item(found.computation(mode.driver, numbers(sample.point), numbers(others)), library())


@PER_MODE
def test_the_computations_of_the_examples_are_typed(mode: Mode) -> None:
    """So no levels are confused."""
    for example in filter(accepted, EXAMPLES):
        is_typed(mode, example)


@law(40)
@given(programs(HIGHER_ORDER))
def test_the_computations_of_random_programs_are_typed(sample: Sample) -> None:
    """In every mode."""
    for mode in MODES:
        is_typed(mode, sample)


@pytest.mark.parametrize("encoding", Encoding)
def test_the_printed_function_can_be_declared_in_a_cell(encoding: Encoding) -> None:
    """It parses to the same function up to silent names."""
    for example in filter(accepted, EXAMPLES):
        f = translated(example.program, encoding).function
        text = plain(printing_items.function(f), 100)
        again = loading.declared(text, library())
        assert plain(printing_items.function(again.function(again.functions[f.name]).definition), 100) == text


@law(60)
@given(programs(HIGHER_ORDER))
def test_the_modes_agree(sample: Sample) -> None:
    """Each with stateful reverse mode; the tape does the same operations on numbers, so it is the same to the last bit."""
    one = differentiated(STATEFUL, sample.program, *sample.point, cotangent=sample.cotangent)
    assert flat(one.value) == pytest.approx(flat(run(sample.program, sample.point)), rel=1e-12)
    for mode in MODES:
        other = differentiated(mode, sample.program, *sample.point, cotangent=sample.cotangent)
        assert distance(other.gradient, one.gradient) <= 1e-9, mode.name
        if mode is TAPED:
            assert other.gradient == one.gradient
        assert other.primal == one.primal


@law(100)
@given(programs(FIRST_ORDER))
def test_the_primal_operations_are_those_of_the_program(sample: Sample) -> None:
    """``square``, ``recip`` and ``swish`` are of two operations or one; the random programs have ``swish`` alone."""
    found = differentiated("effects:forward", sample.program, *sample.point, cotangent=sample.cotangent)
    f = translated(sample.program).function
    called = [part.name for part in nodes(f.body) if isinstance(part, core.Global)]
    assert found.primal == sum(1 + (name == "swish") for name in called if name != "c")


def test_counts_of_the_cube() -> None:
    """``x·x·x`` at 2 is two products.

    Forwards each is a product, two products with a tangent and their sum. With cells each is a product, and on the way back two
    times a product and a sum; then there is the sum that gives the result its cotangent, and three cells for three constants 0.
    On the tape the same. With a continuation each is a product and has two products and a sum in its thunk, which is run once
    for each path to it from the result: once for both.
    """
    counts = {mode.name: differentiated(mode, CUBE, 2.0) for mode in MODES}
    assert all(found.gradient == (12.0,) and found.primal == 2 for found in counts.values())
    assert counts["effects:forward"].derivative == 2 * 4
    assert counts["effects:stateful"].derivative == 2 * (1 + 4) + 1
    assert dict(counts["effects:stateful"].counters)["constants"] == 3
    assert dict(counts["effects:stateful"].counters)["references"] == 3
    assert counts["effects:taped"].derivative == 2 * (1 + 4) + 1
    assert counts["effects:continuation"].derivative == 2 * (1 + 3)


def test_counts_with_a_checkpoint() -> None:
    """``x·x·x`` is a block: its products are done twice; a cotangent is added to its result and to f's.

    The cells are that of x, the one that stands for all in the first run, that of the block's result, two in the second run.
    """
    found = differentiated("effects:checkpointed", CUBE, 2.0)
    assert found.derivative == 2 + 2 * (1 + 4) + 1 + 1
    assert dict(found.counters)["references"] == 5


def test_continuations_run_once_for_each_path() -> None:
    """Squared n times: 2ⁿ paths. Of the products 2ⁿ − 1 are in thunks with two products and a sum each."""
    for n in (1, 2, 3, 6):
        lets = " ".join(f"let x{i + 1} <- x{i} * x{i} in" for i in range(n))
        f = program(f"fun f(x0 : Real) : Real = {lets} x{n}")
        found = differentiated("effects:continuation", f, 1.0)
        assert found.gradient == (2.0**n,)
        assert found.derivative == n + 3 * (2**n - 1)
        assert differentiated("effects:stateful", f, 1.0).derivative == 5 * n + 1


def test_one_run_for_each_number() -> None:
    """Forwards and with continuations f runs once for each number; with cells and on a tape once."""
    f = program("fun f(x : Real, y : Real) : Real = x * y")
    assert differentiated("effects:forward", f, 2.0, 3.0).derivative == 2 * 4
    assert differentiated("effects:continuation", f, 2.0, 3.0).derivative == 2 * (1 + 3)
    assert differentiated("effects:stateful", f, 2.0, 3.0).derivative == 1 + 4 + 1
    assert differentiated("effects:stateful", f, 2.0, 3.0).gradient == (3.0, 2.0)


def test_checkpoints_save_cells() -> None:
    """A chain of n operations: with cells there are n + 1, in blocks those of one block at a time, one for each block and x."""
    alive: dict[str, list[int]] = {"effects:stateful": [], "effects:checkpointed": []}
    for n in (16, 64, 256):
        lets = " ".join(f"let x{i + 1} <- sin(x{i}) in" for i in range(n))
        f = program(f"fun f(x0 : Real) : Real = {lets} x{n}")
        for name, found in alive.items():
            found.append(dict(differentiated(name, f, 0.5).counters)["most alive at once"])
    assert alive["effects:stateful"] == [17, 65, 257]
    assert alive["effects:checkpointed"] == [2 * math.isqrt(n) + 1 for n in (16, 64, 256)]


def test_functions_on_numbers_become_values_of_high() -> None:
    """``λ : Real → Real`` becomes ``abs`` and its calls ``app``; without λ a block becomes a function of its first number."""
    f = program("fun f(x : Real) : Real = let g <- λy : Real. y * y in g(g(x))")
    text = plain(printing_items.function(translated(f, Encoding.FUNCTIONS).function), 100)
    assert text == "fun f x = let g = abs {y -> t y y} in app g (app g x)"
    first_order = plain(printing_items.function(translated(CUBE, Encoding.FUNCTIONS).function), 100)
    assert first_order == "fun f x = app (abs {x' -> t (t x' x') x'}) x"
    assert plain(printing_items.function(translated(CUBE, Encoding.CHECKPOINTS).function), 100) == (
        "fun f x = checkpoint {t (t x x) x}"
    )


def test_sums_and_tuples_are_those_of_the_language() -> None:
    """An injection becomes ``Left`` or ``Right``; a tuple is destructured where it is bound."""
    f = program(
        "fun f(p : Real * Real, z : Real(2)) : Real * Real ="
        " (λs : Real + Real. case s of inl a -> (a, p.2) | inr b -> (b, b))(inl(p.1 * z[1]))"
    )
    for mode in MODES:
        found = differentiated(mode, f, (2.0, 3.0), (5.0, 7.0), cotangent=(1.0, 10.0))
        assert flat(found.value) == (14.0, 3.0)
        assert flat(found.gradient) == (7.0, 10.0, 0.0, 2.0)


@PER_MODE
@pytest.mark.parametrize(
    ("text", "construct"),
    [
        ("fun f(x : Real) : Real = if x <= 0 then x else x * x", "conditionals (if)"),
        ("fun f(x : Real) : Real = relu(x) * x", "the symbol relu"),
        ("fun f(x : Real) : Real = maximum(x, 1)", "the symbol maximum"),
        ("fun f(x : Real + Real) : Real = case x of inl a -> a | inr b -> b", "functions or sums as arguments or results"),
        ("fun f(x : Real(301)) : Real = sum(x)", "arrays of more than 300 entries"),
    ],
)
def test_refusals_name_the_construct(mode: Mode, text: str, construct: str) -> None:
    """In every mode, before anything runs."""
    stages = system(mode.name).stages
    assert stages is not None
    with pytest.raises(Rejected) as refused:
        stages(program(text))
    (diagnostic,) = refused.value.diagnostics
    assert isinstance(diagnostic, OutsideFragment)
    assert (diagnostic.system, diagnostic.construct) == (mode.name, construct)


def test_the_unsupported_symbols() -> None:
    """They are not smooth everywhere, but for ``gelu``."""
    assert {"abs", "sign", "relu", "gelu", "round", "step", "maximum", "minimum"} <= set(SYMBOLS) - set(FUNCTIONS)


@PER_MODE
def test_the_stages_have_the_handlers(mode: Mode) -> None:
    """The program, the function that performs, each handler, the driver."""
    stages = system(mode.name).stages
    assert stages is not None
    found = [plain(stage.doc) for stage in stages(CUBE)]
    assert [text.split()[:2] for text in found[2:-1]] == [["handler", name] for name in mode.handlers]
    assert found[-1].split()[:2] == ["fun", mode.driver]


@PER_MODE
def test_the_steps_end_in_the_derivative(mode: Mode) -> None:
    """At 2 the derivative of the cube is 12."""
    steps = system(mode.name).steps
    assert steps is not None
    found = list(steps(CUBE, (2.0,), (1.0,) if mode in FORWARDS else 1.0))
    assert found[0].rule == ""
    assert plain(found[-1].term).strip("[] ") == "12"


@pytest.mark.parametrize(("mode", "hint"), [(HESSIAN, "n² second derivatives"), (STATEFUL, "many paths")], ids=["all", "one"])
def test_the_hint_beyond_the_limit(mode: Mode, hint: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("rh_kernel.ad.handlers.running._FUEL", 10)
    with pytest.raises(Stuck) as caught:
        differentiated(mode, CUBE, 2.0)
    assert hint in caught.value.diagnostics[0].hint
