"""Making a model what a person would write: nothing that is not used, loops for blocks that are alike, terms inside terms."""

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import replace

from rh_kernel.interchange.model import (
    Call,
    Constant,
    Infix,
    Let,
    Map,
    Model,
    Node,
    Number,
    Output,
    Perform,
    Repeat,
    Scan,
    Term,
    Value,
    body_of,
    results_of,
    subterms,
    terms_of,
    used,
    variables,
)
from rh_kernel.interchange.sources.repeats import with_repeats

LONGEST_RESULT = 12
"""The most functions and signs of a term that is all that a block returns."""
LARGEST = 3
"""The most functions and signs of a term into which others are put."""


def simplified(model: Model) -> Model:
    """Return the model without what is not used, with loops, and with terms inside terms where these remain short."""
    nodes = pruned(model.nodes, [v for output in model.outputs for v in variables(output.term)])
    nodes = with_repeats(nodes, [v for output in model.outputs for v in variables(output.term)])
    nodes, terms = _nested(nodes, [output.term for output in model.outputs])
    outputs = [Output(M, output.shape, output.expected) for output, M in zip(model.outputs, terms, strict=True)]
    return replace(model, nodes=nodes, outputs=tuple(outputs))


def pruned(nodes: Sequence[Node], wanted: Sequence[Value]) -> tuple[Node, ...]:
    """Return the nodes on which the wanted variables depend."""
    needed, kept = set(wanted), list[Node]()
    for node in reversed(nodes):
        if needed.intersection(results_of(node)):
            kept.append(node)
            needed.update(used(node))
    return tuple(reversed(kept))


def substituted(M: Term, terms: Mapping[Value, Term]) -> Term:
    """Return the term with terms in the place of variables."""
    match M:
        case Value():
            return terms.get(M, M)
        case Number() | Constant():
            return M
        case Call(function, arguments, sizes):
            return Call(function, tuple([substituted(N, terms) for N in arguments]), sizes)
        case Infix(sign, left, right):
            return Infix(sign, substituted(left, terms), substituted(right, terms))
        case Map(names, sequences, body):
            return Map(names, tuple([substituted(N, terms) for N in sequences]), substituted(body, terms))


def _nested(nodes: Sequence[Node], returned: Sequence[Term]) -> tuple[tuple[Node, ...], list[Term]]:
    """Return a block with each term that is used once, and short, at the place of its use."""
    uses = Counter([v for node in nodes for M in terms_of(node) for v in _at_once(M)])
    uses.update([v for M in returned for v in _at_once(M)])
    inside = {v for node in nodes for v in _in_body(node)}
    terms: dict[Value, Term] = {}
    kept: list[Node] = []
    for node in nodes:
        done = _with_terms(node, terms)
        if isinstance(done, Let) and uses[done.result] == 1 and done.result not in inside and not isinstance(done.term, Map):
            user = 0 if [done.result] == list(returned) else _user(done.result, nodes, returned)
            if user is not None and _size(substituted(done.term, terms)) + user <= (
                LONGEST_RESULT if [done.result] == list(returned) else LARGEST
            ):
                terms[done.result] = done.term
                continue
        kept.append(done)
    return tuple(kept), [substituted(M, terms) for M in returned]


def _in_body(node: Node) -> set[Value]:
    """Return the variables that the body of a loop uses, without its own."""
    body, returned = body_of(node)
    found = {v for inner in body for v in used(inner)} | {v for M in returned for v in variables(M)}
    return found - {node.state} if isinstance(node, Repeat) else found


def _user(x: Value, nodes: Sequence[Node], returned: Sequence[Term]) -> int | None:
    """Return the size of the term in which a variable that is used once occurs; a layer counts as one."""
    for node in nodes:
        for M in terms_of(node):
            if x in set(variables(M)):
                return _size(M) + (not isinstance(node, Let))
    return next(iter([_size(M) for M in returned if x in set(variables(M))]), None)


def _at_once(M: Term) -> list[Value]:
    """Return the variables of a term; those in the body of a map count twice, as it runs for each row."""
    if isinstance(M, Map):
        return [v for N in M.sequences for v in _at_once(N)] + 2 * list(variables(M.body))
    return [M] if isinstance(M, Value) else [v for N in subterms(M) for v in _at_once(N)]


def _size(M: Term) -> int:
    """Count the functions and signs of a term, and numbers in square brackets as half of one."""
    own = 0 if isinstance(M, Value | Number | Constant) else 1
    return own + sum([_size(N) for N in subterms(M)])


def _with_terms(node: Node, terms: Mapping[Value, Term]) -> Node:
    """Return a node with terms in the place of variables, and its body with terms inside terms."""
    match node:
        case Let(result, term):
            return Let(result, substituted(term, terms))
        case Perform(result, operation, places, argument):
            return Perform(result, operation, places, None if argument is None else substituted(argument, terms))
        case Scan():
            body, (output, *following) = _nested(node.body, (node.output, *node.next))
            initial = tuple([substituted(M, terms) for M in node.initial])
            sequence = substituted(node.sequence, terms)
            return replace(node, sequence=sequence, initial=initial, body=body, output=output, next=tuple(following))
        case Repeat():
            body, (last,) = _nested(node.body, (node.last,))
            return replace(node, initial=substituted(node.initial, terms), body=body, last=last)
