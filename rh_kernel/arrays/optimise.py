"""The optimiser: one forward pass, in which each equation only meets final registers, and one backward pass for liveness."""

from collections.abc import Callable

from rh_kernel.arrays.drafts import CopiedLoop, CopyLoop, Draft
from rh_kernel.arrays.program import Equation, Loop, Program, Register, loop_ranges
from rh_kernel.arrays.rewrites.loop_fission import split
from rh_kernel.loops.trees import leaves
from rh_kernel.source.records import frozen


def optimise(program: Program) -> Program:
    """Return a program with the same results for all inputs and heaps, up to rounding, that computes no more."""
    draft = Draft()
    new = draft.copy(program, [False] * len(program.inputs), _optimised_loop)
    return draft.finish(program, new, [(location, new[r]) for location, r in program.writes])


@frozen
class MeanInRound:
    """The numbers of the results of a loop of which a mean is wanted, and how to take it in a draft of the loop's body"""

    numbers: frozenset[int]
    take: Callable[[Register, Draft, dict[Register, Register]], Register]


def copied_loop(
    draft: Draft, f: Loop, arguments: tuple[Register, ...], loop: CopyLoop, mean: MeanInRound | None = None
) -> CopiedLoop:
    """Copy a loop to a draft. Constants that it is given become constants of its body.

    ``mean`` has the numbers of the results of which the mean over the batch is wanted, and takes it in a body; where that is
    impossible, the result is not a mean, and still batched.
    """
    carried, rows = f.arity
    inputs, results = leaves(f.body.inputs), leaves(f.body.result)
    marks = [draft.batched[a] for a in arguments]
    means = set(mean.numbers if mean else ())
    while True:
        inner = Draft(draft.take_mean)
        new = [0] * len(f.body.shapes)
        known: dict[Register, Register] = {}
        own: dict[int, Register] = {}
        places: list[int] = []
        for i, r in enumerate(inputs):
            held = draft.held(arguments[i]) if i >= carried + rows else None
            if held is not None:
                new[r] = inner.constant(held)
                continue
            places.append(i)
            is_mean = i < carried and i in means
            new[r] = own[i] = inner.fresh(f.body.shapes[r], batched=marks[i] or is_mean)
            if is_mean:
                known[new[r]] = own[i] = inner.fresh(f.body.shapes[r], batched=False)
        for r, array in f.body.constants:
            new[r] = inner.constant(array)
        inner.copy_equations(f.body, new, loop)
        found = [mean.take(new[r], inner, known) if mean and i in means else new[r] for i, r in enumerate(results)]
        lost = {i for i in means if i < carried and (marks[i] or inner.is_needed(new[inputs[i]], found))}
        more = [i for i in range(carried) if i not in means and inner.batched[found[i]] and not marks[i]]
        if not lost and not more:
            break
        means -= lost
        for i in more:
            marks[i] = True
    groups = [tuple([own[i] for i in places if start <= i < stop]) for start, stop in loop_ranges(carried, rows, len(inputs))]
    body = inner.finished(f.body.names, tuple(groups), tuple(found))
    return split(draft, Loop(f.rounds, body, f.backward), tuple([arguments[i] for i in places]))


def _optimised_loop(draft: Draft, _: Equation, f: Loop, arguments: tuple[Register, ...]) -> CopiedLoop:
    return copied_loop(draft, f, arguments, _optimised_loop)
