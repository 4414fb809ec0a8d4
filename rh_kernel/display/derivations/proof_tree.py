"""The part of a derivation (RH Fig. 2, 3) that is shown, with printed judgments, and its measures (Fig. 4, 5).

A derivation can have thousands of levels. Shown are the judgments nearest to the root, and the number of rules above them.
"""

from collections import deque
from collections.abc import Callable
from dataclasses import dataclass
from math import inf
from typing import TypeVar

from rh_kernel.display.derivations.judgments import Bindings, Judgment, JudgmentPrinter
from rh_kernel.display.text import to_text
from rh_kernel.syntax.core import Term
from rh_kernel.syntax.printing.doc import Doc
from rh_kernel.typing.derivation.derivations import Derivation, Subject, TypingRule
from rh_kernel.typing.derivation.measures import depth, size

WORK = 50_000
"""A bound on the work of printing exact texts: the total number of rules above the judgments shown."""

T = TypeVar("T")
S = TypeVar("S")


@dataclass(frozen=True, slots=True, eq=False, repr=False)
class Proof:
    """``premises`` over ``judgment``, by ``rule``; ``left_out`` counts the rules above it if its premises are not shown."""

    rule: TypingRule
    judgment: Judgment
    premises: "tuple[Proof, ...]"
    left_out: int = 0


@dataclass(frozen=True, slots=True, eq=False, repr=False)
class ProofTree:
    """The shown part of a derivation, the depth (of commands and handlers) and size of all of it, and the abbreviations."""

    root: Proof
    depth: int | None
    size: int
    contexts: tuple[tuple[str, str], ...]
    handlers: tuple[tuple[str, Doc], ...]

    @property
    def measures(self) -> str:
        """``depth 1 (Fig. 4), size 43 (Fig. 5)``"""
        return measures(self.depth, self.size)

    def abbreviations(self, width: float = inf) -> list[tuple[str, str]]:
        """The names of contexts and handlers with the texts that they stand for, handlers in lines of this width."""
        return [*self.contexts, *[(name, to_text(doc, width)) for name, doc in self.handlers]]


def measures(depth: int | None, size: int) -> str:
    """``depth 1 (Fig. 4), size 43 (Fig. 5)``; terms have no depth."""
    size_text = f"size {size} (Fig. 5)"
    return size_text if depth is None else f"depth {depth} (Fig. 4), {size_text}"


def proof_tree(d: Derivation, most: int, highest: int, *, exact: bool = False) -> ProofTree:
    """Print at most ``most`` judgments of d, those nearest to the root, in at most ``highest`` levels.

    Unless ``exact``, numbers are rounded, large arrays are shown as their types, and long contexts are abbreviated.
    """
    parts, premises = _parts(d)
    counts = _counts(premises)
    shown = _in_order(premises, _chosen(premises, counts, most, highest, WORK if exact else None))
    printer = JudgmentPrinter(d, [parts[n] for n in shown], exact=exact)
    names: dict[int, Bindings] = {0: ()}
    judgments: dict[int, Judgment] = {}
    for n in shown:
        names[n] = printer.names(parts[n], names[n])
        judgments[n] = printer.judgment(parts[n], names[n])
        names |= dict.fromkeys(premises[n], names[n])
    proofs: dict[int, Proof] = {}
    for n in reversed(shown):
        above = tuple([proofs.pop(m) for m in premises[n] if m in proofs])
        left_out = 0 if len(above) == len(premises[n]) else counts[n] - 1
        proofs[n] = Proof(parts[n].rule, judgments[n], above, left_out)
    return ProofTree(proofs[0], _depth(d.subject), size(d), printer.contexts, printer.handlers)


class Browser:
    """Prints the judgments of a derivation on demand. Its subderivations are numbered; the whole is 0."""

    def __init__(self, d: Derivation) -> None:
        self.parts, self.premises = _parts(d)
        self.counts = _counts(self.premises)
        self.size, self.depth = size(d), _depth(d.subject)
        self._below = {m: n for n, above in enumerate(self.premises) for m in above}
        self._printer = JudgmentPrinter(d, (), exact=False)
        self._names: dict[int, Bindings] = {}
        self._judgments: dict[int, Judgment] = {}

    @property
    def contexts(self) -> tuple[tuple[str, str], ...]:
        """The abbreviated contexts of the judgments printed so far."""
        return self._printer.contexts

    @property
    def handlers(self) -> tuple[tuple[str, Doc], ...]:
        """The named handlers in the judgments printed so far."""
        return self._printer.handlers

    def near(self, root: int, most: int, highest: int) -> list[int]:
        """Return at most ``most`` parts nearest to ``root`` in at most ``highest`` levels, all or no premises of each rule."""
        return _in_order(self.premises, _chosen(self.premises, self.counts, most, highest, None, root), root)

    def judgment(self, n: int) -> Judgment:
        """Print the judgment of a part."""
        path = [n]
        while path[-1] not in self._names and path[-1]:
            path.append(self._below[path[-1]])
        for m in reversed(path):
            if m not in self._names:
                self._printer.add((self.parts[m],))
                self._names[m] = self._printer.names(self.parts[m], self._names[self._below[m]] if m else ())
        if n not in self._judgments:
            self._judgments[n] = self._printer.judgment(self.parts[n], self._names[n])
        return self._judgments[n]


def fold(root: T, parts: Callable[[T], tuple[T, ...]], combine: Callable[[T, list[S]], S]) -> S:
    """Fold a tree bottom-up, without recursion: ``combine`` gets a node and the results for its ``parts``."""
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
    """Return all subderivations, each premise after its conclusion, and the numbers of the premises of each."""
    parts: list[Derivation] = [d]
    above: list[list[int]] = []
    while len(above) < len(parts):
        found = parts[len(above)].premises
        above.append([*range(len(parts), len(parts) + len(found))])
        parts += found
    return parts, above


def _counts(above: list[list[int]]) -> list[int]:
    """Return the number of rules of each part."""
    counts = [1] * len(above)
    for n in range(len(above) - 1, -1, -1):
        counts[n] += sum([counts[m] for m in above[n]])
    return counts


def _chosen(above: list[list[int]], counts: list[int], most: int, highest: int, work: int | None, root: int = 0) -> list[int]:
    """Choose the parts to show in breadth-first order, all or no premises of each rule."""
    budget = inf if work is None else max(work, 2 * counts[0]) - counts[0]
    shown = [root]
    waiting = deque([(root, 1)])
    while waiting:
        n, height = waiting.popleft()
        cost = sum([counts[m] for m in above[n]])
        if height < highest and len(shown) + len(above[n]) <= most and cost <= budget:
            budget -= cost
            shown += above[n]
            waiting += [(m, height + 1) for m in above[n]]
    return shown


def _in_order(above: list[list[int]], shown: list[int], root: int = 0) -> list[int]:
    """Sort the parts in depth-first order."""
    chosen = frozenset(shown)
    order: list[int] = []
    pending = [root]
    while pending:
        n = pending.pop()
        order.append(n)
        pending += [m for m in reversed(above[n]) if m in chosen]
    return order


def _depth(subject: Subject) -> int | None:
    """Return the depth of a command or a handler (Fig. 4); terms have none."""
    return None if isinstance(subject, Term) else depth(subject)
