"""Finding blocks that are alike: where each is the same as the one before but for its weights, they become a ``repeat``."""

from collections import Counter
from collections.abc import Sequence
from dataclasses import replace

from rh_kernel.interchange.model import (
    Call,
    Constant,
    Family,
    Infix,
    Let,
    Map,
    Node,
    Number,
    Perform,
    Place,
    Repeat,
    Scan,
    Term,
    Value,
    Weight,
    all_nodes,
    results_of,
    used,
)

LONGEST = 200
"""The most nodes of a block."""


class _Alike:
    """Whether two blocks are the same, with the results of one for those of the other.

    What the first block takes from outside, the second takes too; but where the first takes its input, the second takes what
    the first returns.
    """

    def __init__(self, first: Sequence[Node], output: Value) -> None:
        self.inside = {v for node in all_nodes(tuple(first)) for v in _bound(node)}
        self.output = output
        self.values: dict[Value, Value] = {}
        self.weights: dict[Weight, Weight] = {}
        self.input: Value | None = None

    def value(self, a: Value, b: Value) -> bool:
        if a in self.inside:
            return self.values.get(a) == b
        if b == self.output:
            self.input = self.input or a
            return self.input == a
        return a == b and a != self.input

    def bind(self, a: Value, b: Value) -> bool:
        self.values[a] = b
        return True

    def place(self, a: Place, b: Place) -> bool:
        if isinstance(a, Family) or isinstance(b, Family):
            return False
        if a.array.shape != b.array.shape or a.note != b.note:
            return False
        return self.weights.setdefault(a, b) == b

    def term(self, a: Term, b: Term) -> bool:
        match a, b:
            case Value(), Value():
                return self.value(a, b)
            case (Number(), Number()) | (Constant(), Constant()):
                return a == b
            case Call(f, xs, m), Call(g, ys, n):
                return f == g and m == n and self.terms(xs, ys)
            case Infix(s, l, r), Infix(t, l2, r2):
                return s == t and self.term(l, l2) and self.term(r, r2)
            case Map(vs, xs, N), Map(ws, ys, L):
                return self.terms(xs, ys) and all(self.bound(v, w) for v, w in zip(vs, ws, strict=True)) and self.term(N, L)
            case _:
                return False

    def bound(self, a: Value, b: Value) -> bool:
        self.inside.add(a)
        return self.bind(a, b)

    def terms(self, xs: Sequence[Term], ys: Sequence[Term]) -> bool:
        return len(xs) == len(ys) and all(self.term(x, y) for x, y in zip(xs, ys, strict=True))

    def node(self, a: Node, b: Node) -> bool:
        match a, b:
            case Let(), Let():
                return self.term(a.term, b.term) and self.bind(a.result, b.result)
            case Perform(), Perform():
                if a.operation != b.operation or len(a.places) != len(b.places):
                    return False
                if not all(self.place(p, q) for p, q in zip(a.places, b.places, strict=True)):
                    return False
                if (a.argument is None) != (b.argument is None):
                    return False
                same = a.argument is None or b.argument is None or self.term(a.argument, b.argument)
                return same and self.bind(a.result, b.result)
            case Scan(), Scan():
                return self.scan(a, b)
            case _:
                return False

    def scan(self, a: Scan, b: Scan) -> bool:
        if not self.term(a.sequence, b.sequence) or not self.terms(a.initial, b.initial) or len(a.body) != len(b.body):
            return False
        for v, w in zip((a.item, *a.states), (b.item, *b.states), strict=True):
            self.bind(v, w)
        if not all(self.node(m, n) for m, n in zip(a.body, b.body, strict=True)):
            return False
        if not self.terms((a.output, *a.next), (b.output, *b.next)):
            return False
        return all(self.bind(v, w) for v, w in zip(results_of(a), results_of(b), strict=True))


def _bound(node: Node) -> tuple[Value, ...]:
    if isinstance(node, Scan):
        return (*results_of(node), node.item, *node.states)
    return results_of(node)


def with_repeats(nodes: Sequence[Node], wanted: Sequence[Value]) -> tuple[Node, ...]:
    """Return the nodes with a ``repeat`` for each run of blocks that are alike."""
    found: list[Node] = []
    shared = Counter([p for node in all_nodes(tuple(nodes)) if isinstance(node, Perform) for p in node.places])
    start = 0
    while start < len(nodes):
        repeat = _at(nodes, start, wanted, shared)
        if repeat is None:
            found.append(nodes[start])
            start += 1
        else:
            loop, length = repeat
            found.append(loop)
            start += length
    return tuple(found)


def _at(nodes: Sequence[Node], start: int, wanted: Sequence[Value], shared: Counter[Place]) -> tuple[Repeat, int] | None:
    """Return the ``repeat`` that begins here, and how many nodes it stands for: of several, that with the most of them."""
    best: tuple[Repeat, int] | None = None
    for length in range(1, min(LONGEST, (len(nodes) - start) // 2) + 1):
        found = _with_length(nodes, start, length, wanted, shared)
        if found is not None and (best is None or found[1] > best[1]):
            best = found
    return best


def _with_length(
    nodes: Sequence[Node], start: int, length: int, wanted: Sequence[Value], shared: Counter[Place]
) -> tuple[Repeat, int] | None:
    first = nodes[start : start + length]
    if isinstance(first[-1], Scan | Repeat) or not any(isinstance(n, Perform | Scan) for n in first):
        return None
    (output,) = results_of(first[-1])
    rounds: list[dict[Weight, Weight]] = []
    state: Value | None = None
    while len(block := nodes[start + (len(rounds) + 1) * length : start + (len(rounds) + 2) * length]) == length:
        alike = _Alike(first, output)
        alike.output = results_of(nodes[start + (len(rounds) + 1) * length - 1])[0]
        if not all(alike.node(a, b) for a, b in zip(first, block, strict=True)) or alike.input is None:
            break
        if state not in (None, alike.input) or alike.input.shape != output.shape:
            break
        state = alike.input
        rounds.append(alike.weights)
    count = len(rounds) + 1
    if count < 2 or state is None or not _stays_inside(nodes, start, length, count, wanted):
        return None
    families = _families(rounds, shared)
    if families is None:
        return None
    result = results_of(nodes[start + count * length - 1])[0]
    body = tuple([_with_families(node, families) for node in first])
    return Repeat(result, count, state, state, body, output), count * length


def _families(rounds: Sequence[dict[Weight, Weight]], shared: Counter[Place]) -> dict[Place, Family] | None:
    """Return the family for each weight of the first block that the others have their own of; ``None`` if some share one."""
    families: dict[Place, Family] = {}
    for weight in rounds[0]:
        members = (weight, *[weights[weight] for weights in rounds])
        if len(set(members)) == 1:
            continue
        uses = {shared[member] for member in members}
        if len(set(members)) != len(members) or len(uses) != 1:
            return None
        families[weight] = Family(members)
    everywhere = Counter([member for family in families.values() for member in family.members])
    return families if all(n == 1 for n in everywhere.values()) else None


def _stays_inside(nodes: Sequence[Node], start: int, length: int, count: int, wanted: Sequence[Value]) -> bool:
    """Whether what a block computes is used in it alone, but for what it returns, which the next block uses, or the rest."""
    ends = start + count * length
    for round_number in range(count):
        low, high = start + round_number * length, start + (round_number + 1) * length
        output = results_of(nodes[high - 1])[0]
        made = {v for node in nodes[low:high] for v in results_of(node)}
        last = round_number == count - 1
        for place, node in enumerate(nodes):
            elsewhere = made.intersection(used(node))
            if low <= place < high or not elsewhere:
                continue
            if elsewhere != {output} or (not last and not high <= place < high + length) or (last and place < ends):
                return False
        if made.intersection(wanted) - ({output} if last else set()):
            return False
    return True


def _with_families(node: Node, families: dict[Place, Family]) -> Node:
    match node:
        case Perform():
            return replace(node, places=tuple([families.get(p, p) for p in node.places]))
        case Scan():
            return replace(node, body=tuple([_with_families(inner, families) for inner in node.body]))
        case Let() | Repeat():
            return node
