"""Typing exactly as in the thesis (Sigal 2024, Fig. 7.14): a handled computation has the effects of its handler and no others,
and a thunk is forced only where the row is its own.
"""

from rh_kernel.ad.eff.core import Clauses, Computation, Named
from rh_kernel.ad.eff.definitions import Definitions
from rh_kernel.ad.eff.types import ComputationType, Row, Scheme, ValueType
from rh_kernel.ad.eff.typing.generalisation import function_scheme
from rh_kernel.ad.eff.typing.inference import Inference
from rh_kernel.source.diagnostic import Rejected


def is_thesis_typed(M: Computation, definitions: Definitions) -> bool:
    """Whether a well-typed term without recursion is well typed in the thesis too: no operation passes a handler."""
    inference = _ThesisInference(definitions, {})
    try:
        inference.computation(M, inference.unknowns.row(), inference.unknowns.computation_type())
    except Rejected:
        return False
    return True


class _ThesisInference(Inference):
    """Inference by the rules of the thesis, which infers the types of the functions and handlers that are used again."""

    __slots__ = ("_schemes",)

    def __init__(self, definitions: Definitions, schemes: dict[str, Scheme]) -> None:
        super().__init__(definitions)
        self._schemes = schemes

    def _declared(self, name: str) -> ValueType:
        if name not in self._schemes:
            inference = _ThesisInference(self._definitions, self._schemes)
            unknowns = inference.unknowns
            E, C = unknowns.row(), unknowns.computation_type()
            inference.computation(self._definitions.function(name).definition.body.body, E, C)
            self._schemes[name] = function_scheme(E, C, unknowns)
        scheme = self._schemes[name]
        return self.unknowns.instance(scheme.variables, scheme.rows)(scheme.type)

    def _handler(self, H: Clauses | Named, E: Row, C: ComputationType) -> tuple[ValueType, Row]:
        A = self.unknowns.type()
        match H:
            case Clauses():
                return A, self._handled(H, A, E, C)
            case Named(name, arguments):
                definition, around = self._definitions.handler(name).definition, self._gamma
                types = {x: self.unknowns.type() for x in definition.parameters}
                for V, B in zip(arguments, types.values(), strict=True):
                    self.value(V, B, E)
                self._gamma = dict(types)
                handled = self._handled(definition.clauses, A, E, C)
                self._gamma = around
                return A, handled

    def _handled(self, H: Clauses, A: ValueType, E: Row, C: ComputationType) -> Row:
        labels = self.labels(H)
        self.clauses(H, labels, A, E, C)
        return Row(tuple(labels.values()))

    def _opened(self, E: Row) -> Row:
        return E
