"""Loops of one shape joined: ``y = f(x); z = g(y)`` entry by entry is one loop, and y need not be anywhere.

A loop moves up into an earlier one that computes something it reads, or reads something it reads, where nothing in between
writes what it reads. So what the way back needs of the way forward is computed there, and only that is remembered.
"""

from collections.abc import Collection, Sequence
from dataclasses import dataclass, field
from typing import TypeAlias

from rh_kernel.arrays.dependence import reads, writes
from rh_kernel.arrays.plan import Instruction, Map, Number, Step, Store, View
from rh_kernel.arrays.program import Extent

_Node: TypeAlias = View | Number | Instruction


@dataclass(slots=True)
class _Loop:
    """A ``Map`` that grows. The arguments of its instructions are numbers of nodes; ``known`` has the node of each.

    ``sole`` is the loop if it is but one so far.
    """

    shape: Extent
    nodes: list[_Node] = field(default_factory=list[_Node])
    stores: list[Store] = field(default_factory=list[Store])
    known: dict[_Node, int] = field(default_factory=dict[_Node, int])
    added: set[int] = field(default_factory=set[int])
    sole: Map | None = None

    def add(self, loop: Map) -> None:
        """Takes the loop in."""
        self.sole = None if self.nodes else loop
        number = [self._node(view) for view in loop.arguments]
        for line in loop.body:
            match line:
                case Number():
                    number.append(self._node(line))
                case Instruction(function, arguments):
                    number.append(self._node(Instruction(function, tuple([number[i] for i in arguments]))))
        for store in loop.stores:
            self.stores.append(Store(store.view, number[store.value], store.accumulate))
            if store.accumulate:
                self.added.add(store.view.buffer)
            else:
                self.known[store.view] = number[store.value]

    def gives(self, view: View) -> bool:
        """Whether the view is known here; of a buffer that the loop writes."""
        return view in self.known and view.buffer not in self.added

    def reads_one_of(self, views: Collection[View]) -> bool:
        """Whether the loop reads, or writes, one of the views."""
        return any(view in self.known for view in views)

    def finished(self, wanted: Collection[int]) -> Map | None:
        """The loop with the stores to the wanted buffers, and what they need; ``None`` if there are none."""
        stores = [store for store in self.stores if store.view.buffer in wanted]
        if not stores:
            return None
        if self.sole is not None and len(stores) == len(self.stores):
            return self.sole
        needed = {store.value for store in stores}
        for i in range(len(self.nodes) - 1, -1, -1):
            node = self.nodes[i]
            if i in needed and isinstance(node, Instruction):
                needed.update(node.arguments)
        arguments = [i for i, node in enumerate(self.nodes) if i in needed and isinstance(node, View)]
        body = [i for i, node in enumerate(self.nodes) if i in needed and not isinstance(node, View)]
        number = {i: k for k, i in enumerate((*arguments, *body))}
        lines: list[Number | Instruction] = []
        views: list[View] = []
        for i in (*arguments, *body):
            match self.nodes[i]:
                case View() as view:
                    views.append(view)
                case Number() as line:
                    lines.append(line)
                case Instruction(function, parts):
                    lines.append(Instruction(function, tuple([number[p] for p in parts])))
        kept = tuple([Store(store.view, number[store.value], store.accumulate) for store in stores])
        return Map(self.shape, tuple(views), tuple(lines), kept)

    def _node(self, node: _Node) -> int:
        found = self.known.get(node)
        if found is None:
            found = self.known[node] = len(self.nodes)
            self.nodes.append(node)
        return found


def fused(steps: Sequence[Step], kept: Collection[int]) -> list[Step]:
    """The steps with loops joined. The ``kept`` buffers hold at the end what they held; others may be left unwritten."""
    made: list[Step | _Loop] = []
    last_write: dict[int, int] = {}
    latest: dict[Extent, int] = {}
    for step in steps:
        at = None
        if isinstance(step, Map):
            at = _place(step, made, last_write, latest)
            if at is None:
                made.append(_Loop(step.shape))
                at = len(made) - 1
            loop = made[at]
            assert isinstance(loop, _Loop)
            loop.add(step)
            latest[step.shape] = max(at, latest.get(step.shape, at))
        else:
            made.append(step)
            at = len(made) - 1
        for view in writes(step):
            last_write[view.buffer] = max(at, last_write.get(view.buffer, at))
    return _needed(made, kept)


def _place(step: Map, made: Sequence[Step | _Loop], last_write: dict[int, int], latest: dict[Extent, int]) -> int | None:
    """The number of the loop that can take ``step`` in."""
    read = [*reads(step)]
    after = max((last_write.get(view.buffer, -1) for view in read), default=-1)
    if after >= 0:
        loop = made[after]
        if isinstance(loop, _Loop) and loop.shape == step.shape:
            own = [view for view in read if last_write.get(view.buffer) == after]
            if all(loop.gives(view) for view in own):
                return after
    at = latest.get(step.shape, -1)
    loop = made[at] if at > after else None
    return at if isinstance(loop, _Loop) and loop.reads_one_of(step.arguments) else None


def _needed(made: Sequence[Step | _Loop], kept: Collection[int]) -> list[Step]:
    wanted = set(kept)
    result: list[Step] = []
    for step in reversed(made):
        finished = step.finished(wanted) if isinstance(step, _Loop) else step
        if finished is not None:
            wanted.update(view.buffer for view in reads(finished))
            result.append(finished)
    result.reverse()
    return result
