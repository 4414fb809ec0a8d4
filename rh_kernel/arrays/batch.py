"""Batches: b samples run from the same heap, and the mean of the b heap changes is added to it (LANGUAGE §6, ``batch b``).

The heap that b samples start from is one, so ``old + mean(newᵢ − old)`` is ``mean(newᵢ)``. The mean is taken as early as the
equations are affine in what differs between samples; so ``w − y xᵀ`` becomes ``w − Yᵀ X / b``, one product of matrices, and no
sample has a matrix of its own. Where an equation is not affine, its results are averaged.
"""

from collections.abc import Sequence

from rh_kernel.arrays.equations.linearity import commutes_with_mean
from rh_kernel.arrays.optimise import Draft
from rh_kernel.arrays.program import Alias, MeanOverBatch, OuterMean, ProductMean, Program, Register, Smooth
from rh_kernel.primitives.linear import SCALE
from rh_kernel.primitives.schemes import instantiate
from rh_kernel.source.collection import put_off
from rh_kernel.syntax.core import Primitive
from rh_kernel.syntax.dimensions import dim

DEEPEST = 60
"""Through how many affine equations in a row a mean is taken; beyond that the results are averaged."""


@put_off()
def batched(program: Program, inputs: Sequence[bool]) -> Program:
    """The program of a batch, optimised: the marked inputs, and what depends on them, get an axis of samples in front.

    Its size does not depend on how many samples there will be. Raises ``ValueError`` unless each input is marked or not.
    """
    draft = Draft()
    new = draft.copy(program, inputs)
    means: dict[Register, Register] = {}
    writes = [(location, _mean(new[r], draft, means, DEEPEST)) for location, r in program.writes]
    return draft.finish(program, new, writes)


def _mean(r: Register, draft: Draft, means: dict[Register, Register], depth: int) -> Register:
    """The register of the mean of ``r`` over the samples, taken through at most ``depth`` affine equations."""
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
                return draft.apply(f, tuple([_mean(a, draft, means, depth - 1) for a in arguments]))
            return _mean_of_product(f, arguments, draft) or draft.apply(MeanOverBatch(shape), (r,))
        case Alias() | MeanOverBatch() | OuterMean() | ProductMean() | Smooth():
            return draft.apply(MeanOverBatch(shape), (r,))


def _mean_of_product(f: Primitive, arguments: tuple[Register, ...], draft: Draft) -> Register | None:
    """The mean of a product both of whose factors differ between samples, as one product, if there is such a thing."""
    if f.name == "outer":
        return draft.apply(OuterMean((*draft.shapes[arguments[0]], *draft.shapes[arguments[1]])), arguments)
    if f.name == "matmul" and len(draft.shapes[arguments[1]]) == 2:
        (m, k), (_, n) = draft.shapes[arguments[0]], draft.shapes[arguments[1]]
        return draft.apply(ProductMean((m, n), k), arguments)
    if f.name != "scale":
        return None
    # a (y xᵀ) = (a y) xᵀ needs no matrix for each sample.
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
