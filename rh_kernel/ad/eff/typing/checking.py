"""The items of EFF, typed: functions and handlers get the most general type that they have, ``∀ x… e…. A``.

A function that uses itself may do so at other types than its own: its type is found by assuming nothing of it, and then by
assuming what was found, until that is found again (Mycroft 1984). So are the types of functions that use each other. What a
signature says is taken for granted, and then shown.
"""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from itertools import islice
from typing import TypeAlias

from rh_kernel.ad.eff import definitions as declared
from rh_kernel.ad.eff.builtin_effects import CONSOLE, REFERENCES, array, reference
from rh_kernel.ad.eff.core import (
    IMPLICIT,
    Computation,
    FunctionDefinition,
    HandlerDefinition,
    Signature,
    Value,
)
from rh_kernel.ad.eff.definitions import Definitions, shown
from rh_kernel.ad.eff.types import (
    FLOAT,
    ComputationType,
    Function,
    HandlerScheme,
    Meta,
    Returner,
    Row,
    RowVariable,
    Scheme,
    Thunk,
    ValueType,
)
from rh_kernel.ad.eff.typing.exhaustiveness import reject_uncovered
from rh_kernel.ad.eff.typing.free_type_vars import leaves, leaves_of_computation
from rh_kernel.ad.eff.typing.generalisation import function_scheme, handler_scheme, variables
from rh_kernel.ad.eff.typing.inference import Inference
from rh_kernel.ad.eff.typing.inference_values import Own
from rh_kernel.ad.eff.typing.instantiation import Instance
from rh_kernel.ad.eff.typing.kinds import Kinds, check_data, check_effect
from rh_kernel.ad.eff.typing.literal_resolution import resolve_literals
from rh_kernel.ad.eff.typing.unhandled import unhandled
from rh_kernel.ad.eff.typing.unification import Mismatch, Unknowns
from rh_kernel.source.diagnostic import Rejected
from rh_kernel.source.records import frozen
from rh_kernel.source.span import Span
from rh_kernel.syntax.runtime_errors import TooLarge

__all__ = [
    "Checked",
    "Content",
    "check_computation",
    "check_data",
    "check_effect",
    "check_function",
    "check_functions",
    "check_handler",
    "check_item",
    "recheck",
]

_MOST, _BYTES = 1_000_000, 200
"""How many leaves a type may have, and what one of them needs."""

New: TypeAlias = type[Inference]
"""What types the parts of an item, and may keep what it has found."""

_ROUNDS, _LARGEST = 12, 500
"""How often the type of a recursive declaration is looked for, and how many leaves it may grow to, before it has to be the same
wherever it is used."""


Content: TypeAlias = Value | tuple[Value, ...]
"""What a reference holds: a value, or the entries of an array."""


@frozen
class Checked:
    """A computation with its literals resolved, its row and its type; what is still unknown of them may be anything."""

    term: Computation
    row: Row
    type: ComputationType


def check_computation(
    M: Computation, definitions: Definitions, cells: Mapping[int, ValueType] | None = None, new: New = Inference
) -> Checked:
    """E and C, where ``⊢_E M : C``; ``cells`` are the types of the references in M."""
    inference = new(definitions)
    inference.cells.update(cells or {})
    found = _checked(M, inference)
    term = resolve_literals(M, _numbers(inference))
    reject_uncovered(term, definitions)
    return replace(found, term=term)


def recheck(M: Computation, definitions: Definitions, cells: Sequence[Content] = ()) -> Checked:
    """The same of a term that was checked before, or that such a one was reduced to, with what its references hold.

    The types of these are found by their contents and by how they are used.
    """
    inference = Inference(definitions, is_settled=True)
    types = [inference.unknowns.type() for _ in cells]
    for number, (content, A) in enumerate(zip(cells, types, strict=True)):
        inference.cells[number] = array(A) if isinstance(content, tuple) else reference(A)
    for content, A in zip(cells, types, strict=True):
        for V in content if isinstance(content, tuple) else (content,):
            inference.value(V, A, Row())
    return _checked(M, inference)


def _checked(M: Computation, inference: Inference) -> Checked:
    unknowns = inference.unknowns
    E, C = unknowns.row(), unknowns.computation_type()
    inference.computation(M, E, C)
    _reject_too_large(C, inference, "its type", M.span)
    for leaf in (*leaves_of_computation(unknowns.whole_computation(C)), *leaves(unknowns.whole_row(E))):
        if isinstance(leaf, Meta):
            unknowns.default(leaf)
    return Checked(M, unknowns.whole_row(E), unknowns.whole_computation(C))


def check_item(M: Computation, definitions: Definitions) -> Checked:
    """The same for an item that is run: the machine handles references and what is printed, and something else all the rest."""
    checked = check_computation(M, definitions)
    left = [L for L in checked.row.labels if L.effect not in (REFERENCES, CONSOLE)]
    if left:
        raise Rejected(unhandled(M, left[-1], definitions))
    return checked


def check_function(definition: FunctionDefinition, definitions: Definitions) -> declared.Function:
    """``fun f p… = M`` and its type."""
    return check_functions([definition], definitions)[0]


def check_functions(
    group: Sequence[FunctionDefinition], definitions: Definitions, new: New = Inference
) -> tuple[declared.Function, ...]:
    """``fun f p… = M and g q… = N …`` and their types."""
    for f in group:
        _signature_well_formed(f, definitions)
    own: dict[str, Own] = {f.name: _assumed(f.signature) or f for f in group}
    for _ in range(_ROUNDS):
        found = [_together([f], definitions, own, new) for f in group]
        schemes = {f.name: typed.schemes[0] for f, typed in zip(group, found, strict=True)}
        if not any(typed.inference.is_recursive for typed in found) or all(_is(own[f], S) for f, S in schemes.items()):
            break
        own = {**schemes}
        if any(_is_large(Returner(S.type)) for S in schemes.values()):
            found = [_together(group, definitions, None, new)]
            break
    else:
        found = [_together(group, definitions, None, new)]
    return tuple([made for typed in found for made in typed.resolve_literals(definitions)])


@frozen
class _Typed:
    """Functions that were typed together, and their types."""

    functions: Sequence[FunctionDefinition]
    inference: Inference
    schemes: Sequence[Scheme]

    def resolve_literals(self, definitions: Definitions) -> Iterator[declared.Function]:
        """The functions as they are declared."""
        types = _numbers(self.inference)
        for f, scheme in zip(self.functions, self.schemes, strict=True):
            body = resolve_literals(f.body, types)
            reject_uncovered(body.body, definitions)
            yield declared.Function(replace(f, body=body), scheme)


def _together(group: Sequence[FunctionDefinition], definitions: Definitions, own: dict[str, Own] | None, new: New) -> _Typed:
    """The types of functions of which ``own`` is assumed, or that each has one type, the same wherever it is used."""
    inference = new(definitions)
    signed = [_signed(f, inference.unknowns) for f in group]
    alike: dict[str, Own] = {f.name: Scheme((), (), Thunk(E, C)) for f, (E, C) in zip(group, signed, strict=True)}
    inference.own = alike if own is None else own
    for f, (E, C) in zip(group, signed, strict=True):
        inference.computation(f.body.body, E, C)
        _reject_too_large(C, inference, f"the type of `{shown(f.name)}`", f.span)
    return _Typed(group, inference, [function_scheme(E, C, inference.unknowns) for E, C in signed])


def check_handler(definition: HandlerDefinition, definitions: Definitions, new: New = Inference) -> declared.Handler:
    """``handler h x (y : A)… = | return p -> M | …`` and its type."""
    _well_formed(definition, definition.domains, definitions)
    own: Own | None = definition
    for _ in range(_ROUNDS):
        inference, scheme = _handler(definition, definitions, own, new)
        if not inference.is_recursive or own == scheme:
            break
        own = scheme
        if _is_large(scheme.codomain):
            inference, scheme = _handler(definition, definitions, None, new)
            break
    else:
        inference, scheme = _handler(definition, definitions, None, new)
    clauses = resolve_literals(definition.clauses, _numbers(inference))
    reject_uncovered(clauses, definitions)
    return declared.Handler(replace(definition, clauses=clauses), scheme)


def _handler(
    definition: HandlerDefinition, definitions: Definitions, own: Own | None, new: New
) -> tuple[Inference, HandlerScheme]:
    inference = new(definitions)
    unknowns = inference.unknowns
    B, E, C = unknowns.type(), unknowns.row(), unknowns.computation_type()
    written = Instance({}, {IMPLICIT: unknowns.row()})
    parameters = tuple(unknowns.type() if A is None else written.value(A) for A in definition.domains)
    for name, A in zip(definition.parameters, parameters, strict=True):
        inference.assume(name, A)
    labels = inference.labels(definition.clauses)
    handled = Row(tuple(labels.values()), E.tail)
    H = HandlerScheme((), (), parameters, B, handled, E, C)
    inference.own = {definition.name: H if own is None else own}
    inference.clauses(definition.clauses, labels, B, E, C)
    return inference, handler_scheme(H, unknowns)


def _signed(definition: FunctionDefinition, unknowns: Unknowns) -> tuple[Row, ComputationType]:
    """The row and the type of a function, as far as its signature tells them.

    The row variable that nobody writes may turn out to be a particular row where the result has no type, for then what is
    written says nothing of the row of the function itself.
    """
    signature = definition.signature
    domains: list[ValueType] = [unknowns.type() if A is None else A for A in signature.domains]
    C = unknowns.computation_type() if signature.codomain is None else signature.codomain
    for A in reversed(domains):
        C = Function(A, C)
    if signature.codomain is None:
        written = Instance({}, {IMPLICIT: unknowns.row()})
        return unknowns.row(), written.computation(C)
    return _row(signature), C


def _row(signature: Signature) -> Row:
    return Row((), RowVariable(IMPLICIT)) if signature.row is None else signature.row


def _assumed(signature: Signature) -> Scheme | None:
    """What a signature says, if it leaves nothing out."""
    domains = [A for A in signature.domains if A is not None]
    if signature.codomain is None or len(domains) < len(signature.domains):
        return None
    E, C = _row(signature), signature.codomain
    for A in reversed(domains):
        C = Function(A, C)
    types, rows = variables([*leaves_of_computation(C), *leaves(E)])
    return Scheme(types, rows, Thunk(E, C))


def _signature_well_formed(definition: FunctionDefinition, definitions: Definitions) -> None:
    signature = definition.signature
    kinds = _well_formed(definition, signature.domains, definitions)
    if signature.row is not None:
        kinds.row(signature.row)
    if signature.codomain is not None:
        kinds.computation(signature.codomain)


def _well_formed(
    definition: FunctionDefinition | HandlerDefinition, domains: Sequence[ValueType | None], definitions: Definitions
) -> Kinds:
    kinds = Kinds(definitions, definition.span)
    for A in domains:
        if A is not None:
            kinds.value(A)
    return kinds


def _is(assumed: Own, found: Scheme) -> bool:
    return isinstance(assumed, Scheme) and _same(assumed, found)


def _same(S: Scheme, T: Scheme) -> bool:
    """Whether two types differ at most in the order of labels of different effects."""
    try:
        Unknowns().types(S.type, T.type)
    except Mismatch:
        return False
    return True


def _reject_too_large(C: ComputationType, inference: Inference, what: str, span: Span | None) -> None:
    """A type whose parts double with every declaration is soon beyond all memory."""
    if (size := inference.unknowns.size(C)) > _MOST:
        needed = f"{size * _BYTES / 1e9:,.1f} GB" if size * _BYTES < 1e15 else "more than a million GB"
        hint = "a data type instead of tuples in tuples keeps types small"
        raise Rejected(TooLarge(span=span, what=what, needed=needed, hint=hint))


def _is_large(C: ComputationType) -> bool:
    return any(True for _ in islice(leaves_of_computation(C), _LARGEST, None))


def _numbers(inference: Inference) -> Iterator[ValueType]:
    """The types of the literals; what is only known to be a number is a ``Float``."""
    known = map(inference.unknowns.known, inference.numbers)
    return (FLOAT if isinstance(A, Meta) else A for A in known)
