"""How fast the operational reading steps (RH §5), and what a kept trace weighs: ``python -m tests.benchmarks --only stepping``.

A family is a program for each number of nodes. A time is what the processor needed, the least of several. A window tells of up
to 50 steps from the middle of a trace, of fewer where the states are large.
"""

import gc
import time
import tracemalloc
from collections.abc import Callable
from typing import Any

from rh_kernel.display.live.stepper import Stepper
from rh_kernel.operational.binders import fixed
from rh_kernel.operational.contexts import Subject
from rh_kernel.operational.heap import Heap
from rh_kernel.operational.limits import Limits
from rh_kernel.operational.step import Step
from rh_kernel.operational.trace import Result, State, proceed, run
from rh_kernel.session.evaluate import STEPS_PER_SLICE
from rh_kernel.session.results import TraceMade
from rh_kernel.source.gc_pause import gc_paused
from rh_kernel.syntax.core import Bind, Bound, Call, Command, Handle, Let, Perform, Plus, Return, Scope, Term, Tuple
from rh_kernel.syntax.traversal import children
from rh_kernel.syntax.types import SCALAR
from rh_kernel.syntax.values import UNIT_VALUE, constant
from tests.benchmarks.goals import Outcome
from tests.operational.nets import entrywise, get, infer, location, mlp, sgd, trained, weights

Family = Callable[[int], Subject]

ONE = constant(1.0)
TANH = entrywise("tanh", 1)
PLACE = location("p", 1)
W0, W1 = location("w0", 3, 2), location("w1", 1, 3)
HEAP = Heap({PLACE: ONE.value, **weights(1, W0, W1)})
SIZES = (100, 1_000, 10_000, 100_000)
WINDOW = 50


def chain(nodes: int) -> Term:
    """``let x ← tanh(x) in let x ← tanh(x) in …``"""
    M: Term = Bound(0, "x")
    for _ in range(nodes // 3 - 1):
        M = Let(Call(TANH, Bound(0, "x")), Scope(("x",), M))
    return Let(ONE, Scope(("x",), M))


def shared(nodes: int) -> Term:
    """``let x ← 1 in let y ← x + x in let y ← y + x in …``: what is bound first is used to the end."""
    M: Term = Bound(0, "y")
    for k in reversed(range(nodes // 4)):
        M = Let(Plus(Bound(0, "y"), Bound(k, "x")), Scope(("y",), M))
    return Let(ONE, Scope(("x",), M))


def gathered(nodes: int) -> Term:
    """``let x ← 1 in let x ← 1 in … x + (x + …)``: every variable is used at the end."""
    count = nodes // 4
    M: Term = ONE
    for k in range(count):
        M = Plus(Bound(k, "x"), M)
    for _ in range(count):
        M = Let(ONE, Scope(("x",), M))
    return M


def deep(nodes: int) -> Term:
    """``tanh(tanh(… 1))``"""
    M: Term = ONE
    for _ in range(nodes - 1):
        M = Call(TANH, M)
    return M


def late(nodes: int) -> Term:
    """``let x ← 1 in x + (x + (… + x))``: the first sum that is done is the last one that is met."""
    M: Term = Bound(0, "x")
    for _ in range(nodes // 2 - 1):
        M = Plus(Bound(0, "x"), M)
    return Let(ONE, Scope(("x",), M))


def tree(nodes: int) -> Term:
    """A sum of sums of sums, as balanced as can be."""
    row: list[Term] = [ONE] * (nodes // 2)
    while len(row) > 1:
        odd = row[len(row) // 2 * 2 :]
        row = [Plus(M, N) for M, N in zip(row[::2], row[1::2], strict=False)] + odd
    return row[0]


def tuples(nodes: int) -> Term:
    """``⟨1 + 1, ⟨1 + 1, …⟩⟩``"""
    M: Term = ONE
    for _ in range(nodes // 4):
        M = Tuple((Plus(ONE, ONE), M))
    return M


def binds(nodes: int) -> Command:
    """``let x ⇐ ⌊tanh(x)⌋ in …``"""
    P: Command = Return(Bound(0, "x"))
    for _ in range(nodes // 4):
        P = Bind(Return(Call(TANH, Bound(0, "x"))), Scope(("x",), P))
    return Bind(Return(ONE), Scope(("x",), P))


def reading(nodes: int) -> Command:
    """``let x ⇐ Get(p) in …``"""
    P: Command = Return(ONE)
    read = get(PLACE)(0)
    assert isinstance(read, Perform)
    for _ in range(nodes // 3):
        P = Bind(read, Scope(("x",), P))
    return P


def inferring(nodes: int) -> Command:
    """``let _ ⇐ handle mlp(V) with infer in …``: ordinary handlers."""
    P: Command = Return(UNIT_VALUE)
    once = Handle(mlp(W0, W1, fixed(constant([1.0, 2.0])))(0), infer(SCALAR))
    for _ in range(nodes // size(once)):
        P = Bind(once, Scope(("_",), P))
    return P


def training(nodes: int) -> Command:
    """``let _ ⇐ rev handle (V) ⟨x⟩. mlp(x) with sgd in …``: Fig. 6 and 7."""
    P: Command = Return(UNIT_VALUE)
    once = trained(lambda x: mlp(W0, W1, x), constant([1.0, 2.0]), sgd(0.01, ONE, SCALAR))
    for _ in range(nodes // size(once)):
        P = Bind(once, Scope(("_",), P))
    return P


FAMILIES: tuple[Family, ...] = (chain, deep, late, tree, shared, gathered, tuples, binds, reading, inferring, training)


def measure(
    families: tuple[Family, ...] = FAMILIES, sizes: tuple[int, ...] = SIZES, most: float = 20.0
) -> list[dict[str, Any]]:
    """A row for each family and size; a family is left once a run of the next size would take more than ``most`` seconds."""
    rows: list[dict[str, Any]] = []
    for family in families:
        seconds, before = 0.0, 0
        for nodes in sizes:
            if before and seconds * (nodes / before) ** 2 > most:
                break
            rows.append(_row(family, nodes))
            seconds, before = rows[-1]["run_seconds"], nodes
    return rows


def table(rows: list[dict[str, Any]]) -> str:
    """The rows as a Markdown table."""
    lines = [
        "| family | nodes | steps | run, steps/s | kept, steps/s | kept/run | bytes/step | window, ms | steps in it |",
        "|---|---:|---:|---:|---:|---:|---:|---:|---:|",
    ]
    lines += [
        f"| {r['family']} | {r['nodes']:,} | {r['steps']:,} | {r['steps'] / r['run_seconds']:,.0f} "
        f"| {r['steps'] / r['kept_seconds']:,.0f} | {r['kept_seconds'] / r['run_seconds']:.2f} "
        f"| {r['bytes_per_step']:,.0f} | {1000 * r['window_seconds']:,.0f} "
        f"| {r['window_steps']} |"
        for r in rows
    ]
    return "\n".join(lines)


def outcomes(rows: list[dict[str, Any]]) -> list[Outcome]:
    """P9, on terms of 10,000 nodes, and how the time grows from 1,000 to 10,000."""
    found: list[Outcome] = []
    of = {(row["family"], round(row["nodes"], -3)): row for row in rows}
    for (family, nodes), row in of.items():
        if nodes != 10_000:
            continue
        speed, keeping = row["steps"] / row["run_seconds"], row["kept_seconds"] / row["run_seconds"]
        found += [
            Outcome("P9", family, "≥ 200,000 steps a second", f"{speed:,.0f}", speed >= 200_000),
            Outcome("P9", family, "keeping the trace ≤ 2.5 × the run", f"{keeping:.2f} ×", keeping <= 2.5),
            Outcome("P9", family, "≤ 1,000 bytes a step", f"{row['bytes_per_step']:,.0f}", row["bytes_per_step"] <= 1000),
            Outcome("P9", family, "a window ≤ 50 ms", f"{1000 * row['window_seconds']:.0f} ms", row["window_seconds"] <= 0.05),
        ]
        if (family, 1000) in of:
            growth = row["run_seconds"] / of[family, 1000]["run_seconds"]
            found.append(Outcome("P9", family, "time for 10,000 ≤ 12 × 1,000 nodes", f"{growth:.1f} ×", growth <= 12))
    return found


def size(M: Subject) -> int:
    """How many terms and commands there are in M."""
    todo, count = [M], 0
    while todo:
        count += 1
        todo += [N for N, _ in children(todo.pop())]
    return count


@gc_paused()
def kept(M: Subject) -> tuple[list[Step], Result]:
    """All steps, as a session keeps them."""
    found: list[Step] = []
    state, bounds = State(M, None, HEAP, 0), Limits()
    while not isinstance(now := proceed(state, bounds, STEPS_PER_SLICE, found), Result):
        state = now
    return found, now


def _row(family: Family, nodes: int) -> dict[str, Any]:
    M = family(nodes)
    times = max(1, min(20, 20_000 // nodes))
    run_seconds = _least(lambda: run(M, HEAP), times)
    kept_seconds = _least(lambda: kept(M), times)
    tracemalloc.start()
    steps, result = kept(M)
    weight = tracemalloc.get_traced_memory()[0]
    tracemalloc.stop()
    stepper = Stepper(TraceMade(M, SCALAR, tuple(steps), result.value, (), HEAP))
    question = {"ask": "window", "from": len(steps) // 2, "count": WINDOW}
    gc.collect()
    began = time.process_time()
    told = stepper.answer({**question})["details"]
    window = time.process_time() - began
    return {
        "family": family.__name__,
        "nodes": size(M),
        "steps": len(steps),
        "run_seconds": run_seconds,
        "kept_seconds": kept_seconds,
        "bytes_per_step": weight / len(steps),
        "window_seconds": window,
        "window_steps": len(told) if isinstance(told, list) else 0,
    }


def _least(action: Callable[[], object], times: int) -> float:
    taken: list[float] = []
    for _ in range(times):
        gc.collect()
        began = time.process_time()
        found = action()
        taken.append(time.process_time() - began)
        del found
    return min(taken)
