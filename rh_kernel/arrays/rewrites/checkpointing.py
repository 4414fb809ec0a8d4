"""Loops whose backward pass computes again what it needs, from the states that are kept before every k-th round.

A loop of n rounds keeps, for the loop that goes back through its rounds, some values of each round, in arrays with n rows. Here
such a pair is split into segments of k rounds. The forward loop goes through the segments and keeps the state before each; the
backward loop goes back through them, and in each computes the k rounds again, from that state, before it goes back through
them. So there are n / k states and the values of k rounds at a time, for one more forward pass.

The contents of locations that the rounds write are part of the state, so a round that is computed again writes nothing and
finds the contents that it found before.
"""

from collections import defaultdict
from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from math import prod

from rh_kernel.arrays.drafts import CopiedLoop, Draft
from rh_kernel.arrays.options import CompileOptions
from rh_kernel.arrays.program import Equation, Extent, Loop, Part, Program, Register
from rh_kernel.loops.trees import leaves
from rh_kernel.primitives.schemes import instantiate
from rh_kernel.primitives.slicing import CONCAT, SLICE
from rh_kernel.primitives.structural import RESHAPE
from rh_kernel.source.records import frozen
from rh_kernel.syntax.dimensions import dim


def checkpointed(program: Program, options: CompileOptions) -> Program:
    """Return a program, not yet batched, with the same results, whose loops keep the states that the options ask for."""
    if options.checkpointing == "off" or not any(isinstance(e.operator, Loop) for e in program.equations):
        return program
    # Without aliases, so that it can be seen where the results of a loop are used.
    draft = Draft()
    new = draft.copy(program, [False] * len(program.inputs))
    return _Checkpointing(draft.finish(program, new, [(at, new[r]) for at, r in program.writes]), options).run()


@frozen
class _Kept:
    """A loop whose rounds are computed again: its rows by segment, what it shares, and the state before each segment"""

    loop: Loop
    wholes: tuple[Register, ...]
    given: tuple[Register, ...]
    states: tuple[Register, ...]


class _Checkpointing:
    """The state of the pass.

    ``again`` are the numbers of the results of each loop that are computed again; ``backward`` has, for each loop that goes
    back through the rounds of another one, the register of that one, and the numbers of its results among the arguments.
    """

    def __init__(self, program: Program, options: CompileOptions) -> None:
        self.program = program
        self.options = options
        self.backward: dict[Register, tuple[Register, dict[int, int]]] = {}
        self.again: dict[Register, set[int]] = defaultdict(set)
        self.kept: dict[Register, _Kept] = {}
        self._find_pairs()

    def run(self) -> Program:
        program, draft = self.program, Draft()
        new = draft.copy(program, [False] * len(program.inputs), self._copy)
        return draft.finish(program, new, [(at, new[r]) for at, r in program.writes])

    def _find_pairs(self) -> None:
        """Find the results of loops that are only used row by row, by one loop that goes back through the rounds."""
        program = self.program
        definitions = {e.result: e for e in program.equations}
        uses: dict[Register, list[tuple[Equation | None, int]]] = defaultdict(list)
        for e in program.equations:
            for i, a in enumerate(e.arguments):
                uses[a].append((e, i))
        for r in (*leaves(program.result), *[r for _, r in program.writes]):
            uses[r].append((None, 0))
        for e in program.equations:
            found = uses[e.result]
            if isinstance(e.operator, Part) and found:
                user, forward = found[0][0], definitions[e.arguments[0]]
                places = [i for other, i in found if other is user]
                if user is not None and len(places) == len(found) and self._goes_back(forward, e.operator, user, places):
                    self.again[forward.result].add(e.operator.number)
                    _, numbers = self.backward.setdefault(user.result, (forward.result, {}))
                    numbers |= dict.fromkeys(places, e.operator.number)

    def _goes_back(self, forward: Equation, part: Part, user: Equation, places: Sequence[int]) -> bool:
        """Whether the user goes back through the rounds of that loop, and is given this result of it row by row."""
        f, b = forward.operator, user.operator
        if not isinstance(f, Loop) or not isinstance(b, Loop) or f.backward or not b.backward or f.rounds != b.rounds:
            return False
        carried, rows = b.arity
        by_rows = part.number >= f.arity[0] and all(carried <= i < carried + rows for i in places)
        known, _ = self.backward.get(user.result, (forward.result, None))
        return by_rows and known == forward.result and self.options.segment(f.rounds) is not None

    def _copy(self, draft: Draft, equation: Equation, f: Loop, arguments: tuple[Register, ...]) -> CopiedLoop:
        f = Loop(f.rounds, checkpointed(f.body, self.options), f.backward)
        again = self.again.get(equation.result)
        back = self.backward.get(equation.result)
        k = self.options.segment(f.rounds)
        if k is None or (again is None and back is None):
            return CopiedLoop(f, arguments, draft.parts)
        segments = _Segments(draft, f, arguments, k)
        if back is not None:
            forward, numbers = back
            return segments.backward(self.kept[forward], numbers)
        return segments.forward(again or (), lambda kept: self.kept.update({equation.result: kept}))


class _Segments:
    """A loop of a draft, to be split into segments of k rounds; the last rounds, if they are fewer, are a loop of their own."""

    def __init__(self, draft: Draft, f: Loop, arguments: tuple[Register, ...], k: int) -> None:
        carried, rows = f.arity
        self.draft, self.f, self.k = draft, f, k
        self.count, self.rest = divmod(f.rounds, k)
        self.starts, self.given = arguments[:carried], arguments[carried + rows :]
        self.wholes = arguments[carried : carried + rows]

    def forward(self, again: Collection[int], keep: Callable[[_Kept], None]) -> CopiedLoop:
        """Split a loop. Of its results ``again``, only the last rounds are returned; ``keep`` notes how to compute the rest."""
        f, draft, carried = self.f, self.draft, len(self.starts)
        body = _Body(draft)
        states, wholes, given = body.like(self.starts), body.rows(self.wholes, self.k), body.like(self.given)
        made = body.loop(f, self.k, (*states, *wholes, *given))
        stacked = [i for i in range(carried, len(made)) if i not in again]
        split = body.finished(f, self.count, (states, wholes, given), (*made[:carried], *states, *[made[i] for i in stacked]))
        segments = tuple(map(self._segments, self.wholes))

        def results(token: Register) -> list[Register]:
            parts = draft.parts(token)
            keep(_Kept(f, segments, self.given, parts[carried : 2 * carried]))
            found = dict(zip(stacked, map(self._flat, parts[2 * carried :]), strict=True))
            ends, last = self._last_rounds(parts[:carried], tuple(map(self._last, self.wholes)))
            return [*ends, *[self._joined(found.get(i), x) for i, x in enumerate(last, start=carried)]]

        return CopiedLoop(split, (*self.starts, *segments, *self.given), results)

    def backward(self, kept: _Kept, numbers: Mapping[int, int]) -> CopiedLoop:
        """Split a loop that goes back through the rounds of another, whose results ``numbers`` are computed again."""
        b, draft, carried = self.f, self.draft, len(self.starts)
        own = {i: x for i, x in enumerate(self.wholes, start=carried) if i not in numbers}
        ends, last = self._last_rounds(
            self.starts, tuple([self._last(x) if i in own else x for i, x in enumerate(self.wholes, start=carried)])
        )
        body = _Body(draft)
        cotangents, states = body.like(self.starts), body.like_rows(kept.states)
        wholes, rows = body.like_rows(kept.wholes), dict(zip(own, body.rows(own.values(), self.k), strict=True))
        shared, given = body.like(kept.given), body.like(self.given)
        again = body.loop(kept.loop, self.k, (*states, *wholes, *shared))
        found = [rows[i] if i in own else again[numbers[i]] for i in range(carried, carried + len(self.wholes))]
        made = body.loop(b, self.k, (*cotangents, *found, *given))
        groups = (cotangents, (*states, *wholes, *rows.values()), (*shared, *given))
        split = body.finished(b, self.count, groups, made)
        segments = (*kept.states, *kept.wholes, *map(self._segments, own.values()))

        def results(token: Register) -> list[Register]:
            parts = draft.parts(token)
            return [
                *parts[:carried],
                *[self._joined(self._flat(x), y) for x, y in zip(parts[carried:], last, strict=True)],
            ]

        return CopiedLoop(split, (*ends, *segments, *kept.given, *self.given), results)

    def _last_rounds(
        self, starts: tuple[Register, ...], wholes: tuple[Register, ...]
    ) -> tuple[tuple[Register, ...], tuple[Register, ...]]:
        """Go through the last rounds: the carried values after them, and the stacked results, if need be without rows."""
        f, draft, carried = self.f, self.draft, len(starts)
        if self.rest:
            loop = Loop(self.rest, f.body, f.backward)
            parts = draft.parts(draft.equation(loop, (*starts, *wholes, *self.given)))
            return parts[:carried], parts[carried:]
        shapes = [f.body.shapes[r] for r in leaves(f.body.result)[carried:]]
        return starts, tuple([draft.fresh((0, *shape), batched=False) for shape in shapes])

    def _segments(self, x: Register) -> Register:
        """The rows of all segments, with an axis for the segments."""
        return _reshaped(self.draft, self._rows(x, 0, self.count * self.k), (self.count, self.k, *self.draft.shapes[x][1:]))

    def _flat(self, x: Register) -> Register:
        """The rows of all segments, without that axis."""
        return _reshaped(self.draft, x, (self.count * self.k, *self.draft.shapes[x][2:]))

    def _last(self, x: Register) -> Register:
        """The rows of the last rounds."""
        return self._rows(x, self.count * self.k, self.f.rounds)

    def _rows(self, x: Register, start: int, stop: int) -> Register:
        n, *shape = self.draft.shapes[x]
        size = prod(shape)
        matrix = _reshaped(self.draft, x, (n, size))
        at = (dim(start), dim(stop), dim(n), dim(size))
        return _reshaped(self.draft, self.draft.apply(instantiate("slice", SLICE[1], at), (matrix,)), (stop - start, *shape))

    def _joined(self, x: Register | None, y: Register) -> Register:
        """The rows of all segments, if any, and those of the last rounds."""
        if x is None or not self.rest:
            return y if x is None else x
        (m, *shape), (n, *_) = self.draft.shapes[x], self.draft.shapes[y]
        size = prod(shape)
        matrices = (_reshaped(self.draft, x, (m, size)), _reshaped(self.draft, y, (n, size)))
        found = self.draft.apply(instantiate("concat", CONCAT[1], (dim(m), dim(n), dim(size))), matrices)
        return _reshaped(self.draft, found, (m + n, *shape))


class _Body:
    """The body of a split loop under construction, whose registers are like some of the draft around it."""

    def __init__(self, around: Draft) -> None:
        self.around = around
        self.draft = Draft()

    def like(self, outer: Iterable[Register]) -> tuple[Register, ...]:
        """A register for each of these, of its shape."""
        return tuple([self.draft.fresh(self.around.shapes[r], batched=False) for r in outer])

    def like_rows(self, outer: Iterable[Register]) -> tuple[Register, ...]:
        """A register for each of these, of the shape of its rows."""
        return tuple([self.draft.fresh(self.around.shapes[r][1:], batched=False) for r in outer])

    def rows(self, outer: Iterable[Register], k: int) -> tuple[Register, ...]:
        """A register for each of these, of the shape of k of its rows."""
        return tuple([self.draft.fresh((k, *self.around.shapes[r][1:]), batched=False) for r in outer])

    def loop(self, f: Loop, k: int, arguments: tuple[Register, ...]) -> tuple[Register, ...]:
        """The results of k rounds of a loop."""
        return self.draft.parts(self.draft.equation(Loop(k, f.body, f.backward), arguments))

    def finished(self, f: Loop, count: int, inputs: tuple[tuple[Register, ...], ...], results: tuple[Register, ...]) -> Loop:
        """The loop through so many segments."""
        return Loop(count, self.draft.finished(f.body.names, inputs, results), f.backward)


def _reshaped(draft: Draft, x: Register, shape: Extent) -> Register:
    old = draft.shapes[x]
    if old == shape:
        return x
    return draft.apply(instantiate("reshape", RESHAPE, (tuple(map(dim, shape)), tuple(map(dim, old)))), (x,))
