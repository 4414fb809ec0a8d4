"""A readable listing of a plan: ``t3[i] = Σⱼ w0[i, j] · x[j]``, ``t4 = t3 · σ(t3)``, with the cost of each step."""

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from math import prod

from rh_kernel.arrays.planning.counting import entries, moved, operations
from rh_kernel.arrays.planning.dependence import reads, writes
from rh_kernel.arrays.planning.notation import (
    CALL,
    NAME,
    PRODUCT,
    SIGN,
    SUM,
    Indices,
    Notation,
    Text,
    below,
    extent,
    letters,
    number,
)
from rh_kernel.arrays.planning.planner import UnallocatedPlan
from rh_kernel.loops import ir, scalars
from rh_kernel.loops.scalars import ScalarOp
from rh_kernel.loops.trees import leaves
from rh_kernel.syntax.core import Array
from rh_kernel.syntax.printing.doc import plain
from rh_kernel.syntax.printing.terms import function_doc


@dataclass(frozen=True, slots=True)
class StepLine:
    """A step as text: what it computes, over which indices, its operations, and the entries that it reads and writes."""

    text: str
    over: str
    operations: int
    moved: int


@dataclass(frozen=True, slots=True)
class StepsListing:
    """A listing: constants and layout before the steps, the steps, and the results after them."""

    before: tuple[str, ...]
    steps: tuple[StepLine, ...]
    after: tuple[str, ...]


def steps_listing(made: UnallocatedPlan | ir.Plan) -> StepsListing:
    """List the steps, one per line. For a plan, the layout of the scratch memory comes first."""
    notation = Notation(made.buffers, made.steps)
    used = {view.buffer for step in made.steps for view in (*reads(step), *writes(step))}
    used |= {view.buffer for view in leaves(made.result)}
    before = [f"{name} = {_constant(kept.array)}" for name, kept in notation.constants(used)]
    after: list[str] = []
    if isinstance(made, ir.Plan):
        placed = [(notation.name(i), b) for i, b in enumerate(made.buffers) if isinstance(b, ir.Scratch) and i in used]
        where = ", ".join([f"{name} at {b.start}" for name, b in placed])
        before += [f"scratch[{made.scratch}]: {where}"] if where else []
    else:
        after += [f"Put[{location.name}]({notation.whole(view)})" for location, view in made.writes]
    return StepsListing(
        tuple(before),
        tuple([found for step in made.steps for found in _lines(step, notation)]),
        (*after, f"return {notation.result(made.result)}"),
    )


def _lines(step: ir.Step, notation: Notation) -> Iterator[StepLine]:
    """List a step; a loop by a line for itself and indented ones for the steps of a round."""
    yield line(step, notation)
    if isinstance(step, ir.Loop):
        for inner in step.steps:
            for found in _lines(inner, notation):
                yield StepLine("    " + found.text, found.over, found.operations, found.moved)


def line(step: ir.Step, notation: Notation) -> StepLine:
    """Format one step."""
    text, over = _written(step, notation)
    return StepLine(text, over, operations(step), moved(step))


def _constant(array: Array) -> str:
    shown = ", ".join([f"{x:.6g}" for x in array.flat[:4]])
    if array.size <= 4:
        return f"[{shown}]"
    same = not (array != array.flat[0]).any()
    return f"{array.size} times {array.flat[0]:.6g}" if same else f"[{shown}, …]: {array.size} numbers"


def _written(step: ir.Step, notation: Notation) -> tuple[str, str]:
    match step:
        case ir.Map(shape):
            used = [*step.arguments, *(store.view for store in step.stores)]
            bare = all(notation.plain(view) for view in used)
            indices = [] if bare else letters(len(shape))
            return _Formulas(step, notation, indices).text(), _entries(shape) if bare else extent(shape, indices)
        case ir.Contract(extents):
            return _product(step, notation, letters(len(extents))), extent(extents, letters(len(extents)))
        case ir.Reduce(fold, output, argument, scale):
            indices = letters(len(argument.shape))
            own = indices[: len(output.shape)]
            folded = f"{_FOLDS[fold]}{below(indices[len(own) :])} {notation.view(argument, indices).text}"
            return f"{notation.view(output, own).text} = {_times(scale)}{folded}", extent(argument.shape, indices)
        case ir.Gather(output, argument, table):
            indices = letters(len(output.shape) + 1)
            *own, l = indices
            several = table.shape[1] > 1
            entry = f"table[{own[-1]}, {l}]" if several else f"table[{own[-1]}]"
            taken = notation.view(argument, [*own[:-1], entry]).text
            added = f"Σ{below([l])} " if several else ""
            shape = (*output.shape, table.shape[1]) if several else output.shape
            return f"{notation.view(output, own).text} = {added}{taken}", extent(shape, indices if several else own)
        case ir.GatherAt(output, argument, index):
            own = letters(len(output.shape))
            taken = notation.view(argument, [*own, notation.view(index, own).text]).text
            return f"{notation.view(output, own).text} = {taken}", extent(output.shape, own)
        case ir.ScatterAdd(output, argument, index):
            own = letters(len(argument.shape))
            place = notation.view(output, [*own, notation.view(index, own).text]).text
            return f"{place} += {notation.view(argument, own).text}", extent(argument.shape, own)
        case ir.IndexCheck(index, rows):
            return f"check 0 ≤ {notation.whole(index)} < {rows}", ""
        case ir.Call(f, output, arguments):
            given = ", ".join([notation.whole(view) for view in arguments])
            return f"{notation.whole(output)} = {plain(function_doc(f))}({given})", ""
        case ir.Check(f, arguments, _, shown):
            return f"check {shown or f.name}({', '.join([notation.whole(view) for view in arguments])})", ""
        case ir.Loop(rounds, rows):
            own = ", ".join([f"{notation.name(row.buffer)} = row k of {notation.name(row.first.buffer)}" for row in rows])
            return f"{rounds} rounds{': ' if own else ''}{own}", f"k < {rounds}"


_FOLDS: Mapping[ir.Fold, str] = {ir.Fold.SUM: "Σ", ir.Fold.MAX: "max", ir.Fold.ARGMAX: "argmax"}


def _entries(shape: Sequence[int]) -> str:
    n = prod(shape)
    return f"{n} entries" if n != 1 else "1 entry"


def _times(scale: float) -> str:
    return "" if scale == 1 else f"{number(scale).text} · "


def _product(step: ir.Contract, notation: Notation, indices: Indices) -> str:
    """``w[i, j] -= 0.1 · y[i] · x[j]``"""
    own = [n for n, stride in zip(step.extents, step.output.strides, strict=True) if stride]
    added = [i for i, n, stride in zip(indices, step.extents, step.output.strides, strict=True) if stride == 0 and n != 1]
    y, left, right = [notation.view(view, indices).text for view in (step.output, step.left, step.right)]
    scale, begins, sign = step.scale, "", "="
    if step.accumulate:
        scale, sign = (-scale, "-=") if scale < 0 else (scale, "+=")
    elif entries(step.output) < prod(own):
        # The output is smaller than the index space, so entries are added up.
        begins, sign = f"{y} = 0; ", "+="
    total = f"Σ{below(added)} " if added else ""
    return f"{begins}{y} {sign} {_times(scale)}{total}{left} · {right}"


# --------------------------------------------------------------------------------------------- loops


class _Formulas:
    """Formats the stores of a ``Map``. A value used more than once is named, after where it is stored, or by a new name."""

    def __init__(self, loop: ir.Map, notation: Notation, indices: Indices) -> None:
        self.loop = loop
        self.notation = notation
        self.indices = indices
        self.uses = Counter(v for line in loop.body if isinstance(line, ir.Instruction) for v in line.arguments)
        self.uses.update(store.value for store in loop.stores)
        self.named = 0
        self.parts: list[str] = []

    def text(self) -> str:
        """``t4 = t3 · σ(t3); t5 = …``; stores that overwrite something the loop reads come last."""
        loop = self.loop
        read = {view.buffer for view in loop.arguments}
        later = [store for store in loop.stores if store.accumulate or store.view.buffer in read]
        first = {store.value: store for store in reversed(loop.stores) if store not in later}
        values = [self._view(view) for view in loop.arguments]
        needs = [{view.buffer} for view in loop.arguments]
        done: list[ir.Store] = []
        for i, line in enumerate(loop.body, start=len(values)):
            if isinstance(line, ir.Number):
                values.append(number(line.value))
                needs.append(set())
                continue
            made = _applied(line, values)
            if i in first:
                done.append(first[i])
                made = self._named(self._view(first[i].view).text, made)
            elif self.uses[i] > 1:
                made = self._own(made)
            values.append(made)
            needs.append(set[int]() if made.hold == NAME else set[int]().union(*[needs[v] for v in line.arguments]))
        rest = [*(store for store in loop.stores if store not in done and store not in later), *later]
        overwritten: set[int] = set()
        for store in rest:
            if needs[store.value] & overwritten:
                values[store.value] = self._own(values[store.value])
            overwritten.add(store.view.buffer)
        for store in rest:
            self.parts.append(f"{self._view(store.view).text} {'+=' if store.accumulate else '='} {values[store.value].text}")
        return "; ".join(self.parts)

    def _own(self, value: Text) -> Text:
        self.named += 1
        return self._named(f"{self.notation.letter}{self.named}", value)

    def _named(self, name: str, value: Text) -> Text:
        self.parts.append(f"{name} = {value.text}")
        return Text(name, NAME)

    def _view(self, view: ir.View) -> Text:
        return self.notation.view(view, self.indices)


_INFIX: Mapping[ScalarOp, tuple[str, int, int]] = {
    scalars.ADD: ("+", SUM, PRODUCT),
    scalars.SUB: ("-", SUM, PRODUCT),
    scalars.MUL: ("·", PRODUCT, SIGN),
    scalars.DIV: ("/", PRODUCT, SIGN),
}
"""The operations with a sign: how strongly it binds, and what its right operand needs."""


def _applied(line: ir.Instruction, values: Sequence[Text]) -> Text:
    f, operands = line.function, [values[i] for i in line.arguments]
    if f in _INFIX:
        sign, hold, right = _INFIX[f]
        return Text(f"{operands[0].within(hold)} {sign} {operands[1].within(right)}", hold)
    if f is scalars.NEG:
        return Text(f"-{operands[0].within(CALL)}", SIGN)
    texts = [x.text for x in operands]
    return Text(f.text.format(*texts) if f.text else f"{f.name}({', '.join(texts)})", CALL)
