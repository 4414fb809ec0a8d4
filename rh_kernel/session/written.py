"""Where the bodies of declarations were written, so that a term can be told from the net or the function that it comes from."""

from collections.abc import Mapping

from rh_kernel.source.span import Span
from rh_kernel.typing.definitions import (
    ConstDefinition,
    Definitions,
    DimDefinition,
    FunDefinition,
    HandlerDefinition,
    LocDefinition,
    NetDefinition,
    OpDefinition,
)


def written(definitions: Definitions) -> Mapping[str, Span]:
    """Where the bodies of nets, functions and handlers were written, as far as that is known."""
    found: dict[str, Span] = {}
    for name, declared in definitions.named.items():
        match declared.definition:
            case NetDefinition(body=body):
                spans = [body.body.span]
            case FunDefinition(body=body, own=own):
                spans = [body.body.span, None if own is None else own.body.span]
            case HandlerDefinition(handler=H):
                spans = [H.span]
            case DimDefinition() | ConstDefinition() | LocDefinition() | OpDefinition():
                spans = []
        known = [span for span in spans if span is not None]
        for span in known:
            found[name] = found.get(name, span).to(span)
    return found
