"""Strategy S: call by value, then the backpropagators, each called once, the latest first (Thm 15, as an algorithm).

A backpropagator that was not called yet, ``[x′! := λ°a. …]``, is a node of a tape; linear factoring adds to its adjoint.
"""

from collections.abc import Callable, Generator, Iterator, Mapping
from dataclasses import replace

from rh_kernel.ad.linear_negation import calculus as c
from rh_kernel.ad.linear_negation.binding import occurrences, substitute
from rh_kernel.ad.linear_negation.cbv_step import Reduct, copied, deep_value, step, value
from rh_kernel.ad.linear_negation.rules import Event, Rule, S, Strategy
from rh_kernel.ad.linear_negation.state import Cell, Frame, State


class Reduction:
    """The reduction of a term; each generator performs one step after the other and yields it."""

    __slots__ = ("state", "strategy")

    def __init__(
        self, t: c.Term, types: Mapping[str, c.Type], strategy: Strategy = S, point: Mapping[str, float] | None = None
    ) -> None:
        self.state = State(t, dict(types), point)
        self.strategy = strategy

    @property
    def term(self) -> c.Term:
        """The term after the last step."""
        return self.state.term

    def evaluate(self) -> Iterator[Event]:
        """Reduce the substitutions, then the core, to a value or until free variables block them."""
        frame = self.state.frames[-1]
        yield from self.substitutions(frame, 0)
        yield from self.core(frame)

    def collect(self) -> Iterator[Event]:
        """Perform (10), from the innermost substitution to the outermost, after naming the components of pairs of no values."""
        frame = self.state.frames[-1]
        i = 0 if Rule.COLLECT in self.strategy.off else len(frame.cells)
        while i:
            i -= 1
            cell = frame.cells[i]
            b = cell.binding
            if not isinstance(b, c.Bang) or self.state.uses[b.name]:
                continue
            if isinstance(b.bound, c.Pair) and not c.is_value(b.bound) and _NAMING.isdisjoint(self.strategy.off):
                before = len(frame.cells)
                yield from self.named(frame, b.name, b.bound)
                i += len(frame.cells) - before
            if c.is_value(cell.binding.bound):
                self.state.remove(frame, i)
                yield Event(Rule.COLLECT)

    def normalize(self) -> Iterator[Event]:
        """Reduce to the normal form, also under the abstractions of the core."""
        frame = self.state.frames[-1]
        yield from self.evaluate()
        yield from self.calls(frame)
        if len(frame.summands) == 1:
            frame.core = yield from self._under(frame.core, lambda t: t)
        yield from self.collect()

    def _under(self, t: c.Term, around: Callable[[c.Term], c.Term]) -> Generator[Event, None, c.Term]:
        """Normalize the bodies of the abstractions in t; ``around(t)`` is the core."""
        match t:
            case c.Pair(left, right):
                left = yield from self._under(left, lambda u: around(c.Pair(u, right)))
                right = yield from self._under(right, lambda u, left=left: around(c.Pair(left, u)))
                return c.Pair(left, right)
            case c.Lam(_, _, body) | c.LinearLambda(_, body):
                inner = self.state.frame(body, lambda u: around(replace(t, body=u)))
                self.state.frames.append(inner)
                yield from self.normalize()
                self.state.frames.pop()
                return replace(t, body=inner.term)
            case c.Var() | c.Num() | c.Nil() | c.App() | c.Plus() | c.Fun() | c.Block() | c.If() | c.Fix():
                return t

    def substitutions(self, frame: Frame, i: int, rest: int = 0) -> Iterator[Event]:
        """Evaluate the terms in the cells from i on, except the last ``rest`` ones."""
        while i < len(frame.cells) - rest:
            cell = frame.cells[i]
            match cell.binding:
                case c.Open(x, A, y, B, c.Pair(left, right)) if Rule.PAIR not in self.strategy.off:
                    yield self._parted(frame, i, c.Bang(x, A, left), c.Bang(y, B, right))
                    continue
                case c.Open(bound=c.Var(z)) if self._lacks_names(z):
                    before = len(frame.cells)
                    bound = self.state.value(z)
                    if isinstance(bound, c.Pair):
                        yield from self.named(frame, z, bound)
                    i += len(frame.cells) - before
                    continue
                case binding:
                    found = self._reduct(binding)
            if found is None:
                i += 1
            else:
                cell.binding = replace(cell.binding, bound=found.term)
                self.state.insert(frame, i, found.stack)
                yield found.event

    def _reduct(self, b: c.Binding) -> Reduct | None:
        """The next step in a substitution; a variable stays in it unless its value is a numeral or is destructured."""
        match b:
            case c.Open(bound=c.Var() as z):
                bound = self.state.value(z.name)
                return copied(self.state, self.strategy, z) if isinstance(bound, c.Var) or _is_pair_value(bound) else None
            case c.Bang(_, _, c.Var() as x):
                return copied(self.state, self.strategy, x) if isinstance(self.state.value(x.name), c.Num) else None
            case c.Dual(_, c.Var() as x):
                return value(self.state, self.strategy, x)
            case c.Bang() | c.Open() | c.Dual():
                return step(self.state, self.strategy, b.bound)

    def _lacks_names(self, z: str) -> bool:
        """Whether z is bound to a pair whose components have no names, so that a copy would duplicate them."""
        bound = self.state.value(z)
        return isinstance(bound, c.Pair) and not c.is_atom(bound) and _NAMING.isdisjoint(self.strategy.off)

    def named(self, frame: Frame, z: str, pair: c.Pair) -> Iterator[Event]:
        """Perform (16) and (8): ``[z := ⟨u, w⟩]`` becomes ``[z := ⟨y, y′⟩][y′ := w][y := u]``."""
        cell, supply = self.state.where[z], self.state.supply
        match cell.binding:
            case c.Bang(_, c.Times(A, B)):
                y, y1 = supply.pair(z) if isinstance(B, c.Negation) else (supply.fresh(z), supply.fresh(z))
            case _:
                return
        owner = self._owner(frame, z)
        i = owner.index(cell)
        atoms = c.Pair(c.Var(y), c.Var(y1))
        self.state.uses.update((y, y1))
        cell.binding = replace(cell.binding, bound=atoms)
        self.state.insert(owner, i, (c.Open(y, A, y1, B, pair),))
        yield Event(Rule.ETA_PAIR, atoms)
        yield self._parted(owner, i, c.Bang(y, A, pair.left), c.Bang(y1, B, pair.right))

    def _parted(self, frame: Frame, i: int, first: c.Bang, second: c.Bang) -> Event:
        """Perform (8) in the cell i."""
        frame.cells[i : i + 1] = map(self.state.cell, (first, second))
        return Event(Rule.PAIR, first)

    def core(self, frame: Frame) -> Iterator[Event]:
        """Evaluate the summands of the core."""
        i = 0
        while i < len(frame.summands):
            yield from self.summand(frame, i)
            i += 1

    def summand(self, frame: Frame, i: int) -> Iterator[Event]:
        """Evaluate a summand; components of tuples that are no atoms get names, so that the tuples can be copied."""
        while True:
            found = deep_value(self.state, self.strategy, frame.summands[i])
            if found is not None:
                is_call = found.event.rule is Rule.BETA and isinstance(found.stack[0], c.Dual)
                yield from self._into(frame, i, found, is_call=is_call)
                continue
            nameless = next(filter(self._lacks_names, _variables(frame.summands[i])), None)
            bound = None if nameless is None else self.state.value(nameless)
            if nameless is None or not isinstance(bound, c.Pair):
                return
            yield from self.named(frame, nameless, bound)

    def _into(self, frame: Frame, i: int, found: Reduct, *, is_call: bool) -> Iterator[Event]:
        """Replace a summand by its reduct; append the substitutions that float out of it to the stack and evaluate them."""
        frame.summands[i : i + 1] = _summands(found.term) if is_call else [found.term]
        self.state.insert(frame, len(frame.cells), found.stack)
        yield found.event
        for rest in reversed(range(len(found.stack))):
            cell = frame.cells[-1 - rest]
            yield from self.substitutions(frame, len(frame.cells) - 1 - rest, rest)
            if isinstance(cell.binding, c.Dual):
                yield from self._linear(frame, cell, i)
            else:
                self._rank(frame, cell)

    def _linear(self, frame: Frame, cell: Cell, i: int) -> Iterator[Event]:
        """Perform (11) in the later cells and in the summands from i on, as b cannot occur elsewhere; or perform L."""
        match cell.binding:
            case c.Dual(b, bound) if c.is_value(bound) and Rule.LINEAR not in self.strategy.off:
                uses = self.state.uses[b]
                images = {b: bound}
                behind = frame.index(cell)
                self.state.remove(frame, behind)
                for _ in range(uses):
                    self.state.uses.update(occurrences(bound))
                for other in frame.cells[behind:]:
                    other.binding = replace(other.binding, bound=substitute(other.binding.bound, images))
                frame.summands[i:] = [substitute(t, images) for t in frame.summands[i:]]
                yield Event(Rule.LINEAR, bound)
            case c.Dual(b) if not self.state.uses[b] and Rule.DEAD not in self.strategy.off:
                self.state.remove(frame, frame.index(cell))
                yield Event(Rule.DEAD)
            case c.Bang() | c.Open() | c.Dual():
                pass

    def _rank(self, frame: Frame, cell: Cell) -> None:
        """Number the backpropagator that a cell binds, if any, in the order of binding."""
        if isinstance(cell.binding, c.Bang) and isinstance(cell.binding.type, c.Negation):
            frame.rank[cell.binding.name] = len(frame.rank)

    def calls(self, frame: Frame) -> Iterator[Event]:
        """Call the bound backpropagators in the core until no such call is left."""
        frame.rank = {}
        for known in self.state.frames:
            for cell in known.cells:
                self._rank(frame, cell)
        frame.summands = _summands(frame.core)
        waiting: set[str] = set()
        choose = max if self.strategy.latest else min
        new = 0
        while True:
            yield from self._aliases(frame, new)
            yield from self._zeros(frame, new)
            called = {h for t in frame.summands[new:] if (h := self._head(t)) is not None}
            waiting |= {h for h in called if isinstance(self.state.value(h), c.LinearLambda)}
            if not waiting or not {Rule.BETA, Rule.COPY}.isdisjoint(self.strategy.off):
                break
            h = choose(waiting, key=lambda h: frame.rank.get(h, -1))
            new = yield from self._call(frame, h)
            if Rule.FACTOR not in self.strategy.off or not any(_calls(t, h) for t in frame.summands):
                waiting.remove(h)
        yield from self.core(frame)

    def _head(self, t: c.Term) -> str | None:
        """The name of the backpropagator that a summand calls."""
        f = t.function if isinstance(t, c.App) else None
        return f.name if isinstance(f, c.Var) and self.state.is_backpropagator(f.name) else None

    def _aliases(self, frame: Frame, new: int) -> Iterator[Event]:
        """Perform (9) while the functions that the new summands call are bound to variables."""
        for i in range(new, len(frame.summands)):
            t = frame.summands[i]
            while (
                isinstance(t, c.App) and isinstance(t.function, c.Var) and isinstance(self.state.value(t.function.name), c.Var)
            ):
                found = copied(self.state, self.strategy, t.function)
                if found is None:
                    break
                t = c.App(found.term, t.argument)
                frame.summands[i] = t
                yield found.event

    def _zeros(self, frame: Frame, i: int) -> Iterator[Event]:
        """Perform Z, from the summand i on."""
        if Rule.ZERO in self.strategy.off:
            return
        while len(frame.summands) > 1 and i < len(frame.summands):
            if c.is_zero(frame.summands[i]):
                del frame.summands[i]
                yield Event(Rule.ZERO)
            else:
                i += 1

    def _factored(self, frame: Frame, places: list[int]) -> Iterator[Event]:
        """Perform (17) on calls of the same backpropagator; ``places`` are their indices, and the first remains."""
        first, *others = places
        for gone, i in enumerate(others):
            match frame.summands[first], frame.summands[i - gone]:
                case c.App(c.Var(h) as x, t), c.App(_, u):
                    made = c.App(x, c.Plus(t, u))
                    frame.summands[first] = made
                    del frame.summands[i - gone]
                    self.state.uses[h] -= 1
                    yield Event(Rule.FACTOR, made)
                case _:
                    return

    def _call(self, frame: Frame, h: str) -> Generator[Event, None, int]:
        """Call h by (17), (9), (10) and (7); return the index from which on the summands are those of its body."""
        places = [i for i, t in enumerate(frame.summands) if _calls(t, h)]
        if Rule.FACTOR not in self.strategy.off:
            yield from self._factored(frame, places)
        i = places[0]
        frame.summands.append(frame.summands.pop(i))
        i = len(frame.summands) - 1
        found = step(self.state, EAGER, frame.summands[i])
        while found is not None:
            yield from self._into(frame, i, found, is_call=found.event.rule is Rule.BETA)
            if found.event.rule is Rule.BETA:
                break
            if not self.state.uses[h] and Rule.COLLECT not in self.strategy.off:
                owner = self._owner(frame, h)
                self.state.remove(owner, owner.index(self.state.where[h]))
                yield Event(Rule.COLLECT)
            found = step(self.state, EAGER, frame.summands[i])
        return i

    def _owner(self, frame: Frame, x: str) -> Frame:
        """The frame that binds x."""
        if len(self.state.frames) == 1:
            return frame
        cell = self.state.where[x]
        return next((f for f in reversed(self.state.frames) if cell in f.cells), frame)

    def sum(self, frame: Frame) -> Iterator[Event]:
        """Add up the summands, unless calls of unbound backpropagators are left."""
        yield from self._zeros(frame, 0)
        if any(self._head(t) for t in frame.summands):
            return
        while len(frame.summands) > 1:
            frame.summands[:2] = [c.Plus(*frame.summands[:2])]
            yield from self.summand(frame, 0)


EAGER = Strategy(waits=False)
"""Call by value in which backpropagators are called at once."""

_NAMING = {Rule.ETA_PAIR, Rule.PAIR}
"""The rules that give names to the components of a pair."""


def _is_pair_value(t: c.Term | None) -> bool:
    return isinstance(t, c.Pair) and c.is_value(t)


def _calls(t: c.Term, h: str) -> bool:
    """Whether t is a call of h."""
    return isinstance(t, c.App) and isinstance(t.function, c.Var) and t.function.name == h


def _variables(t: c.Term) -> Iterator[str]:
    """The names of the components of a tuple that are variables."""
    return (u.name for u in c.leaves(t) if isinstance(u, c.Var))


def _summands(t: c.Term) -> list[c.Term]:
    """``t1, …, tn`` for ``t1 + … + tn`` with any bracketing"""
    found: list[c.Term] = []
    pending = [t]
    while pending:
        u = pending.pop()
        if isinstance(u, c.Plus):
            pending += (u.right, u.left)
        else:
            found.append(u)
    return found
