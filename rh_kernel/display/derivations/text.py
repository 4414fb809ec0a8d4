"""A derivation as text: drawn as in RH Fig. 2 and 3, or, if that is too wide, a line for each rule with its premises below."""

from collections.abc import Iterator
from dataclasses import dataclass

from rh_kernel.display.derivations.parts import Proof, Sheet, fold, premises, sheet
from rh_kernel.display.text import to_text, visible
from rh_kernel.display.traces.captions import cut
from rh_kernel.session.results import DerivationMade
from rh_kernel.syntax.printing.doc import cells, plain

WIDTH = 120

MOST, HIGHEST = 400, 40
"""A text has up to so many rules, and up to so many of them above each other."""

NARROWEST = 24
"""However far to the right, a subject has so many columns."""

_BETWEEN = 3


def derivation_text(result: DerivationMade) -> str:
    """Each derivation with its measures and what the names in it stand for; no line end at its end."""
    return visible("\n\n".join(["\n".join(_lines(sheet(d, MOST, HIGHEST))) for d in result.derivations]))


def _lines(shown: Sheet) -> Iterator[str]:
    drawn = fold(shown.root, premises, _drawn)
    yield from _listed(shown.root) if drawn is None else drawn.lines
    yield ""
    yield shown.measures
    for name, text in shown.contexts:
        yield f"{name} = {text}"
    for name, doc in shown.handlers:
        yield f"{name} = {to_text(doc, WIDTH)}"


@dataclass(frozen=True, slots=True)
class _Block:
    """Lines, the last with the conclusion from column ``start`` up to ``end``; ``width`` is that of the longest one."""

    lines: tuple[str, ...]
    start: int
    end: int
    width: int


def _drawn(proof: Proof, above: list[_Block | None]) -> _Block | None:
    """The premises beside each other, the line with the name of the rule, the conclusion; nothing if that is too wide."""
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
    """The blocks on one ground; what is between the first conclusion and the last one is the conclusion of all."""
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
    """A line for each rule: its name, its conclusion, and below it, further to the right, its premises."""
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
    """The judgment on one line; with ``most`` columns the subject is cut, if there is much of it."""
    j = proof.judgment
    subject = " ".join(plain(j.subject, float("inf")).split())
    if most is not None:
        subject = cut(subject, max(most - cells(j.left) - cells(j.right), NARROWEST))
    return f"{j.left}{subject}{j.right}"


def rules_more(count: int) -> str:
    """How much is left out."""
    return f"{count} rule{'' if count == 1 else 's'} more"
