"""Batches: b samples run from the same heap, and the mean of the b heap changes is added to it (LANGUAGE §6, ``batch b``).

All b samples start from the same heap, so ``old + mean(newᵢ − old)`` is ``mean(newᵢ)``. The mean is pushed through equations as
long as they are affine in what differs between samples, so ``w − y xᵀ`` becomes ``w − Yᵀ X / b``, one matrix product, and no
sample needs a matrix of its own. Where an equation is not affine, its results are averaged.
"""

from collections import Counter
from collections.abc import Sequence

from rh_kernel.arrays.drafts import CopiedLoop, CopyLoop, Draft
from rh_kernel.arrays.optimise import MeanInRound, copied_loop
from rh_kernel.arrays.program import (
    Alias,
    Equation,
    Loop,
    MeanOverBatch,
    OuterMean,
    Part,
    ProductMean,
    Program,
    Register,
    Smooth,
)
from rh_kernel.arrays.rewrites.linearity import commutes_with_mean
from rh_kernel.loops.trees import leaves
from rh_kernel.primitives.linear import SCALE
from rh_kernel.primitives.schemes import instantiate
from rh_kernel.source.gc_pause import gc_paused
from rh_kernel.syntax.core import Primitive
from rh_kernel.syntax.dimensions import dim
from rh_kernel.syntax.runtime_errors import mean_in_branch

DEEPEST = 60
"""How many affine equations in a row a mean is pushed through; beyond that, results are averaged."""


@gc_paused()
def batched(program: Program, inputs: Sequence[bool] | None = None, *, together: bool = True) -> Program:
    """Return the program for a batch, optimised: marked inputs, and what depends on them, get a leading axis of samples.

    Without marks, all inputs do. Each sample has draws of its own. Unless they run ``together``, a mean over the batch that the
    program asks for is that of each sample alone. The length of the program does not depend on the number of
    samples. Raises ``ValueError`` unless ``inputs`` has a mark for each input that is no draw, and ``Stuck`` for a mean over
    samples that may not all get there.
    """
    draft = Draft(_shared_mean if together else _own_mean)
    copy_loop = _batched_loop(program, [r for _, r in program.writes])
    given = len(program.inputs) - len(program.draws)
    new = draft.copy(program, [*([True] * given if inputs is None else inputs), *[True] * len(program.draws)], copy_loop)
    means: dict[Register, Register] = {}
    writes = [(location, _mean(new[r], draft, means, DEEPEST)) for location, r in program.writes]
    return draft.finish(program, new, writes)


def _batched_loop(program: Program, written: Sequence[Register]) -> CopyLoop:
    """Copy loops of the program for a batch; of results that are only written, the mean is taken in each round."""
    others = Counter([a for e in program.equations for a in e.arguments])
    others.update(set(leaves(program.result)))
    parts: dict[Register, set[int]] = {}
    for e in program.equations:
        if isinstance(e.operator, Part) and e.result in written and not others[e.result]:
            parts.setdefault(e.arguments[0], set()).add(e.operator.number)

    def copy_loop(draft: Draft, equation: Equation, f: Loop, arguments: tuple[Register, ...]) -> CopiedLoop:
        numbers = frozenset(parts.get(equation.result, ()))
        results = leaves(f.body.result)
        inner = _batched_loop(f.body, [results[i] for i in numbers])
        return copied_loop(draft, f, arguments, inner, MeanInRound(numbers, _mean_in_round))

    return copy_loop


def _shared_mean(r: Register, draft: Draft, f: MeanOverBatch) -> Register:
    """The mean over all samples. Raises ``Stuck`` if some of them may not get there."""
    if f.in_branch and draft.batched[r]:
        raise mean_in_branch(f.span)
    return _mean(r, draft, {}, DEEPEST)


def _own_mean(r: Register, _: Draft, __: MeanOverBatch) -> Register:
    return r


def _mean_in_round(r: Register, draft: Draft, means: dict[Register, Register]) -> Register:
    return _mean(r, draft, means, DEEPEST)


def _mean(r: Register, draft: Draft, means: dict[Register, Register], depth: int) -> Register:
    """The register of the mean of ``r`` over the samples, pushed through at most ``depth`` affine equations."""
    if not draft.batched[r]:
        return r
    if r not in means:
        means[r] = _take_mean(r, draft, means, depth)
    return means[r]


def _take_mean(r: Register, draft: Draft, means: dict[Register, Register], depth: int) -> Register:
    shape = draft.shapes[r]
    found = draft.definition(r)
    if found is None or depth == 0:
        return draft.apply(MeanOverBatch(shape), (r,))
    f, arguments = found.operator, found.arguments
    match f:
        case Primitive():
            varying = [draft.batched[a] for a in arguments]
            if commutes_with_mean(f, varying):
                taken = tuple([_mean(a, draft, means, depth - 1) for a in arguments])
                draft.span = found.span
                return draft.apply(f, taken)
            draft.span = found.span
            return _mean_of_product(f, arguments, draft) or draft.apply(MeanOverBatch(shape), (r,))
        case Alias() | MeanOverBatch() | OuterMean() | ProductMean() | Smooth() | Loop() | Part():
            return draft.apply(MeanOverBatch(shape), (r,))


def _mean_of_product(f: Primitive, arguments: tuple[Register, ...], draft: Draft) -> Register | None:
    """The mean of a product whose factors both differ between samples, as one matrix product, if possible."""
    if f.name == "outer":
        return draft.apply(OuterMean((*draft.shapes[arguments[0]], *draft.shapes[arguments[1]])), arguments)
    if f.name == "matmul" and len(draft.shapes[arguments[1]]) == 2:
        (m, k), (_, n) = draft.shapes[arguments[0]], draft.shapes[arguments[1]]
        return draft.apply(ProductMean((m, n), k), arguments)
    if f.name != "scale":
        return None
    # a (y xᵀ) = (a y) xᵀ avoids a matrix per sample.
    a, x = arguments
    found = draft.definition(x)
    if found is None or not isinstance(found.operator, Primitive) or found.operator.name != "outer":
        return None
    y, z = found.arguments
    return (
        draft.apply(
            OuterMean(draft.shapes[x]), (draft.apply(instantiate("scale", SCALE, ((dim(draft.shapes[y][0]),),)), (a, y)), z)
        )
        if draft.batched[z]
        else None
    )
