"""The passes from symbolic execution to the plan that runs, each with its output and some statistics."""

from collections.abc import Sequence
from dataclasses import dataclass
from enum import Enum
from math import prod
from typing import TypeAlias

import numpy as np

from rh_kernel.arrays.batch import batched
from rh_kernel.arrays.optimise import optimise
from rh_kernel.arrays.planning.counting import moved, operations
from rh_kernel.arrays.planning.dependence import reads, writes
from rh_kernel.arrays.planning.planner import UnallocatedPlan, stages
from rh_kernel.arrays.program import Alias, Equation, Loop, Part, Program, Register, Smooth
from rh_kernel.loops.ir import Check, IndexCheck, Plan, Precision, Scratch
from rh_kernel.source.gc_pause import gc_paused

Form: TypeAlias = Program | UnallocatedPlan | Plan


class Pass(Enum):
    """A compiler pass, by its name"""

    EXECUTED = "symbolic execution"
    SIMPLIFIED = "simplified"
    BATCHED = "batched"
    EXPANDED = "expanded"
    LOOPS = "loops"
    JOINED = "joined"
    IN_PLACE = "in place"
    PLACED = "placed"

    @property
    def meaning(self) -> str:
        """A sentence on what the pass does."""
        return _MEANINGS[self]


_MEANINGS = {
    Pass.EXECUTED: "the command is executed once, on symbolic arrays",
    Pass.SIMPLIFIED: "constants are folded, duplicate and unused equations are removed",
    Pass.BATCHED: "the same for a whole batch of samples; the mean of their changes is taken as early as possible",
    Pass.EXPANDED: "swish and gelu are expressed by σ, which the function and its derivative then share",
    Pass.LOOPS: "each equation becomes loops over views; symbols that only move entries become views",
    Pass.JOINED: "loops over the same indices are fused",
    Pass.IN_PLACE: "new contents overwrite the old ones, products are accumulated",
    Pass.PLACED: "arrays that are not needed at the same time share memory",
}


@dataclass(frozen=True, slots=True)
class PassResult:
    """The output of a pass: equations or steps, operations, bytes read and written, and reals of scratch memory.

    Checks compute nothing and are counted separately.
    """

    made_by: Pass
    form: Form
    lines: int
    checks: int
    operations: int
    bytes: int
    scratch: int

    @property
    def count(self) -> str:
        """``12 equations``, ``9 steps, 2 checks``"""
        noun = "equation" if isinstance(self.form, Program) else "step"
        checks = f", {_many(self.checks, 'check')}" if self.checks else ""
        return _many(self.lines, noun) + checks


@gc_paused()
def passes(
    translated: Program, samples: int | None = None, precision: Precision = "float64", *, matrices: bool = False
) -> tuple[PassResult, ...]:
    """Return the output of each pass on a program from ``arrays.compile.translate``. The last one is the plan.

    With ``samples``, the program is batched for so many samples, and all inputs vary between samples.
    """
    second = Pass.SIMPLIFIED if samples is None else Pass.BATCHED
    simplified = optimise(translated) if samples is None else batched(translated)
    made = stages(simplified, samples, precision, matrices=matrices)
    forms: dict[Pass, Form] = {
        Pass.EXECUTED: translated,
        second: simplified,
        Pass.EXPANDED: made.expanded,
        Pass.LOOPS: made.loops,
        Pass.JOINED: made.joined,
        Pass.IN_PLACE: made.in_place,
        Pass.PLACED: made.plan,
    }
    item = np.dtype(precision).itemsize
    return tuple([_counted(made_by, form, samples or 1, item) for made_by, form in forms.items()])


def _counted(made_by: Pass, form: Form, samples: int, item: int) -> PassResult:
    if isinstance(form, Program):
        checks = form.checks
        counts = [_moved(form, e, samples) for e in form.equations]
        made = [e.result for e in form.equations if not isinstance(e.operator, Alias | Smooth | Loop)]
        scratch = sum([prod(form.extent(r, samples)) for r in made])
        return PassResult(made_by, form, form.count, checks, form.cost_of(samples), sum(counts) * item, scratch)
    steps = form.steps
    checks = sum(isinstance(step, Check | IndexCheck) for step in steps)
    scratch = form.scratch if isinstance(form, Plan) else _scratch(form)
    total, traffic = sum(map(operations, steps)), sum(map(moved, steps))
    return PassResult(made_by, form, len(steps) - checks, checks, total, traffic * item, scratch)


def _scratch(made: UnallocatedPlan) -> int:
    used = {view.buffer for step in made.steps for view in (*reads(step), *writes(step))}
    return sum(made.buffers[i].size for i in used if isinstance(made.buffers[i], Scratch))


def _moved(program: Program, equation: Equation, samples: int) -> int:
    """The entries that an equation reads and writes; an alias costs nothing."""
    match equation.operator:
        case Alias() | Part():
            return 0
        case Loop(rounds, body):
            return rounds * sum([_moved(body, e, samples) for e in body.equations])
        case Smooth():
            found: Sequence[Register] = equation.arguments
        case _:
            found = (*equation.arguments, equation.result)
    return sum([prod(program.extent(r, samples)) for r in {*found}])


def _many(n: int, noun: str) -> str:
    return f"{n:,} {noun}" if n == 1 else f"{n:,} {noun}s"
