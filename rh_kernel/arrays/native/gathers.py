"""C for ``Gather``: vector shuffles if a short table says which lanes to take, otherwise entry by entry."""

from bisect import bisect_right

from rh_kernel.arrays.native.axes import axes
from rh_kernel.arrays.native.c_writer import loop, moves, nest, place
from rh_kernel.arrays.native.schedule import Machine
from rh_kernel.arrays.native.tiles import loaded, stored, vector
from rh_kernel.loops.ir import Gather, View

SHORT = 4
"""Up to this many terms per entry are unrolled."""
SOURCES = 4
"""The most source vectors per output vector."""
BLOCKS = 64
"""The most vectors that are unrolled."""


def gather_kernel(step: Gather, machine: Machine) -> list[str]:
    """Return the body of a kernel on the output, the argument and the table."""
    rows = axes(step.output.shape[:-1], [_but_last(step.output), _but_last(step.argument)])
    lines = [f"const real *from = {place('p1', moves(rows, 1))};", f"real *to = {place('p0', moves(rows, 0))};"]
    lines += _by_lanes(step, machine.lanes) if is_picked(step, machine) else _by_entries(step)
    head = ["real *restrict p0 = array[0];", "const real *p1 = array[1];", "const int *table = array[2];"]
    return [*head, *nest(rows, lines)]


def is_picked(step: Gather, machine: Machine) -> bool:
    """Whether the table is compiled into the code."""
    entries, terms = step.table.shape
    dense = step.output.strides[-1] == step.argument.strides[-1] == 1
    if not dense or min(entries, step.argument.shape[-1]) < machine.lanes or machine.lanes < 4:
        return False
    if -(-entries // machine.lanes) * terms > BLOCKS:
        return False
    return all(len(_sources(step, at, machine.lanes)) <= SOURCES for at in _blocks(entries, machine.lanes))


def _but_last(view: View) -> View:
    return View(view.buffer, view.offset, view.shape[:-1], view.strides[:-1])


# ----------------------------------------------------------------------------------------- vector shuffles


def _blocks(entries: int, lanes: int) -> list[int]:
    """Where the vectors of the output start; the last two may overlap."""
    return [*range(0, entries - lanes, lanes), entries - lanes]


def _sources(step: Gather, at: int, lanes: int) -> list[int]:
    """Where the source vectors start that together contain all terms of the entries from ``at`` on."""
    last = step.argument.shape[-1] - lanes
    found: list[int] = []
    for entry in sorted(set(step.table[at : at + lanes].ravel().tolist()) - {-1}):
        if not found or entry >= found[-1] + lanes:
            found.append(min(entry, last))
    return found


def _by_lanes(step: Gather, lanes: int) -> list[str]:
    lines: list[str] = []
    for at in _blocks(step.table.shape[0], lanes):
        sources = _sources(step, at, lanes)
        lines += ["{", "AS_WRITTEN", f"{vector(lanes)} z = {{0}};"]
        lines += [f"{vector(lanes)} x{i} = {loaded(f'from + {source}', lanes)};" for i, source in enumerate(sources)]
        terms = [_picked(entries, sources, lanes) for entries in step.table[at : at + lanes].T.tolist()]
        total = " + ".join([*(["z"] if len(terms) > 1 else []), *filter(None, terms)])
        lines += [*stored(f"to + {at}", total or "z", lanes, 1, 1.0, accumulate=False), "}"]
    return lines


def _picked(entries: list[int], sources: list[int], lanes: int) -> str:
    """One term of adjacent entries: the lanes of each source vector in turn; empty if the term is 0."""
    owners = [bisect_right(sources, entry) - 1 for entry in entries]
    own = [entry - sources[owner] if owner >= 0 else e for e, (entry, owner) in enumerate(zip(entries, owners, strict=True))]
    first, *others = sorted(set(owners))
    if first < 0 and not others:
        return ""
    there = [lane if owner == first else e for e, (lane, owner) in enumerate(zip(own, owners, strict=True))]
    picked = _name(first)
    if not others:
        return picked if there == [*range(lanes)] else f"SPREAD(M{lanes}, {picked}, {_listed(there)})"
    for other in others:
        indices = [lanes + lane if owner == other else at for lane, owner, at in zip(own, owners, there, strict=True)]
        picked, there = f"PICK(M{lanes}, {picked}, {_name(other)}, {_listed(indices)})", [*range(lanes)]
    return picked


def _listed(indices: list[int]) -> str:
    return ", ".join(map(str, indices))


def _name(source: int) -> str:
    return "z" if source < 0 else f"x{source}"


# --------------------------------------------------------------------------------------- entry by entry


def _by_entries(step: Gather) -> list[str]:
    depth = step.table.shape[1]
    along = (step.output.strides[-1], step.argument.strides[-1])
    whole = bool((step.table >= 0).all())
    lines = [loop("j", step.output.shape[-1]), "AS_WRITTEN", f"real sum = {'-0.0' if depth == 1 else '0'};"]
    for entry in range(depth) if depth <= SHORT else ("l",):
        lines += [] if depth <= SHORT else [loop("l", depth), "AS_WRITTEN"]
        lines += [f"int t{entry} = table[j * {depth}L + {entry}];"]
        lines += [f"{'' if whole else f'if (t{entry} >= 0) '}sum += from[t{entry} * {along[1]}L];"]
        lines += [] if depth <= SHORT else ["}"]
    return [*lines, f"to[j * {along[0]}L] = sum;", "}"]
