"""The types of local variables in an item of a ``%%eff`` section: parameters, patterns, lets and continuations."""

from rh_kernel.ad.eff.core import FunctionDefinition, HandlerDefinition, Variable
from rh_kernel.ad.eff.definitions import Definitions
from rh_kernel.ad.eff.frontend.elaboration_items import Group, Run, elaborate
from rh_kernel.ad.eff.frontend.parsing_items import item
from rh_kernel.ad.eff.printing import cropping
from rh_kernel.ad.eff.types import ValueType
from rh_kernel.ad.eff.typing.checking import check_computation, check_functions, check_handler
from rh_kernel.ad.eff.typing.inference import Inference
from rh_kernel.source.diagnostic import Failure
from rh_kernel.source.span import Span
from rh_kernel.syntax.parsing.tokens import Token


def variable(definitions: Definitions, part: Span, token: Token) -> str | None:
    """Return ``x : A`` for the variable used at ``token``, or bound there and used later."""
    seen: list[tuple[Span, str, ValueType, Inference]] = []

    class Recording(Inference):
        """An inference that records the type of every variable where it is used."""

        def variable(self, V: Variable) -> ValueType:
            A = super().variable(V)
            if V.span is not None:
                seen.append((V.span, V.name, A, self))
            return A

    _check_item(definitions, part, Recording)
    uses = [use for use in seen if use[1] == token.text]
    here = [use for use in uses if (use[0].start, use[0].end) == (token.start, token.end)]
    later = sorted([use for use in uses if use[0].start >= token.end], key=lambda use: use[0].start)
    for _, name, A, inference in (*here[-1:], *later[:1]):
        return f"{name} : {cropping.value(inference.unknowns.whole(A))}"
    return None


def _check_item(definitions: Definitions, part: Span, new: type[Inference]) -> None:
    """Type-check an item as far as possible."""
    try:
        read = item(part)
        found = None if read is None else elaborate(read, definitions)
        match found:
            case FunctionDefinition():
                check_functions([found], definitions, new)
            case Group(functions):
                check_functions(functions, definitions, new)
            case HandlerDefinition():
                check_handler(found, definitions, new)
            case Run(_, M):
                check_computation(M, definitions, None, new)
            case _:
                pass
    except (Failure, RecursionError, MemoryError):
        pass  # what was recorded up to there is still right
