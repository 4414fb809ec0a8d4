"""Other numbers that this project promises, one line each: traces, gradients, compiling, digits, the front end, the kernel."""

import resource
import statistics
import sys
import time
from collections.abc import Callable
from pathlib import Path

from rh_kernel.arrays.compile import compile_command
from rh_kernel.session.results import ItemFailed, Result, Shown, TraceMade, TrainingDone
from rh_kernel.session.session import Session, execute
from rh_kernel.source.span import Source
from rh_kernel.syntax.parsing.parser import parse_expression
from rh_kernel.typing.elaboration.items import ClosedCommand, elaborate_evaluation
from tests.benchmarks import living, widgets

HEAD = """
op FC[l : Loc(m, n)] : Real(n) -> Real(m)
handler sgd(alpha : Real, t : Real(k)) : rev handler(Real(k)) = {
  return x -> return alpha * (x - t)
  FC[l](x) -> let w <= Get[l]() in return (w @ x, (w, x))
    | y, z -> let (w, x) <- z in
              let _ <= Put[l](w - outer(y, x)) in
              return w^T @ y
}
handler infer = {
  return x -> return x
  FC[l](x), k -> let w <= Get[l]() in k • (w @ x)
}
"""


def session(text: str) -> tuple[Session, list[Result]]:
    """The session after a text, and what its items gave."""
    events = execute(Session.start(Path()), Source("bench", text))
    found: list[Result] = []
    while True:
        try:
            event = next(events)
        except StopIteration as end:
            return end.value, found
        if isinstance(event, Shown):
            if isinstance(event.result, ItemFailed):
                sys.exit(str(event.result.diagnostics))
            found.append(event.result)


def trace() -> None:
    """A trace of 10,000 steps of MLP trainings with n_hid = 64: under 5 s and 500 MB."""
    net = """
loc w0 : Real(64, 2) = normal(0.5, seed=1)
loc w1 : Real(1, 64) = normal(0.5, seed=2)
net mlp(x : Real(2)) : Real(1) = let z <= FC[w0](x) in let h <= return swish(z) in FC[w1](h)
"""
    once = "let _ <= rev handle ([1.0, -2.0]) <x>. mlp(x) with sgd(0.1, [0.5]) in\n  "
    before = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    began = time.perf_counter()
    _, found = session(HEAD + net + "%trace " + once * 120 + "return ()\n")
    seconds = time.perf_counter() - began
    megabytes = (resource.getrusage(resource.RUSAGE_SELF).ru_maxrss - before) / 1024
    steps = next(len(r.steps) for r in found if isinstance(r, TraceMade))
    print(f"trace      {steps} steps of MLP (2, 64, 1) in {seconds:.2f} s and {megabytes:.0f} MB")


def chain(layers: int) -> str:
    """A net of that many layers of width 8."""
    body = "let x <= FC[w](x) in let x <= return swish(x) in\n  " * layers
    return f"loc w : Real(8, 8) = normal(0.1, seed=1)\nnet deep(x : Real(8)) : Real(8) =\n  {body}return x\n"


def gradient() -> None:
    """Operations of the backward pass against the forward pass, for 2 to 128 layers."""
    ones = "[1, 1, 1, 1, 1, 1, 1, 1]"
    for layers in (2, 8, 32, 128):
        state, _ = session(HEAD + chain(layers))
        costs: list[int] = []
        for text in (f"handle deep({ones}) with infer", f"rev handle ({ones}) <x>. deep(x) with sgd(0.1, {ones})"):
            checked = elaborate_evaluation(state.definitions, parse_expression(Source("bench", text)))
            assert isinstance(checked, ClosedCommand)
            costs.append(compile_command(checked.command).cost_of(1))
        forward, both = costs
        print(f"gradient   {layers:>3} layers: forward {forward}, forward + backward {both}: {both / forward:.2f} times")


def compiling() -> None:
    """From text to a program, for a chain of layers."""
    for layers in (10, 100, 1000):
        ones = "[1, 1, 1, 1, 1, 1, 1, 1]"
        text = HEAD + chain(layers) + f"rev handle ({ones}) <x>. deep(x) with sgd(0.1, {ones})\n"
        seconds = _median(lambda text=text: session(text), 3)
        print(f"compiling  {layers:>4} layers: text to first result in {seconds:.3f} s")


def digits() -> None:
    """Training digits, 64-32-10, as lesson 0 does."""
    net = """
loc v0 : Real(32, 64) = glorot(seed=1)
loc v1 : Real(10, 32) = glorot(seed=2)
net digits(x : Real(64)) : Real(10) = let z <= FC[v0](x) in let h <= return swish(z) in FC[v1](h)
train rev handle (x) <u>. digits(u) with sgd(0.2, t)
  for (x, t) in data("digits.train") epochs 30 batch 32 shuffle 0
  measure let y <= handle digits(x) with infer in return same_argmax(y, t) on data("digits.test")
"""
    _, found = session(HEAD + net)
    done = next(r for r in found if isinstance(r, TrainingDone))
    accuracy = done.measures[0][1][-1]
    print(f"digits     {done.epochs} epochs in {done.seconds:.2f} s: {100 * accuracy:.1f} % of the held-out digits")


def front_end() -> None:
    """A cell of 50 lines, parsed and typechecked."""
    state, _ = session(HEAD + "loc w : Real(8, 8) = normal(0.1, seed=1)\n")
    net = "net n{}(x : Real(8)) : Real(8) =\n  let y <= FC[w](x) in\n  let z <= return swish(y + x) in\n  FC[w](z)\n\n"
    text = "".join(net.format(i) for i in range(10))
    seconds = _median(lambda: list(execute(state, Source("bench", text))), 20)
    print(f"front end  50 lines parsed and typechecked in {1000 * seconds:.1f} ms")


def watching() -> None:
    """What the stepper sends of a short and of a long trace, and how soon it answers while a cell runs."""
    for text in (widgets.PASS, widgets.DOUBLING + "\n%trace n14(0)\n"):
        widgets.sizes(session(HEAD + text)[1])
    widgets.waiting(HEAD)


def _median(run: Callable[[], object], times: int) -> float:
    taken: list[float] = []
    for _ in range(times):
        began = time.perf_counter()
        run()
        taken.append(time.perf_counter() - began)
    return statistics.median(taken)


def promises() -> None:
    """All of them, and how a kernel lives."""
    for measurement in (front_end, trace, gradient, compiling, digits, watching, living.living):
        measurement()
