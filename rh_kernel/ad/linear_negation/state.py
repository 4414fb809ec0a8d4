"""The state of a reduction: a frame, that is a stack of substitutions and the term under it, for each λ around the redex.

This is a term modulo ≡: all substitutions that are under no λ are in one stack, by (18)–(22); (20) is not needed.
"""

from collections import Counter
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, field

from rh_kernel.ad.linear_negation.binding import binders, bound_names, copy, float_out, names, occurrences
from rh_kernel.ad.linear_negation.calculus import Bang, Binding, Dual, Negation, Open, Term, Type, block, total
from rh_kernel.ad.linear_negation.denotation import meaning
from rh_kernel.ad.linear_negation.names import NameSupply
from rh_kernel.source.diagnostic import KernelBug
from rh_kernel.syntax.printing.doc import Doc


class Cell:
    """A substitution of the state, which steps replace, and its printed form, which is computed once."""

    __slots__ = ("_binding", "doc")

    def __init__(self, binding: Binding) -> None:
        self.binding = binding

    @property
    def binding(self) -> Binding:
        """The substitution; setting it discards the printed form."""
        return self._binding

    @binding.setter
    def binding(self, b: Binding) -> None:
        self._binding = b
        self.doc: Doc | None = None


@dataclass(slots=True)
class Frame:
    """``(t1 + … + tn)α``: substitutions and a sum under them; ``around`` makes the core of the outer frame from this term."""

    cells: list[Cell]
    summands: list[Term]
    around: Callable[[Term], Term] | None = None
    rank: dict[str, int] = field(default_factory=dict[str, int])

    @property
    def core(self) -> Term:
        """``t1 + … + tn``"""
        return total(tuple(self.summands))

    @core.setter
    def core(self, t: Term) -> None:
        self.summands = [t]

    def index(self, cell: Cell) -> int:
        """The index of a cell; the search starts from the end."""
        i = len(self.cells)
        while i:
            i -= 1
            if self.cells[i] is cell:
                return i
        raise KernelBug("a substitution of another frame")

    @property
    def term(self) -> Term:
        """The frame as a term."""
        return block(tuple(cell.binding for cell in self.cells), self.core)


class State:
    """Frames, the outermost first. ``uses`` counts the occurrences of each name, ``where`` has the cell that binds it.

    ``numbers``, if a point is given, are the known values of its variables and of others.
    """

    __slots__ = ("frames", "numbers", "supply", "types", "uses", "where")

    def __init__(self, t: Term, types: dict[str, Type], point: Mapping[str, float] | None = None) -> None:
        self.supply = NameSupply({*names(t), *types})
        self.numbers: dict[str, float] | None = None if point is None else dict(point)
        bound = list(binders(t))
        if len(bound) > len(set(bound)):
            t = copy(t, self.supply)
        self.uses: Counter[str] = occurrences(t)
        self.types = dict(types)
        self.where: dict[str, Cell] = {}
        self.frames = [self.frame(t)]

    @property
    def term(self) -> Term:
        """The whole state as a term."""
        *outer, inner = self.frames
        t = inner.term
        around = inner.around
        for frame in reversed(outer):
            core = around(t) if around else t
            t = block(tuple(cell.binding for cell in frame.cells), core)
            around = frame.around
        return t

    def frame(self, t: Term, around: Callable[[Term], Term] | None = None) -> Frame:
        """A frame for t, out of which all substitutions float."""
        stack, core = float_out(t)
        return Frame([self.cell(b) for b in stack], [core], around)

    def cell(self, b: Binding) -> Cell:
        """A cell for a substitution, which is entered for the names that it binds."""
        cell = Cell(b)
        for x in bound_names(b):
            self.where[x] = cell
        match b:
            case Bang(x, A):
                self.types[x] = A
            case Open(x, A, y, B):
                self.types |= {x: A, y: B}
            case Dual():
                pass
        return cell

    def insert(self, frame: Frame, i: int, stack: Iterable[Binding]) -> None:
        """Insert substitutions before the cell i."""
        frame.cells[i:i] = [self.cell(b) for b in stack]

    def remove(self, frame: Frame, i: int) -> None:
        """Remove a cell, the names that it binds, and the occurrences in it."""
        cell = frame.cells.pop(i)
        self.uses.subtract(occurrences(cell.binding.bound))
        for x in bound_names(cell.binding):
            del self.where[x]

    def value(self, x: str) -> Term | None:
        """u, if x is bound by ``[x! := u]``; ``None`` otherwise."""
        cell = self.where.get(x)
        return cell.binding.bound if cell is not None and isinstance(cell.binding, Bang) else None

    def number(self, t: Term) -> float | None:
        """The value of a ground term at the point, which decides conditionals of open terms; ``None`` without a point."""
        if self.numbers is None:
            return None
        pending = list(occurrences(t))
        while pending:
            x = pending[-1]
            if x in self.numbers:
                pending.pop()
                continue
            bound = self.value(x)
            if bound is None:
                return None
            lacking = [y for y in occurrences(bound) if y not in self.numbers]
            if lacking:
                pending += lacking
            else:
                self.numbers[x] = _number(bound, self.numbers)
        return _number(t, self.numbers)

    def is_backpropagator(self, x: str) -> bool:
        """Whether ``x : R⊥d``."""
        return isinstance(self.types.get(x), Negation)


def _number(t: Term, numbers: Mapping[str, float]) -> float:
    r = meaning(t, numbers)
    if not isinstance(r, float):
        raise KernelBug("a number was expected")
    return r
