"""A GRU of width 64 over sequences, beside PyTorch and JAX: ``python -m tests.benchmarks.sequences``.

A step is the forward pass, the backward pass and the update of all weights by gradient descent, in float64, for batches of 1
and of 32 sequences of 100 vectors. Before anything is timed, the new weights are compared. The second table has, for sequences
of 10 to 10,000 vectors, the time to compile, the equations of the program, what the forward loop keeps for the backward loop,
and the scratch memory of a step, without and with checkpointing. ``--steps 1000`` for longer sequences in the first table;
peers that are not installed are left out. The third table is about a chain of layers by ``repeat``: the time from its text to
the end of its first step. The numbers mean something on a machine that does nothing else.
"""

import argparse
import statistics
import sys
import time
from collections.abc import Callable
from dataclasses import dataclass
from importlib import import_module
from math import prod
from typing import Any

import numpy as np

from rh_kernel.arrays.batch import batched
from rh_kernel.arrays.compile import compile_command
from rh_kernel.arrays.execution import Machine, machine
from rh_kernel.arrays.native.compiled import Native
from rh_kernel.arrays.numpy_backend.backend import NumPy
from rh_kernel.arrays.options import Checkpointing, CompileOptions
from rh_kernel.arrays.planning.planner import planned
from rh_kernel.arrays.program import Loop, Program
from rh_kernel.loops.trees import leaves
from rh_kernel.syntax.core import Array
from rh_kernel.syntax.signature import Location, members
from rh_kernel.syntax.types import real
from rh_kernel.typing.definitions import LocDefinition, LocFamilyDefinition
from tests.arrays.written import command
from tests.benchmarks.report import table
from tests.declarations import declared

WIDTH = 64
RATE = 0.01
NAMES = ("wr", "wz", "wn", "ur", "uz", "un")
ROUNDS = 15
MEMORY: tuple[Checkpointing, ...] = ("off", 10, "auto")

OPERATIONS = f"""
op FC[l : Loc(m, n)] : Real(n) -> Real(m)
handler descend(t : Real(k)) : rev handler(Real(k)) = {{
  return x -> return x - t
  FC[l](x) -> let w <= Get[l]() in return (w @ x, (w, x))
    | y, (w, x) -> let v <= Get[l]() in let _ <= Put[l](v - {RATE} * outer(y, x)) in return w^T @ y
}}
"""
TEXT = "\n".join([f"loc {name} : Real({WIDTH}, {WIDTH}) = zeros" for name in NAMES]) + OPERATIONS
CHAIN = """rev handle (x) <x>. repeat i < layers from s = x do
  let y <= FC[ws[i]](s) in return s + tanh(y) with descend(t)"""
GRU = f"""rev handle (x) <x>. let (_, h) <= scan (a in x) from s = fill[{WIDTH}](0.0) do
  let ar <= FC[wr](a) in let br <= FC[ur](s) in let r <- sigmoid(ar + br) in
  let az <= FC[wz](a) in let bz <= FC[uz](s) in let z <- sigmoid(az + bz) in
  let an <= FC[wn](a) in let bn <= FC[un](s) in let n <- tanh(an + r * bn) in
  return ((), n + z * (s - n)) in return h with descend(t)"""


@dataclass(frozen=True, slots=True)
class Problem:
    """So many sequences of vectors, what the last states should be, and the weights at first."""

    x: Array
    t: Array
    weights: tuple[Array, ...]


def problem(length: int, samples: int) -> Problem:
    """A problem with random numbers."""
    rng = np.random.default_rng(0)
    x, t = rng.normal(size=(samples, length, WIDTH)), rng.normal(size=(samples, WIDTH))
    return Problem(x, t, tuple([rng.normal(0.0, WIDTH**-0.5, (WIDTH, WIDTH)) for _ in NAMES]))


class Ours:
    """The program of this package on a back end."""

    def __init__(self, given: Problem, backend: NumPy | Native) -> None:
        self.given = given
        samples, length, _ = given.x.shape
        began = time.perf_counter()
        found, heap = program(length), heap_of(given)
        self.batched = batched(found, [True, True]) if samples > 1 else found
        self.machine: Machine = machine(self.batched, heap, backend=backend)
        self.samples = samples if samples > 1 else None
        self.runner = self.machine.runner(self.samples)
        self.inputs = (given.x, given.t) if samples > 1 else (given.x[0], given.t[0])
        self.step()
        self.seconds = time.perf_counter() - began

    def step(self) -> None:
        self.runner.step(*self.inputs)

    def weights(self) -> list[Array]:
        """The current weights."""
        return [self.machine.memory[location] for location in locations()]


def locations() -> list[Location]:
    """The locations of the weights."""
    known = declared(TEXT)
    found = [known.get(name) for name in NAMES]
    return [definition.location for definition in found if isinstance(definition, LocDefinition)]


def heap_of(given: Problem) -> dict[Location, Array]:
    return dict(zip(locations(), given.weights, strict=True))


def program(length: int, checkpointing: Checkpointing = "off") -> Program:
    """The program of a step on one sequence."""
    inputs = {"x": real(length, WIDTH), "t": real(WIDTH)}
    P, options = command(declared(TEXT), GRU, inputs), CompileOptions(checkpointing=checkpointing)
    return compile_command(P, tuple(inputs.values()), tuple(inputs), options)


class Torch:
    """PyTorch: its layer, or its cell in a loop."""

    def __init__(self, given: Problem, *, layer: bool) -> None:
        torch: Any = import_module("torch")
        self.torch = torch
        torch.set_default_dtype(torch.float64)
        self.layer = layer
        cell: Any = torch.nn.GRU(WIDTH, WIDTH, bias=False) if layer else torch.nn.GRUCell(WIDTH, WIDTH, bias=False)
        self.cell = cell
        self.parameters: list[Any] = list(cell.parameters())
        with torch.no_grad():
            for parameter, of in zip(self.parameters, (given.weights[:3], given.weights[3:]), strict=True):
                parameter.copy_(torch.from_numpy(np.concatenate(of)))
        self.x = torch.from_numpy(np.ascontiguousarray(given.x.transpose(1, 0, 2)))
        self.t = torch.from_numpy(given.t)
        self.step()

    def step(self) -> None:
        torch: Any = self.torch
        if self.layer:
            _, last = self.cell(self.x)
            h = last[0]
        else:
            h = torch.zeros(self.t.shape)
            for a in self.x:
                h = self.cell(a, h)
        ((h - self.t).square().sum() / (2 * len(self.t))).backward()
        with torch.no_grad():
            for parameter in self.parameters:
                parameter.sub_(parameter.grad, alpha=RATE)
                parameter.grad = None

    def weights(self) -> list[Array]:
        """The current weights."""
        return [part for p in self.parameters for part in np.split(p.detach().numpy(), 3)]


class Jax:
    """JAX: ``lax.scan`` in ``jit``."""

    def __init__(self, given: Problem) -> None:
        jax: Any = import_module("jax")
        jnp: Any = import_module("jax.numpy")
        jax.config.update("jax_enable_x64", True)

        def loss(weights: Any, x: Any, t: Any) -> Any:
            wr, wz, wn, ur, uz, un = weights

            def one_round(h: Any, a: Any) -> tuple[Any, None]:
                r, z = jax.nn.sigmoid(a @ wr.T + h @ ur.T), jax.nn.sigmoid(a @ wz.T + h @ uz.T)
                n = jnp.tanh(a @ wn.T + r * (h @ un.T))
                return n + z * (h - n), None

            h, _ = jax.lax.scan(one_round, jnp.zeros(t.shape), x)
            return jnp.sum((h - t) ** 2) / (2 * len(t))

        gradient = jax.grad(loss)

        def update(weights: Any, x: Any, t: Any) -> list[Any]:
            return [w - RATE * g for w, g in zip(weights, gradient(weights, x, t), strict=True)]

        self.update: Any = jax.jit(update)
        self.now: list[Any] = [jnp.asarray(w) for w in given.weights]
        self.x, self.t = jnp.asarray(given.x.transpose(1, 0, 2)), jnp.asarray(given.t)
        self.step()

    def step(self) -> None:
        self.now = self.update(self.now, self.x, self.t)
        self.now[0].block_until_ready()

    def weights(self) -> list[Array]:
        """The current weights."""
        return [np.asarray(w) for w in self.now]


PEERS: dict[str, Callable[[Problem], "Ours | Torch | Jax"]] = {
    "machine code": lambda given: Ours(given, Native()),
    "NumPy": lambda given: Ours(given, NumPy()),
    "PyTorch nn.GRU": lambda given: Torch(given, layer=True),
    "PyTorch GRUCell in a loop": lambda given: Torch(given, layer=False),
    "JAX lax.scan": Jax,
}


def compare(length: int, samples: int) -> list[list[str]]:
    """Time all peers in turns, after comparing their weights."""
    given = problem(length, samples)
    ready: dict[str, Ours | Torch | Jax] = {}
    for name, build in PEERS.items():
        try:
            ready[name] = build(given)
        except ImportError:
            print(f"{name} is not installed", file=sys.stderr)
    expected = ready["NumPy"].weights()
    errors = {
        name: max(float(np.abs(w - v).max()) for w, v in zip(peer.weights(), expected, strict=True))
        for name, peer in ready.items()
    }
    if max(errors.values()) > 1e-10:
        raise SystemExit(f"the weights differ: {errors}")
    seconds: dict[str, list[float]] = {name: [] for name in ready}
    for _ in range(ROUNDS):
        for name, peer in ready.items():
            began = time.perf_counter()
            peer.step()
            seconds[name].append(time.perf_counter() - began)
    medians = {name: statistics.median(found) for name, found in seconds.items()}
    ours = medians["machine code"]
    return [
        [str(samples), name, f"{1000 * m:.2f} ms", f"{m / ours:.1f} ×", f"{errors[name]:.0e}"] for name, m in medians.items()
    ]


def kept(of: Program) -> int:
    """The number of reals that the forward loop keeps for the backward loop."""
    forward = next(e.operator for e in of.equations if isinstance(e.operator, Loop))
    carried, _ = forward.arity
    return forward.rounds * sum([prod(forward.body.shapes[r]) for r in leaves(forward.body.result)[carried:]])


def sizes() -> list[list[str]]:
    """Time to compile, size of the program, and memory, by the length of the sequence."""
    rows: list[list[str]] = []
    for length in (10, 100, 1000, 10_000):
        began = time.perf_counter()
        found = program(length)
        compiled = time.perf_counter() - began
        needed = kept(found)
        memory = [planned(program(length, k), None).scratch for k in MEMORY]
        rows.append(
            [
                f"{length:,}",
                f"{1000 * compiled:.1f} ms",
                f"{found.count}",
                f"{needed * 8 / 1e6:.2f} MB",
                *[f"{reals * 8 / 1e6:.2f} MB, {reals / needed:.2f} ×" for reals in memory],
            ]
        )
    return rows


def chains() -> list[list[str]]:
    """From the text of a chain of residual layers by ``repeat`` to the end of its first step on NumPy; medians."""
    rows: list[list[str]] = []
    inputs = {"x": real(8), "t": real(8)}
    for layers in (10, 100, 1000, 10_000):
        taken: list[tuple[float, float, float]] = []
        equations = 0
        for _ in range(9):
            times = [time.perf_counter()]
            known = declared(f"loc ws[{layers}] : Real(8, 8) = zeros\n{OPERATIONS}")
            P = command(known, CHAIN.replace("layers", str(layers)), inputs)
            found = compile_command(P, tuple(inputs.values()), tuple(inputs))
            equations = found.count
            times.append(time.perf_counter())
            family = known.get("ws")
            heap = {at: np.zeros((8, 8)) for at in members(family.family)} if isinstance(family, LocFamilyDefinition) else {}
            runner = machine(found, heap).runner()
            times.append(time.perf_counter())
            runner.step(np.ones(8), np.zeros(8))
            times.append(time.perf_counter())
            taken.append((times[1] - times[0], times[2] - times[1], times[3] - times[2]))
        parts = [1000 * statistics.median(part) for part in zip(*taken, strict=True)]
        whole = 1000 * statistics.median([sum(each) for each in taken])
        rows.append([f"{layers:,}", str(equations), *[f"{part:.1f} ms" for part in (*parts, whole)]])
    return rows


def main() -> None:
    """Print all tables."""
    parser = argparse.ArgumentParser(description="a GRU beside PyTorch and JAX")
    parser.add_argument("--steps", type=int, default=100, help="the length of the sequences")
    length: int = parser.parse_args().steps
    rows = [row for samples in (1, 32) for row in compare(length, samples)]
    print(table(["batch", "who", "a step", "to machine code", "difference"], rows))
    print(table(["vectors", "compiling", "equations", "kept", *[f"memory, checkpointing {k}" for k in MEMORY]], sizes()))
    print(table(["layers", "equations", "compiling", "planning", "first step", "all"], chains()))


if __name__ == "__main__":
    main()
