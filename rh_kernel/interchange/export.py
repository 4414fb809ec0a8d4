"""Export: a net of a session as the files of an array language."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from importlib.util import find_spec
from typing import cast

import numpy as np

from rh_kernel.arrays.compile import translate, translate_term
from rh_kernel.arrays.options import CompileOptions
from rh_kernel.arrays.stacks import places
from rh_kernel.interchange.errors import GenericNet, NotInstalled
from rh_kernel.interchange.functions import ArrayFunction, Weight, function_of
from rh_kernel.interchange.targets.target import Exported, Target
from rh_kernel.loops.ir import Precision
from rh_kernel.primitives.contents import content
from rh_kernel.source.diagnostic import KernelBug, Rejected, Stuck
from rh_kernel.source.span import Span
from rh_kernel.syntax.core import Array, Command, Term
from rh_kernel.syntax.runtime_errors import Unhandled, placed
from rh_kernel.syntax.signature import Location, Parameter, ValueKind
from rh_kernel.syntax.types import Type, leaves
from rh_kernel.syntax.unhandled_hints import with_handlers
from rh_kernel.typing.definitions import FunDefinition, NetDefinition

FEWEST = 2
"""The number of rounds from which on rounds stay a loop: the length of a file does not depend on it."""


def files_of(
    net: NetDefinition | FunDefinition,
    target: Target,
    heap: Mapping[Location, Array],
    precision: Precision,
    options: CompileOptions,
    signature: str,
    span: Span,
) -> Mapping[str, bytes]:
    """Return the contents of the files for a net, by their suffixes; they mention its ``signature``.

    Raises ``Rejected`` at ``span`` if the net is generic, or the target cannot express it or is not installed; ``Stuck`` if an
    operation has no handler.
    """
    if missing := [name for name in target.requires if find_spec(name) is None]:
        hint = f"install it and restart the kernel: {target.install}"
        raise Rejected(NotInstalled(span=span, target=target.title, missing=" and ".join(missing), hint=hint))
    function = function_of_net(net, options, span)
    try:
        return target.write(Exported(function, _contents(function, heap), precision, signature))
    except Rejected as failure:
        raise Rejected(*[replace(d, span=d.span or span) for d in failure.diagnostics]) from None


def function_of_net(net: NetDefinition | FunDefinition, options: CompileOptions, span: Span) -> ArrayFunction:
    """Return the function that a net is. Raises as ``files_of`` does."""
    statics = net.statics if isinstance(net, NetDefinition) else ()
    _require_closed(net, statics, span)
    given = [(p.name, p.kind.type) for p in statics if isinstance(p.kind, ValueKind)]
    options = replace(options, fewest=None if options.fewest is None else FEWEST)
    try:
        match net:
            case NetDefinition(body=body):
                program = translate(cast(Command, body.body), (*[A for _, A in given], net.domain), (), options)
            case FunDefinition(body=body):
                program = translate_term(cast(Term, body.body), (net.domain,), (), options)
    except Stuck as failure:
        raise placed(_with_hint(failure, net), span) from None
    names = [name for parameter in (*given, *net.parameters) for name in _leaf_names(*parameter)]
    try:
        return function_of(net.name, program, names)
    except Rejected as failure:
        raise Rejected(*[replace(d, span=d.span or span) for d in failure.diagnostics]) from None


def _with_hint(failure: Stuck, net: NetDefinition | FunDefinition) -> Stuck:
    """Add the handlers around an operation that none of them handles, or, where there are none, what to export instead."""
    names = ", ".join([name for name, _ in net.parameters])
    typed = ", ".join([f"{name} : {A}" for name, A in net.parameters])
    indices = "[…]" if isinstance(net, NetDefinition) and net.statics else ""
    own = f"net handled({typed}) = handle {net.name}{indices}({names}) with H"
    found = zip(failure.diagnostics, with_handlers(failure, net.body.body).diagnostics, strict=True)
    return Stuck(
        *[
            replace(d, hint=f"export a net that handles it: `{own}`, where H has a clause for `{d.operation}`")
            if isinstance(d, Unhandled) and d is before
            else d
            for before, d in found
        ]
    )


def _leaf_names(name: str, A: Type) -> Iterator[str]:
    """A name for each array of a parameter."""
    count = len([*leaves(A)])
    yield from [name] if count == 1 else [f"{name}{i}" for i in range(1, count + 1)]


def _require_closed(net: NetDefinition | FunDefinition, statics: Sequence[Parameter], span: Span) -> None:
    """Raise ``Rejected`` if the net has parameters that are not arrays."""
    others = [p for p in statics if not isinstance(p.kind, ValueKind)]
    if not others and not net.variables:
        return
    what = _listed(others) if others else f"the dimension{'s' * (len(net.variables) > 1)} {', '.join(net.variables)}"
    raise Rejected(GenericNet(span=span, name=net.name, what=what))


def _listed(parameters: Sequence[Parameter]) -> str:
    return ", ".join([f"`{p}`" for p in parameters])


def _contents(function: ArrayFunction, heap: Mapping[Location, Array]) -> Mapping[Weight, Array]:
    """The contents of the weights; several that are stacked are one array."""
    found: dict[Weight, Array] = {}
    for weight in function.weights:
        arrays = [content(heap, location) for location in places(weight.location)]
        present = [array for array in arrays if array is not None]
        if len(present) < len(arrays):
            raise KernelBug(f"{weight.location.name} has no content")
        found[weight] = present[0] if places(weight.location) == (weight.location,) else np.stack(present)
    return found
