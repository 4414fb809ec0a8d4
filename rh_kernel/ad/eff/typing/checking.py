"""Type checking of EFF's items: functions and handlers get their principal type ``∀ x… e…. A``.

Recursion is polymorphic: a function that uses itself is first typed with no assumption on its type, then assuming the type that
was found, until it is found again (Mycroft 1984); likewise a group of functions. A complete signature is assumed at once.
"""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from itertools import islice
from typing import TypeAlias

from rh_kernel.ad.eff import core
from rh_kernel.ad.eff import definitions as declared
from rh_kernel.ad.eff import types as t
from rh_kernel.ad.eff.builtin_effects import CONSOLE, REFERENCES, array, reference
from rh_kernel.ad.eff.definitions import Definitions, shown
from rh_kernel.ad.eff.typing.exhaustiveness import reject_uncovered
from rh_kernel.ad.eff.typing.generalisation import function_scheme, handler_scheme, variables
from rh_kernel.ad.eff.typing.inference import Inference
from rh_kernel.ad.eff.typing.inference_values import Own
from rh_kernel.ad.eff.typing.instantiation import Instance
from rh_kernel.ad.eff.typing.kinds import check_kinds
from rh_kernel.ad.eff.typing.literal_resolution import resolve_literals
from rh_kernel.ad.eff.typing.type_traversal import leaves
from rh_kernel.ad.eff.typing.unhandled import unhandled
from rh_kernel.ad.eff.typing.unification import Unknowns
from rh_kernel.source.diagnostic import Rejected
from rh_kernel.source.records import frozen
from rh_kernel.source.span import Span
from rh_kernel.syntax.runtime_errors import TooLarge

_MAX_LEAVES, _BYTES_PER_LEAF = 1_000_000, 200

_MAX_ROUNDS, _MAX_RECURSIVE_LEAVES = 12, 500
"""Beyond either limit, a recursive declaration must have the same type wherever it is used."""

New: TypeAlias = type[Inference]
"""The class of inferences to use; a subclass may record what it finds."""

Content: TypeAlias = core.Value | tuple[core.Value, ...]
"""The content of a reference: a value, or the entries of an array."""


@frozen
class Checked:
    """A computation with its literals resolved, its row and its type; unknown types left in them may be anything."""

    term: core.Computation
    row: t.Row
    type: t.ComputationType


def check_computation(
    M: core.Computation, definitions: Definitions, cells: Mapping[int, t.ValueType] | None = None, new: New = Inference
) -> Checked:
    """Infer E and C in ``⊢_E M : C``; ``cells`` are the types of the references in M. Raises ``Rejected``."""
    inference = new(definitions)
    inference.cells.update(cells or {})
    found = _checked(M, inference)
    term = resolve_literals(M, _numbers(inference))
    reject_uncovered(term, definitions)
    return replace(found, term=term)


def recheck(M: core.Computation, definitions: Definitions, cells: Sequence[Content] = ()) -> Checked:
    """Check a term whose literals are resolved, such as an intermediate term of a reduction. Raises ``Rejected``.

    The types of its references are inferred from their contents, ``cells``, and from their use.
    """
    inference = Inference(definitions, literals_resolved=True)
    types = [inference.unknowns.type() for _ in cells]
    for number, (content, A) in enumerate(zip(cells, types, strict=True)):
        inference.cells[number] = array(A) if isinstance(content, tuple) else reference(A)
    for content, A in zip(cells, types, strict=True):
        for V in content if isinstance(content, tuple) else (content,):
            inference.value(V, A, t.Row())
    return _checked(M, inference)


def _checked(M: core.Computation, inference: Inference) -> Checked:
    unknowns = inference.unknowns
    E, C = unknowns.row(), unknowns.computation_type()
    inference.computation(M, E, C)
    _reject_too_large(C, inference, "its type", M.span)
    for leaf in (*leaves(unknowns.whole(C)), *leaves(unknowns.whole(E))):
        if isinstance(leaf, t.Meta):
            unknowns.default(leaf)
    return Checked(M, unknowns.whole(E), unknowns.whole(C))


def check_item(M: core.Computation, definitions: Definitions) -> Checked:
    """Check a computation that is run: only ``RefState`` and ``Console`` may be left in its row. Raises ``Rejected``."""
    checked = check_computation(M, definitions)
    left = [L for L in checked.row.labels if L.effect not in (REFERENCES, CONSOLE)]
    if left:
        raise Rejected(unhandled(M, left[-1], definitions))
    return checked


def check_function(definition: core.FunctionDefinition, definitions: Definitions) -> declared.Function:
    """Check ``fun f p… = M``. Raises ``Rejected``."""
    return check_functions([definition], definitions)[0]


def check_functions(
    group: Sequence[core.FunctionDefinition], definitions: Definitions, new: New = Inference
) -> tuple[declared.Function, ...]:
    """Check ``fun f p… = M and g q… = N …``. Raises ``Rejected``."""
    for f in group:
        check_kinds((*f.signature.domains, f.signature.row, f.signature.codomain), definitions, f.span)
    own: dict[str, Own] = {f.name: _assumed(f.signature) or f for f in group}
    for _ in range(_MAX_ROUNDS):
        found = [_typed([f], definitions, own, new) for f in group]
        schemes = {f.name: typed.schemes[0] for f, typed in zip(group, found, strict=True)}
        if not any(typed.inference.is_recursive for typed in found) or all(_is_found(own[f], S) for f, S in schemes.items()):
            break
        own = {**schemes}
        if any(_is_large(t.Returner(S.type)) for S in schemes.values()):
            found = [_typed(group, definitions, None, new)]
            break
    else:
        found = [_typed(group, definitions, None, new)]
    return tuple([made for typed in found for made in typed.resolve_literals(definitions)])


@frozen
class _Typed:
    """Functions that were typed by one inference, and their types."""

    functions: Sequence[core.FunctionDefinition]
    inference: Inference
    schemes: Sequence[t.Scheme]

    def resolve_literals(self, definitions: Definitions) -> Iterator[declared.Function]:
        """The functions to declare, whose matches are exhaustive. Raises ``Rejected``."""
        types = _numbers(self.inference)
        for f, scheme in zip(self.functions, self.schemes, strict=True):
            body = resolve_literals(f.body, types)
            reject_uncovered(body.body, definitions)
            yield declared.Function(replace(f, body=body), scheme)


def _typed(group: Sequence[core.FunctionDefinition], definitions: Definitions, own: dict[str, Own] | None, new: New) -> _Typed:
    """Infer the types of functions, assuming ``own``, or that each is monomorphic in the group if that is ``None``."""
    inference = new(definitions)
    signed = [_signed(f, inference.unknowns) for f in group]
    monomorphic: dict[str, Own] = {f.name: t.Scheme((), (), t.Thunk(E, C)) for f, (E, C) in zip(group, signed, strict=True)}
    inference.own = monomorphic if own is None else own
    for f, (E, C) in zip(group, signed, strict=True):
        inference.computation(f.body.body, E, C)
        _reject_too_large(C, inference, f"the type of `{shown(f.name)}`", f.span)
    return _Typed(group, inference, [function_scheme(E, C, inference.unknowns) for E, C in signed])


def check_handler(definition: core.HandlerDefinition, definitions: Definitions, new: New = Inference) -> declared.Handler:
    """Check ``handler h x (y : A)… = | return p -> M | …``. Raises ``Rejected``."""
    check_kinds(definition.domains, definitions, definition.span)
    own: Own | None = definition
    for _ in range(_MAX_ROUNDS):
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
    definition: core.HandlerDefinition, definitions: Definitions, own: Own | None, new: New
) -> tuple[Inference, t.HandlerScheme]:
    inference = new(definitions)
    unknowns = inference.unknowns
    B, E, C = unknowns.type(), unknowns.row(), unknowns.computation_type()
    written = Instance({}, {core.IMPLICIT: unknowns.row()})
    parameters = tuple(unknowns.type() if A is None else written(A) for A in definition.domains)
    for name, A in zip(definition.parameters, parameters, strict=True):
        inference.assume(name, A)
    labels = inference.labels(definition.clauses)
    handled = t.Row(tuple(labels.values()), E.tail)
    H = t.HandlerScheme((), (), parameters, B, handled, E, C)
    inference.own = {definition.name: H if own is None else own}
    inference.clauses(definition.clauses, labels, B, E, C)
    return inference, handler_scheme(H, unknowns)


def _signed(definition: core.FunctionDefinition, unknowns: Unknowns) -> tuple[t.Row, t.ComputationType]:
    """The row and the type of a function, as far as its signature gives them.

    Without a result type, the implicit row variable of the parameters' types stands for an unknown row.
    """
    signature = definition.signature
    domains: list[t.ValueType] = [unknowns.type() if A is None else A for A in signature.domains]
    C = unknowns.computation_type() if signature.codomain is None else signature.codomain
    C = t.curried(domains, C)
    if signature.codomain is None:
        written = Instance({}, {core.IMPLICIT: unknowns.row()})
        return unknowns.row(), written(C)
    return _row(signature), C


def _row(signature: core.Signature) -> t.Row:
    return t.Row((), t.RowVariable(core.IMPLICIT)) if signature.row is None else signature.row


def _assumed(signature: core.Signature) -> t.Scheme | None:
    """The type that a signature gives, if it is complete."""
    domains = [A for A in signature.domains if A is not None]
    if signature.codomain is None or len(domains) < len(signature.domains):
        return None
    E, C = _row(signature), t.curried(domains, signature.codomain)
    return t.Scheme(*variables(C, E), t.Thunk(E, C))


def _is_found(assumed: Own, found: t.Scheme) -> bool:
    """Whether the assumed type was found, up to the order of labels of different effects."""
    return isinstance(assumed, t.Scheme) and Unknowns().allows(assumed.type, found.type)


def _reject_too_large(C: t.ComputationType, inference: Inference, what: str, span: Span | None) -> None:
    """Raise ``Rejected`` if C does not fit into memory, since parts of it are doubled again and again."""
    if (size := inference.unknowns.size(C)) > _MAX_LEAVES:
        gigabytes = size * _BYTES_PER_LEAF / 1e9
        needed = f"{gigabytes:,.1f} GB" if gigabytes < 1e6 else "more than a million GB"
        hint = "a data type instead of tuples in tuples keeps types small"
        raise Rejected(TooLarge(span=span, what=what, needed=needed, hint=hint))


def _is_large(C: t.ComputationType) -> bool:
    return any(True for _ in islice(leaves(C), _MAX_RECURSIVE_LEAVES, None))


def _numbers(inference: Inference) -> Iterator[t.ValueType]:
    """The types of the literals; a type that is only known to be numeric is ``Float``."""
    known = map(inference.unknowns.known, inference.numbers)
    return (t.FLOAT if isinstance(A, t.Meta) else A for A in known)
