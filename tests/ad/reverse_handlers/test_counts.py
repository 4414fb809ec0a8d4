"""The operations and steps of RH Fig. 6 and of a reverse handler on the same chain of lets."""

from pathlib import Path

import pytest

from rh_kernel.ad.language.core import Program
from rh_kernel.ad.registry import system
from rh_kernel.operational.errors import OutOfFuel
from rh_kernel.session.results import ValueFound, results
from rh_kernel.session.session import Session, execute
from rh_kernel.source.diagnostic import Stuck
from rh_kernel.source.span import Source
from rh_kernel.syntax.printing.doc import plain
from tests.ad.programs import program


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


def test_the_displayed_net_and_handler_run() -> None:
    """The displayed net and handler run in a cell."""
    f = program("fun f(x : Real, ys : Real(2)) : Real = sum(map(y. sin(x * y), ys))")
    stages = system("reverse-handler").stages
    assert stages is not None
    _, net, handler = stages(f)
    text = f"{plain(net.doc)}\n{plain(handler.doc)}\nrev handle (0.5, (1.0, 2.0)) ⟨x, ys⟩. f(x, ys) with backwards(1.0)"
    found = results(execute(Session.start(Path()), Source("cell", text)))
    assert isinstance(found[-1], ValueFound)
