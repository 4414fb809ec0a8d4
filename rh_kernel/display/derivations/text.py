"""Derivations as text: drawn as in RH Fig. 2 and 3, or, if that is too wide, as an outline with a line for each rule."""

from collections.abc import Iterator
from dataclasses import dataclass

from rh_kernel.display.derivations.proof_tree import Proof, ProofTree, fold, premises, proof_tree
from rh_kernel.display.text import visible
from rh_kernel.display.traces.captions import cut
from rh_kernel.session.results import DerivationMade
from rh_kernel.syntax.printing.doc import cells, plain

WIDTH = 120

MOST, HIGHEST = 400, 40
"""The most rules in a text, and the most levels."""

NARROWEST = 24
"""The least width of a subject in columns, at any indentation."""

_BETWEEN = 3


def derivation_text(result: DerivationMade) -> str:
    """Each derivation with its measures and abbreviations, without a final line end."""
    return visible("\n\n".join(["\n".join(_lines(proof_tree(d, MOST, HIGHEST))) for d in result.derivations]))


def _lines(shown: ProofTree) -> Iterator[str]:
    drawn = fold(shown.root, premises, _drawn)
    yield from _listed(shown.root) if drawn is None else drawn.lines
    yield ""
    yield shown.measures
    for name, text in shown.abbreviations(WIDTH):
        yield f"{name} = {text}"


@dataclass(frozen=True, slots=True)
class _Block:
    """Lines, with the conclusion in the last one from column ``start`` up to ``end``; ``width`` is that of the longest line."""

    lines: tuple[str, ...]
    start: int
    end: int
    width: int


def _drawn(proof: Proof, above: list[_Block | None]) -> _Block | None:
    """Draw the premises side by side, the line with the name of the rule, and the conclusion; ``None`` if it is too wide."""
    conclusion = one_line(proof)
    if proof.left_out:
        above = [_leaf(f"⋮ {rules_more(proof.left_out)}")]
    beside = _beside(above) if above else _Block((), 0, 0, 0)
    if beside is None:
        return None
    length = max(cells(conclusion), beside.end - beside.start)
    bar = (beside.start + beside.end - length) // 2
    shift = max(-bar, 0)
    bar += shift
    start = bar + (length - cells(conclusion)) // 2
    rule = " " * bar + "─" * length + f" {proof.rule.value}"
    end = start + cells(conclusion)
    width = max(beside.width + shift, cells(rule), end)
    if width > WIDTH:
        return None
    moved = [" " * shift + line if line else "" for line in beside.lines]
    return _Block((*moved, rule, " " * start + conclusion), start, end, width)


def _leaf(text: str) -> _Block:
    return _Block((text,), 0, cells(text), cells(text))


def _beside(blocks: list[_Block | None]) -> _Block | None:
    """Join blocks side by side, aligned at the bottom; ``start`` and ``end`` span all conclusions."""
    height = max([0 if block is None else len(block.lines) for block in blocks])
    lines = [""] * height
    offset, start, end = 0, None, 0
    for block in blocks:
        if block is None:
            return None
        first = height - len(block.lines)
        for i, line in enumerate(block.lines):
            lines[first + i] += " " * (offset - cells(lines[first + i])) + line
        start = offset + block.start if start is None else start
        end = offset + block.end
        offset += block.width + _BETWEEN
    return _Block(tuple([line.rstrip() for line in lines]), start or 0, end, offset - _BETWEEN)


def _listed(root: Proof) -> Iterator[str]:
    """Yield a line for each rule with its name and conclusion, followed by its premises, indented."""
    pending = [(root, "", "")]
    while pending:
        proof, here, below = pending.pop()
        name = f"{here}{proof.rule.value}  "
        yield name + one_line(proof, WIDTH - cells(name))
        if proof.left_out:
            yield f"{below}⋮ {rules_more(proof.left_out)}"
        last = len(proof.premises) - 1
        for i in range(last, -1, -1):
            corner, stem = ("└─ ", "   ") if i == last else ("├─ ", "│  ")
            pending.append((proof.premises[i], below + corner, below + stem))


def one_line(proof: Proof, most: int | None = None) -> str:
    """The judgment on one line; with ``most``, a long subject is truncated so that the line has about as many columns."""
    j = proof.judgment
    subject = " ".join(plain(j.subject, float("inf")).split())
    if most is not None:
        subject = cut(subject, max(most - cells(j.left) - cells(j.right), NARROWEST))
    return f"{j.left}{subject}{j.right}"


def rules_more(count: int) -> str:
    """The number of rules left out: ``3 rules more``."""
    return f"{count} rule{'' if count == 1 else 's'} more"
