"""Division of programs into blocks for checkpoints (Sigal 2024, §5.2).

A block is a ``let`` whose bound term is a number and has ``let``s of its own. ``let x1 <- M1 in … let xn <- Mn in R`` is
regrouped so that the bindings that only one number depends on are in the block of that number. Only the number of a block is
used outside of it, so a checkpoint can discard the block and compute it again. Of n operations about √n are in each block.
"""

from collections.abc import Mapping
from math import isqrt

from rh_kernel.ad.language.binding import mapped, parts, subterms
from rh_kernel.ad.language.core import Apply, Constant, Lambda, Let, Program, Term, Variable
from rh_kernel.ad.language.names import Names
from rh_kernel.ad.language.types import SCALAR, Type
from rh_kernel.ad.language.typing import type_of

MIN_OPERATIONS = 2
"""The smallest number of operations for which a block pays."""


def operations(M: Term) -> int:
    """The number of function symbols that M applies, without those in the bodies of functions."""
    found, pending = 0, [M]
    while pending:
        N = pending.pop()
        if not isinstance(N, Lambda):
            found += isinstance(N, Apply)
            pending += [L for _, L in parts(N)]
    return found


def in_blocks(program: Program, names: Names) -> Program:
    """Group the outermost ``let``s of a program into blocks; ``names`` supplies names for unnamed numbers."""
    size = max(MIN_OPERATIONS, isqrt(operations(program.body)))
    spine, result = _split(program.body, size, names)
    types = _types(program, spine)
    if types[_RESULT] == SCALAR and isinstance(result, Apply):
        x = names.fresh("y")
        spine.append((x, result))
        types[x] = SCALAR
        result = Variable(x)
    groups = _groups(spine, result, types, size)
    body = result
    for x, M in reversed(spine):
        if x in groups:
            for y, N in reversed(groups[x]):
                M = Let(y, N, M)
            body = Let(x, M, body)
    return Program(program.name, program.parameters, program.result, body)


_RESULT = ""
"""The name of the result among the names of the bindings."""


def _split(M: Term, size: int, names: Names) -> tuple[list[tuple[str, Term]], Term]:
    """M as bindings and a result; the arguments of an operation that contains more than ``size`` others are named."""
    spine: list[tuple[str, Term]] = []

    def split(N: Term) -> Term:
        while isinstance(N, Let):
            spine.append((N.name, split(N.bound)))
            N = N.body
        if not isinstance(N, Apply) or operations(N) <= size:
            return N
        return mapped(N, named)

    def named(N: Term) -> Term:
        L = split(N)
        if isinstance(L, Variable | Constant):
            return L
        x = names.fresh("v")
        spine.append((x, L))
        return Variable(x)

    return spine, split(M)


def _types(program: Program, spine: list[tuple[str, Term]]) -> dict[str, Type]:
    types = dict(program.parameters)
    for x, M in spine:
        types[x] = type_of(M, types)
    types[_RESULT] = program.result
    return types


def _groups(
    spine: list[tuple[str, Term]], result: Term, types: Mapping[str, Type], size: int
) -> dict[str, list[tuple[str, Term]]]:
    """Map each binding that is not inside of a block to the bindings in its block, in order.

    From the last binding to the first: one that is used by a single block is added to that block up to its maximal ``size``,
    and any other begins a block.
    """
    used: dict[str, set[str]] = {}
    weights: dict[str, int] = {}
    groups: dict[str, list[tuple[str, Term]]] = {}
    for y in _variables(result):
        used.setdefault(y, set()).add(_RESULT)
    for x, M in reversed(spine):
        users = used.get(x, set())
        weight = operations(M)
        (user,) = users if len(users) == 1 else (_RESULT,)
        if user != _RESULT and types[user] == SCALAR and weights[user] + weight <= size:
            groups[user].append((x, M))
        else:
            user = x
            groups[x], weights[x] = [], 0
        weights[user] += weight
        for y in _variables(M):
            used.setdefault(y, set()).add(user)
    for members in groups.values():
        members.reverse()
    return groups


def _variables(M: Term) -> set[str]:
    return {N.name for N in subterms(M) if isinstance(N, Variable)}
