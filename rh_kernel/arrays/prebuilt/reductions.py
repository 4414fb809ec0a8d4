"""The call for a ``Reduce``: several adjacent outputs together where they lie side by side, otherwise one after the other."""

from rh_kernel.arrays.native.axes import Axis, axes
from rh_kernel.arrays.prebuilt.call import Call, bits, is_empty, words
from rh_kernel.loops.ir import Fold, Reduce, View

NUMBERS = {Fold.SUM: 0, Fold.MAX: 1, Fold.ARGMAX: 2}
"""The numbers of the folds in the library."""


def reduce_call(step: Reduce) -> list[Call]:
    """Return the call, or nothing if the output has no entries."""
    if is_empty(step.output):
        return []
    n = len(step.output.shape)
    kept = View(0, 0, step.argument.shape[:n], step.argument.strides[:n])
    rest = View(0, 0, step.argument.shape[n:], step.argument.strides[n:])
    outer = [*axes(step.output.shape, [step.output, kept])]
    if step.fold is Fold.ARGMAX:
        # Positions are counted in row-major order.
        inner = [Axis(extent, (stride,)) for extent, stride in zip(rest.shape, rest.strides, strict=True)]
    else:
        inner = [*axes(rest.shape, [rest])]
    if is_empty(rest):
        inner = [Axis(0, (0,))]
    along = [axis for axis in inner if axis.strides[0] == 1]
    beside = [axis for axis in outer if axis.strides[1] == 1]
    last = Axis(1, (0, 0))
    together = bool(beside) and not along and not is_empty(rest) and step.fold is not Fold.ARGMAX
    if together:
        last = beside[0]
        outer.remove(last)
    elif inner:
        row = along[0] if along and step.fold is not Fold.ARGMAX else inner[-1]
        inner.remove(row)
        last = Axis(row.extent, (0, row.strides[0]))
    parameters = (bits(step.scale), NUMBERS[step.fold], int(together), len(outer), len(inner), last.extent, *last.strides)
    return [Call("reduce", (*parameters, *words(outer), *words(inner)), (step.output, step.argument))]
