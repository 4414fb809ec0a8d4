"""What RH Fig. 6 and a reverse handler cost on the same chain of lets: counts, not seconds."""

from pathlib import Path

import pytest

from rh_kernel.ad.language.core import Program
from rh_kernel.ad.systems import system
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
    """Operations of the derivative, and steps."""
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
    """Forward 1 and backward 3 for a sine with what is added to it, forward 1 and backward 6 for a square: linear in n."""
    assert counts("reverse-handler", chain(n, "sin({0})"))[0] == 4 * n
    operations, steps = counts("reverse-handler", chain(n, "{0} * {0}"))
    assert operations == 7 * n
    # Each step back adds a cotangent to each of the variables that are in scope, though most of them are zero.
    assert steps == 15 * n * n + 21 * n + 4


@pytest.mark.slow
def test_what_unfolds_too_far_is_stopped() -> None:
    """A complaint, and not a reduction without an end."""
    with pytest.raises(Stuck) as stopped:
        counts("reverse-derivative", chain(20, "{0} * {0}"))
    assert isinstance(stopped.value.diagnostics[0], OutOfFuel)


def test_what_is_written_is_a_program_of_the_paper() -> None:
    """The net and the handler that are shown can be run as they are."""
    f = program("fun f(x : Real, ys : Real(2)) : Real = sum(map(y. sin(x * y), ys))")
    stages = system("reverse-handler").stages
    assert stages is not None
    _, net, handler = stages(f)
    text = f"{plain(net.doc)}\n{plain(handler.doc)}\nrev handle (0.5, (1.0, 2.0)) ⟨x, ys⟩. f(x, ys) with backwards(1.0)"
    found = results(execute(Session.start(Path()), Source("cell", text)))
    assert isinstance(found[-1], ValueFound)
