"""What the steps of a plan read and write."""

from collections.abc import Callable, Iterator
from dataclasses import replace

from rh_kernel.arrays.plan import Call, Check, Contract, Gather, Map, Reduce, Step, View


def reads(step: Step) -> Iterator[View]:
    """The views that a step reads; what it adds to is among them."""
    match step:
        case Map(_, arguments, _, stores):
            yield from arguments
            yield from (store.view for store in stores if store.accumulate)
        case Reduce(_, _, argument) | Gather(_, argument):
            yield argument
        case Contract(_, output, left, right):
            yield left
            yield right
            if step.accumulate:
                yield output
        case Call(_, _, arguments) | Check(_, arguments):
            yield from arguments


def writes(step: Step) -> Iterator[View]:
    """The views that a step writes."""
    match step:
        case Map(_, _, _, stores):
            yield from (store.view for store in stores)
        case Reduce(_, output) | Gather(output) | Contract(_, output) | Call(_, output):
            yield output
        case Check():
            pass


def with_views(step: Step, image: Callable[[View], View]) -> Step:
    """The step with each view replaced."""
    match step:
        case Map(shape, arguments, body, stores):
            moved = tuple([replace(store, view=image(store.view)) for store in stores])
            return Map(shape, tuple([image(v) for v in arguments]), body, moved)
        case Reduce(fold, output, argument, scale):
            return Reduce(fold, image(output), image(argument), scale)
        case Contract(extents, output, left, right, scale, accumulate):
            return Contract(extents, image(output), image(left), image(right), scale, accumulate)
        case Gather(output, argument, table):
            return Gather(image(output), image(argument), table)
        case Call(function, output, arguments):
            return Call(function, image(output), tuple([image(v) for v in arguments]))
        case Check(function, arguments, span):
            return Check(function, tuple([image(v) for v in arguments]), span)
