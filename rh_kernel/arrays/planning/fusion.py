"""Loop fusion: ``y = f(x); z = g(y)`` over the same shape become one loop, and y need not be stored.

A loop is fused into an earlier one that computes or reads something it reads, provided that nothing in between writes what it
reads. So values that the backward pass needs are computed in the forward pass, and only those are stored.
"""

from collections.abc import Collection, Mapping, Sequence
from typing import TypeAlias

from rh_kernel.arrays.planning.dependence import reads, writes
from rh_kernel.arrays.program import Extent
from rh_kernel.loops.ir import Instruction, Map, Number, Step, Store, View

_Node: TypeAlias = View | Number | Instruction


class _Loop:
    """A ``Map`` under construction. Arguments of instructions are node numbers; ``known`` maps each node to its number.

    ``sole`` is the original loop as long as there is only one.
    """

    def __init__(self, shape: Extent) -> None:
        self.shape = shape
        self.nodes: list[_Node] = []
        self.stores: list[Store] = []
        self.known: dict[_Node, int] = {}
        self.added: set[int] = set()
        self.sole: Map | None = None

    def add(self, loop: Map) -> None:
        """Fuse ``loop`` into this one."""
        self.sole = None if self.nodes else loop
        known, nodes = self.known, self.nodes
        number: list[int] = []
        for node in (*loop.arguments, *loop.body):
            if isinstance(node, Instruction):
                node = Instruction(node.function, tuple([number[i] for i in node.arguments]))
            at = known.setdefault(node, len(nodes))
            if at == len(nodes):
                nodes.append(node)
            number.append(at)
        for store in loop.stores:
            self.stores.append(Store(store.view, number[store.value], store.accumulate))
            if store.accumulate:
                self.added.add(store.view.buffer)
            else:
                known[store.view] = number[store.value]

    def gives(self, view: View) -> bool:
        """Whether the loop computes the view, of a buffer that it writes, by plain stores."""
        return view in self.known and view.buffer not in self.added

    def reads_one_of(self, views: Collection[View]) -> bool:
        """Whether the loop reads or writes one of the views."""
        return not self.known.keys().isdisjoint(views)

    def finished(self, wanted: Collection[int]) -> Map | None:
        """Return the loop with only the stores to wanted buffers and what they need; ``None`` if there are none."""
        stores = [store for store in self.stores if store.view.buffer in wanted]
        if not stores:
            return None
        if self.sole is not None and len(stores) == len(self.stores):
            return self.sole
        needed = {store.value for store in stores}
        for i in range(len(self.nodes) - 1, -1, -1):
            node = self.nodes[i]
            if isinstance(node, Instruction) and i in needed:
                needed.update(node.arguments)
        own = [(i, self.nodes[i]) for i in sorted(needed)]
        arguments = [(i, node) for i, node in own if isinstance(node, View)]
        body = [(i, node) for i, node in own if not isinstance(node, View)]
        number = {i: k for k, (i, _) in enumerate((*arguments, *body))}
        lines = tuple([_numbered(node, number) for _, node in body])
        kept = tuple([Store(store.view, number[store.value], store.accumulate) for store in stores])
        return Map(self.shape, tuple([view for _, view in arguments]), lines, kept)


def _numbered(line: Number | Instruction, number: Mapping[int, int]) -> Number | Instruction:
    if isinstance(line, Number):
        return line
    return Instruction(line.function, tuple([number[i] for i in line.arguments]))


def fused(steps: Sequence[Step], kept: Collection[int]) -> list[Step]:
    """Fuse loops. The ``kept`` buffers have the same final contents as before; stores to others may be dropped."""
    made: list[Step | _Loop] = []
    last_write: dict[int, int] = {}
    latest: dict[Extent, int] = {}
    for step in steps:
        if isinstance(step, Map):
            at = _target(step, made, last_write, latest)
            if at is None:
                at = len(made)
                made.append(_Loop(step.shape))
            loop = made[at]
            assert isinstance(loop, _Loop)
            loop.add(step)
            latest[step.shape] = max(at, latest.get(step.shape, at))
        else:
            at = len(made)
            made.append(step)
        for view in writes(step):
            last_write[view.buffer] = max(at, last_write.get(view.buffer, at))
    return _live(made, kept)


def _target(step: Map, made: Sequence[Step | _Loop], last_write: dict[int, int], latest: dict[Extent, int]) -> int | None:
    """The index of the loop that ``step`` can be fused into, if any."""
    read = reads(step)
    written = [last_write.get(view.buffer, -1) for view in read]
    after = max(written, default=-1)
    loop = made[after] if after >= 0 else None
    if isinstance(loop, _Loop) and loop.shape == step.shape:
        own = [view for view, at in zip(read, written, strict=True) if at == after]
        if all(map(loop.gives, own)):
            return after
    at = latest.get(step.shape, -1)
    loop = made[at] if at > after else None
    return at if isinstance(loop, _Loop) and loop.reads_one_of(step.arguments) else None


def _live(made: Sequence[Step | _Loop], kept: Collection[int]) -> list[Step]:
    wanted = set(kept)
    result: list[Step] = []
    for step in reversed(made):
        finished = step.finished(wanted) if isinstance(step, _Loop) else step
        if finished is not None:
            wanted.update([view.buffer for view in reads(finished)])
            result.append(finished)
    result.reverse()
    return result
