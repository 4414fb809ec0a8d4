"""The members ``ws[i]`` of families in the rounds of ``repeat``: every round has to find its location (LANGUAGE §9)."""

from collections.abc import Iterator, Mapping
from itertools import islice, product
from typing import TypeAlias

from rh_kernel.source.diagnostic import Note
from rh_kernel.source.span import Span
from rh_kernel.syntax.core import Node, Operation, Repeat
from rh_kernel.syntax.dimensions import Ceil, Dim, DimVar, Floor, dim, substitute, variables
from rh_kernel.syntax.signature import Member, StateOf, within
from rh_kernel.syntax.traversal import inside
from rh_kernel.typing.elaboration.location_families import is_outside, out_of_range
from rh_kernel.typing.unification.unify import Unifier

_TRIED = 10_000
"""The maximum number of combinations of rounds that are tried for one index; beyond it, evaluation finds a wrong one."""

_Around: TypeAlias = tuple[Repeat, ...]
"""The repetitions around an operation, outermost first."""

_Rounds: TypeAlias = Mapping[str, Dim]
"""The number of the round for the index of each repetition."""


def check_members(unifier: Unifier, span: Span, node: Node) -> None:
    """Check the members of families in ``node``, used at ``span``, for which the rounds are known. Raises ``Rejected``."""
    found = unifier.finish(node)
    todo: list[tuple[Node, _Around]] = [(found, ())]
    while todo:
        node, around = todo.pop()
        if isinstance(node, Operation):
            for i in node.indices:
                loc = within(i) if isinstance(i, StateOf) else i
                if isinstance(loc, Member):
                    _check(span, node.span, loc, around)
        inner = (*around, node) if isinstance(node, Repeat) else around
        for part in inside(node):
            is_start = isinstance(node, Repeat) and part is node.start
            todo.append((part, around if is_start else inner))


def _check(span: Span, place: Span | None, loc: Member, around: _Around) -> None:
    length = loc.family.length
    for rounds in _tried(loc.index, length, around):
        i = substitute(loc.index, rounds)
        if is_outside(i, substitute(length, rounds)):
            named = ", ".join(f"{name} = {number}" for name, number in rounds.items())
            where = f", which is `{loc.family.name}[{i}]` in round {named}" if named else ""
            if place is None or (place.source is span.source and span.start <= place.start and place.end <= span.end):
                raise out_of_range(place or span, loc, where)
            raise out_of_range(span, loc, where, (Note(span=place, text="it is used here"),))


def _tried(index: Dim, length: Dim, around: _Around) -> Iterator[_Rounds]:
    """The rounds to try: if the index is affine in each number and these are independent, only the first and last ones."""
    mentioned = {v.name for d in (index, length) for v in variables(d) if isinstance(v, DimVar)}
    used = [r for r in around if r.index in mentioned]
    bounds = {v.name for r in used for v in variables(r.count) if isinstance(v, DimVar)}
    if any(r.count.constant == r.first for r in around if r.count.constant is not None):
        return iter(())
    if bounds.isdisjoint({r.index for r in around}) and _is_affine(index) and _is_affine(length):
        ends = [[dim(r.first), r.count - dim(1)] for r in used]
        return (dict(zip([r.index for r in used], found, strict=True)) for found in product(*ends))
    return islice(_every(around, {}), _TRIED)


def _every(around: _Around, rounds: _Rounds) -> Iterator[_Rounds]:
    """Every combination of rounds, as far as their numbers are known."""
    if not around:
        yield rounds
        return
    r, *rest = around
    n = substitute(r.count, rounds).constant
    for i in range(r.first, r.first if n is None else n):
        yield from _every(tuple(rest), {**rounds, r.index: dim(i)})


def _is_affine(d: Dim) -> bool:
    """Whether d is linear in each of its variables, so that it is least and greatest at the ends."""
    return all(power == 1 and not isinstance(atom, Ceil | Floor) for monomial, _ in d.terms for atom, power in monomial)
