"""Which part of a derivation (RH Fig. 2, 3) is shown, and in which words; its measures (Fig. 4, 5).

A derivation can be thousands of rules high. What is shown are the judgments next to the root; of what is above them, how many
rules there are.
"""

from collections import deque
from collections.abc import Callable
from dataclasses import dataclass
from math import inf
from typing import TypeVar

from rh_kernel.display.derivations.judgments import Bindings, Judgment, Writing
from rh_kernel.syntax.core import Term
from rh_kernel.syntax.printing.doc import Doc
from rh_kernel.typing.derivation.derivations import Derivation, Subject, TypingRule
from rh_kernel.typing.derivation.measures import depth, size

WORK = 50_000
"""So many rules may stand above the judgments of exact texts, all together: each of them is written anew."""

T = TypeVar("T")
S = TypeVar("S")


@dataclass(frozen=True, slots=True, eq=False, repr=False)
class Proof:
    """``premises`` over ``judgment``, by ``rule``; if ``left_out`` is not 0, so many rules are above it that are not shown."""

    rule: TypingRule
    judgment: Judgment
    premises: "tuple[Proof, ...]"
    left_out: int = 0


@dataclass(frozen=True, slots=True, eq=False, repr=False)
class Sheet:
    """A derivation, its depth (of commands and handlers) and size, and what the names of contexts and handlers stand for."""

    root: Proof
    depth: int | None
    size: int
    contexts: tuple[tuple[str, str], ...]
    handlers: tuple[tuple[str, Doc], ...]

    @property
    def measures(self) -> str:
        """``depth 1 (Fig. 4), size 43 (Fig. 5)``"""
        return measures(self.depth, self.size)


def measures(depth: int | None, size: int) -> str:
    """``depth 1 (Fig. 4), size 43 (Fig. 5)``; terms have no depth."""
    size_text = f"size {size} (Fig. 5)"
    return size_text if depth is None else f"depth {depth} (Fig. 4), {size_text}"


def sheet(d: Derivation, most: int, highest: int, *, exact: bool = False) -> Sheet:
    """Up to ``most`` judgments of d, those next to the root, and no more than ``highest`` of them above each other.

    Numbers are rounded, large arrays shown by their types and long contexts by names, unless the texts are to be ``exact``.
    """
    parts, premises = _parts(d)
    counts = _counts(premises)
    shown = _in_order(premises, _chosen(premises, counts, most, highest, WORK if exact else None))
    writing = Writing(d, [parts[n] for n in shown], exact=exact)
    names: dict[int, Bindings] = {0: ()}
    judgments: dict[int, Judgment] = {}
    for n in shown:
        names[n] = writing.names(parts[n], names[n])
        judgments[n] = writing.judgment(parts[n], names[n])
        names |= dict.fromkeys(premises[n], names[n])
    proofs: dict[int, Proof] = {}
    for n in reversed(shown):
        above = tuple([proofs.pop(m) for m in premises[n] if m in proofs])
        left_out = 0 if len(above) == len(premises[n]) else counts[n] - 1
        proofs[n] = Proof(parts[n].rule, judgments[n], above, left_out)
    return Sheet(proofs[0], _depth(d.subject), size(d), writing.contexts, writing.handlers)


class Browser:
    """A derivation of which one asks for one judgment after the other. Its parts have numbers: the whole is 0."""

    def __init__(self, d: Derivation) -> None:
        self.parts, self.premises = _parts(d)
        self.counts = _counts(self.premises)
        self.size, self.depth = size(d), _depth(d.subject)
        self._below = {m: n for n, above in enumerate(self.premises) for m in above}
        self._writing = Writing(d, (), exact=False)
        self._names: dict[int, Bindings] = {}
        self._judgments: dict[int, Judgment] = {}

    @property
    def contexts(self) -> tuple[tuple[str, str], ...]:
        """What the names of contexts stand for, as far as they have been used."""
        return self._writing.contexts

    @property
    def handlers(self) -> tuple[tuple[str, Doc], ...]:
        """What the names of handlers stand for, as far as they have been used."""
        return self._writing.handlers

    def near(self, root: int, most: int, highest: int) -> list[int]:
        """Up to ``most`` parts next to ``root``, of the premises of a rule all or none, up to ``highest`` of them high."""
        return _in_order(self.premises, _chosen(self.premises, self.counts, most, highest, None, root), root)

    def judgment(self, n: int) -> Judgment:
        """The judgment of a part."""
        path = [n]
        while path[-1] not in self._names and path[-1]:
            path.append(self._below[path[-1]])
        for m in reversed(path):
            if m not in self._names:
                self._writing.add((self.parts[m],))
                self._names[m] = self._writing.names(self.parts[m], self._names[self._below[m]] if m else ())
        if n not in self._judgments:
            self._judgments[n] = self._writing.judgment(self.parts[n], self._names[n])
        return self._judgments[n]


def fold(root: T, parts: Callable[[T], tuple[T, ...]], combine: Callable[[T, list[S]], S]) -> S:
    """``combine`` of the root and what came of its parts; however high the tree, Python's stack is not used."""
    order: list[tuple[T, int]] = []
    pending = [(root, 0)]
    while pending:
        node, parent = pending.pop()
        pending += [(part, len(order)) for part in parts(node)]
        order.append((node, parent))
    came: list[list[S]] = [[] for _ in order]
    for n in range(len(order) - 1, 0, -1):
        node, parent = order[n]
        came[parent].append(combine(node, came[n]))
    return combine(root, came[0])


def premises(proof: Proof) -> tuple[Proof, ...]:
    """The premises that are shown."""
    return proof.premises


def _parts(d: Derivation) -> tuple[list[Derivation], list[list[int]]]:
    """All parts, the whole first and each premise after its conclusion, and the numbers of the premises of each."""
    parts: list[Derivation] = [d]
    above: list[list[int]] = []
    while len(above) < len(parts):
        found = parts[len(above)].premises
        above.append([*range(len(parts), len(parts) + len(found))])
        parts += found
    return parts, above


def _counts(above: list[list[int]]) -> list[int]:
    """How many rules each part is made of."""
    counts = [1] * len(above)
    for n in range(len(above) - 1, -1, -1):
        counts[n] += sum([counts[m] for m in above[n]])
    return counts


def _chosen(above: list[list[int]], counts: list[int], most: int, highest: int, work: int | None, root: int = 0) -> list[int]:
    """The parts that are shown, those next to the root first; of the premises of a rule all or none."""
    room = inf if work is None else max(work, 2 * counts[0]) - counts[0]
    shown = [root]
    waiting = deque([(root, 1)])
    while waiting:
        n, height = waiting.popleft()
        cost = sum([counts[m] for m in above[n]])
        if height < highest and len(shown) + len(above[n]) <= most and cost <= room:
            room -= cost
            shown += above[n]
            waiting += [(m, height + 1) for m in above[n]]
    return shown


def _in_order(above: list[list[int]], shown: list[int], root: int = 0) -> list[int]:
    """The parts as one reads them: each premise, with all above it, before the next one."""
    chosen = frozenset(shown)
    order: list[int] = []
    pending = [root]
    while pending:
        n = pending.pop()
        order.append(n)
        pending += [m for m in reversed(above[n]) if m in chosen]
    return order


def _depth(subject: Subject) -> int | None:
    """The depth of a command or a handler (Fig. 4); terms have none."""
    return None if isinstance(subject, Term) else depth(subject)
