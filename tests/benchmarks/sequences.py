"""What the length of a sequence costs besides the time of a step: ``python -m tests.benchmarks --only sequences``.

For a GRU of width 64 on 10 to 10,000 vectors: the time to compile, the equations of the program, what the forward loop keeps
for the backward loop, and the scratch memory of a step, without and with checkpointing. For a chain of layers by ``repeat``:
the time from its text to the end of its first step.
"""

import statistics
import time
from collections.abc import Mapping, Sequence
from math import prod
from typing import Any

import numpy as np

from rh_kernel.arrays.compile import compile_command
from rh_kernel.arrays.execution import machine
from rh_kernel.arrays.options import Checkpointing, CompileOptions
from rh_kernel.arrays.planning.planner import planned
from rh_kernel.arrays.program import Loop, Program
from rh_kernel.loops.trees import leaves
from rh_kernel.syntax.signature import members
from rh_kernel.syntax.types import real
from rh_kernel.typing.definitions import LocFamilyDefinition
from tests.arrays.written import command
from tests.benchmarks.goals import Outcome
from tests.benchmarks.problems import Gru, Problem
from tests.benchmarks.programs import Written
from tests.benchmarks.report import table as markdown
from tests.declarations import declared

LENGTHS = (10, 100, 1000, 10_000)
LAYERS = (10, 100, 1000, 10_000)
MEMORY: tuple[Checkpointing, ...] = ("off", 10, "auto")

OPERATIONS = """
op FC[l : Loc(m, n)] : Real(n) -> Real(m)
handler descend(t : Real(k)) : rev handler(Real(k)) = {
  return x -> return x - t
  FC[l](x) -> let w <= Get[l]() in return (w @ x, (w, x))
    | y, (w, x) -> let v <= Get[l]() in let _ <= Put[l](v - 0.01 * outer(y, x)) in return w^T @ y
}
"""
CHAIN = """rev handle (x) <x>. repeat i < layers from s = x do
  let y <= FC[ws[i]](s) in return s + tanh(y) with descend(t)"""


def program(length: int, checkpointing: Checkpointing = "off") -> Program:
    """The program of a step on one sequence of vectors."""
    asked = Problem("W9", Gru(f"gru-{length}x64", length, 64), 1)
    return Written.of(asked).compiled(CompileOptions(checkpointing=checkpointing))


def kept(of: Program) -> int:
    """The number of reals that the forward loop keeps for the backward loop."""
    forward = next(e.operator for e in of.equations if isinstance(e.operator, Loop))
    carried, _ = forward.arity
    return forward.rounds * sum([prod(forward.body.shapes[r]) for r in leaves(forward.body.result)[carried:]])


def size(length: int) -> dict[str, Any]:
    """Seconds to compile, the least of three; the size of the program; and its memory in reals."""
    asked = Problem("W9", Gru(f"gru-{length}x64", length, 64), 1)
    taken: list[float] = []
    found = program(length)
    for _ in range(3):
        written = Written.of(asked)
        began = time.process_time()
        found = written.compiled()
        taken.append(time.process_time() - began)
    scratch = [planned(program(length, k), None).scratch for k in MEMORY]
    return {"length": length, "compiling": min(taken), "equations": found.count, "kept": kept(found), "scratch": scratch}


def chain(layers: int) -> dict[str, Any]:
    """Seconds of compiling, of planning and of the first step, medians of nine runs from the text on; and all of them."""
    inputs, taken, equations = {"x": real(8), "t": real(8)}, list[tuple[float, float, float]](), 0
    for _ in range(9):
        marks = [time.perf_counter()]
        known = declared(f"loc ws[{layers}] : Real(8, 8) = zeros\n{OPERATIONS}")
        P = command(known, CHAIN.replace("layers", str(layers)), inputs)
        found = compile_command(P, tuple(inputs.values()), tuple(inputs))
        equations = found.count
        marks.append(time.perf_counter())
        family = known.get("ws")
        assert isinstance(family, LocFamilyDefinition)
        runner = machine(found, {at: np.zeros((8, 8)) for at in members(family.family)}).runner()
        marks.append(time.perf_counter())
        runner.step(np.ones(8), np.zeros(8))
        marks.append(time.perf_counter())
        taken.append((marks[1] - marks[0], marks[2] - marks[1], marks[3] - marks[2]))
    parts = [statistics.median(part) for part in zip(*taken, strict=True)]
    whole = statistics.median([sum(each) for each in taken])
    return {"layers": layers, "equations": equations, "parts": parts, "whole": whole}


def measure() -> dict[str, list[dict[str, Any]]]:
    """Both."""
    return {"sizes": [size(length) for length in LENGTHS], "chains": [chain(layers) for layers in LAYERS]}


def table(rows: Mapping[str, Sequence[Mapping[str, Any]]]) -> str:
    """A table of sequences and one of chains."""
    sizes = [
        [
            *(
                f"{row['length']:,}",
                f"{1000 * row['compiling']:.1f} ms",
                str(row["equations"]),
                f"{row['kept'] * 8 / 1e6:.2f} MB",
            ),
            *[f"{reals * 8 / 1e6:.2f} MB, {reals / row['kept']:.2f} ×" for reals in row["scratch"]],
        ]
        for row in rows["sizes"]
    ]
    chains = [
        [f"{row['layers']:,}", str(row["equations"]), *[f"{1000 * part:.1f} ms" for part in (*row["parts"], row["whole"])]]
        for row in rows["chains"]
    ]
    head = ["vectors", "compiling", "equations", "kept", *[f"memory, checkpointing {k}" for k in MEMORY]]
    layers = ["layers by repeat", "equations", "compiling", "planning", "first step", "all"]
    return "\n\n".join([markdown(head, sizes), markdown(layers, chains)])


def outcomes(rows: Mapping[str, Sequence[Mapping[str, Any]]]) -> list[Outcome]:
    """P15: the same program for every length, compiled in the same time, and little memory besides what is kept."""
    short, *_, long = rows["sizes"]
    at = f"{short['length']} … {long['length']:,} vectors"
    times = long["compiling"] / short["compiling"]
    same = short["equations"] == long["equations"]
    found = [
        Outcome("P15", at, "as many equations", f"{short['equations']} and {long['equations']}", same),
        Outcome("P15", at, "compiled in ≤ 1.5 × the time", f"{times:.2f} ×", times <= 1.5),
    ]
    for row in rows["sizes"]:
        part = row["scratch"][0] / row["kept"]
        found.append(Outcome("P15", f"{row['length']:,} vectors", "memory ≤ 1.2 × what is kept", f"{part:.2f} ×", part <= 1.2))
    return found
