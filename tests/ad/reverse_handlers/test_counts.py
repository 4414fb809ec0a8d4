"""The operations and steps of RH Fig. 6 and of a reverse handler on the same chain of lets."""

from pathlib import Path

import pytest

from rh_kernel.ad.language.core import Program
from rh_kernel.ad.language.unrolling import rounds
from rh_kernel.ad.language.values import Value
from rh_kernel.ad.registry import system
from rh_kernel.operational.errors import OutOfFuel
from rh_kernel.session.results import ValueFound, results
from rh_kernel.session.session import Session, execute
from rh_kernel.source.diagnostic import Stuck
from rh_kernel.source.span import Source
from rh_kernel.syntax.core import Command, Const, Term
from rh_kernel.syntax.printing.doc import plain
from rh_kernel.syntax.traversal import nodes
from tests.ad.programs import flat, program


def chain(n: int, step: str) -> Program:
    """``let x1 ← step(x0) in … xn``"""
    lets = "".join(f"  let x{i + 1} <- {step.format(f'x{i}')} in\n" for i in range(n))
    return program(f"fun f(x0 : Real) : Real =\n{lets}  x{n}")


def counts(name: str, f: Program) -> tuple[int, int]:
    """Return the operations of the derivative, and the steps."""
    reverse = system(name).reverse
    assert reverse is not None
    found = reverse(f, (1.001,), 1.0)
    return found.derivative, dict(found.counters)["steps"]


@pytest.mark.parametrize("n", range(1, 9))
def test_fig_6_doubles_with_each_let(n: int) -> None:
    """``W.R_V(let x ← M in N)`` evaluates M for N and again for its own derivative: 2ⁿ."""
    operations, steps = counts("reverse-derivative", chain(n, "{0} * {0}"))
    assert steps == 20 * 2**n - 18
    assert operations > 2 ** (n + 1)


@pytest.mark.parametrize("n", [1, 2, 4, 8, 16])
def test_a_reverse_handler_does_each_operation_once(n: int) -> None:
    """A sine takes 1 operation forward and 3 backward, additions included, a square 1 and 6: linear in n."""
    assert counts("reverse-handler", chain(n, "sin({0})"))[0] == 4 * n
    operations, steps = counts("reverse-handler", chain(n, "{0} * {0}"))
    assert operations == 7 * n
    # Each backward step adds a cotangent to each variable in scope, though most of them are zero.
    assert steps == 15 * n * n + 21 * n + 4


@pytest.mark.slow
def test_the_reduction_of_fig_6_runs_out_of_fuel() -> None:
    """The reduction stops with a diagnostic."""
    with pytest.raises(Stuck) as stopped:
        counts("reverse-derivative", chain(20, "{0} * {0}"))
    assert isinstance(stopped.value.diagnostics[0], OutOfFuel)


LOOPS = {
    "map": ("sum(map(y. sin(x * y), ys))", 1.0),
    "map2": ("dot(map2(y z. y * z * x, ys, [x, 2 * x]), ys)", 1.0),
    "generate": ("dot(generate[2](i. sin(i * x)), ys)", 1.0),
    "one round": ("foldl(a i. a * x, ys[1], generate[1](i. i))", 1.0),
    "foldl": ("foldl(a y. sin(a * x + y), 0.5, ys)", 1.0),
    "foldl of a pair": ("(foldl(a y. (a.2 * y, a.1 + x), (x, 1), ys)).2", 1.0),
    "reduce": ("reduce(a y. a * y, 1, map(y. y + x, ys))", 1.0),
    "scanl": ("dot(scanl(a y. a * y + x, x, ys), [1, 2, 3])", 1.0),
    "nested": ("sum(map(y. foldl(a z. a * z + y, x, ys), ys))", 1.0),
    "replicate": ("dot(replicate[2](x * x), ys)", 1.0),
    "branch": ("foldl(a y. if a <= y then sin(a * y) else x * y, x, ys)", 1.0),
    "no rounds": ("foldl(a i. a * i, x, generate[0](i. i)) * ys[0]", 1.0),
    "an array": ("map(y. y * x, ys)", (1.0, -0.5)),
}
"""Bodies with parameters ``x : Real`` and ``ys : Real(2)``, each with a cotangent of its value."""


def numbers_in(V: Term | Command) -> list[float]:
    """All numbers in a value, in order."""
    return [float(x) for part in nodes(V) if isinstance(part, Const) for x in part.value.ravel()]


@pytest.mark.parametrize(("body", "cotangent"), LOOPS.values(), ids=LOOPS)
def test_the_displayed_net_and_handler_run_with_their_loops(body: str, cotangent: Value) -> None:
    """In a cell they give the gradient that the system finds; the net has a ``scan`` where the program has a loop."""
    f = program(f"fun f(x : Real, ys : Real(2)) : {'Real(2)' if isinstance(cotangent, tuple) else 'Real'} = {body}")
    one = system("reverse-handler")
    assert one.stages is not None
    assert one.reverse is not None
    _, net, handler, *unrolled = one.stages(f)
    assert ("scan" in plain(net.doc)) == bool(unrolled) == (rounds(f) > 0)
    assert not any("scan" in plain(stage.doc) for stage in unrolled)
    w = str(list(cotangent)) if isinstance(cotangent, tuple) else str(cotangent)
    ys = "[1.0, 2.0]" if "ys : Real(2)" in plain(net.doc) else "(1.0, 2.0)"
    run = f"rev handle (0.5, {ys}) ⟨x, ys⟩. f(x, ys) with backwards({w})"
    found = results(execute(Session.start(Path()), Source("cell", f"{plain(net.doc)}\n{plain(handler.doc)}\n{run}")))
    assert isinstance(found[-1], ValueFound), found
    expected = flat(one.reverse(f, (0.5, (1.0, 2.0)), cotangent).gradient)
    assert numbers_in(found[-1].value) == pytest.approx(expected, rel=1e-12, abs=1e-12)
