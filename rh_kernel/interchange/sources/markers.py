"""Functions that the language does not have: each stands in the model until what is around it makes it needless."""

from collections.abc import Mapping

from rh_kernel.interchange.model import Call, Let, Model, all_nodes, variables
from rh_kernel.interchange.sources.builder import Builder, Operand, Tensor, Typed
from rh_kernel.interchange.sources.choices import is_truth
from rh_kernel.interchange.sources.refusals import Refusals
from rh_kernel.interchange.sources.simplify import pruned, simplified

STOPPED = "stop_gradient"
"""Left out in patterns."""
WHOLE = "whole_numbers"
"""Real numbers as whole ones: left out where they are the numbers of rows."""

_REASONS: Mapping[str, tuple[str, str]] = {
    STOPPED: ("the language stops no gradient", "leave it out"),
    WHOLE: ("it rounds to whole numbers", "keep real numbers; only numbers of rows may be whole"),
}


def marked(b: Builder, marker: str, x: Tensor) -> Tensor:
    """Return x with a marker, which knows the operation that is being read."""
    done = b.call(marker, [x.typed], x.typed.shape)
    b.note(done.term)
    return Tensor(done.term, x.shape, x.batch)


def whole(b: Builder, x: Operand) -> Operand:
    """Return x as whole numbers; constants and the numbers of truth values are whole already."""
    return x if not isinstance(x, Tensor) or is_truth(b, x.term) else marked(b, WHOLE, x)


def as_row_numbers(b: Builder, x: Typed) -> Typed:
    """Return numbers of rows as the real numbers that they are in the program."""
    inner = b.reshaped(x)
    if inner is not None:
        return b.reshape(as_row_numbers(b, inner), x.shape)
    term = b.definition(x.term)
    return as_row_numbers(b, Typed(term.arguments[0], x.shape)) if isinstance(term, Call) and term.function == WHOLE else x


def without_markers(model: Model, b: Builder, refusals: Refusals) -> Model:
    """Return the model as a person would write it. Raises ``Rejected`` if a marker is left in it."""
    nodes = pruned(model.nodes, [v for output in model.outputs for v in variables(output.term)])
    for node in all_nodes(nodes):
        if isinstance(node, Let) and isinstance(node.term, Call) and node.term.function in _REASONS:
            refusals.add(*b.noted[node.result], *_REASONS[node.term.function])
    refusals.check()
    return simplified(model)
