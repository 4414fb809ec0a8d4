"""Barriers: which calls have to wait for earlier ones when the threads of one block run all of them."""

from collections.abc import Sequence

from rh_kernel.arrays.cuda.functions import Function
from rh_kernel.loops.ir import Buffer, Scratch


class BarrierTracker:
    """Tracks the buffers read and written since the last barrier."""

    def __init__(self, buffers: Sequence[Buffer]) -> None:
        self.buffers = buffers
        self.read: list[int] = []
        self.written: list[int] = []

    def waits(self, function: Function) -> bool:
        """Add a call and return whether it needs a barrier: it reads what was written, or writes what was read or written."""
        buffers = [buffer for buffer, _ in function.pointers]
        writes, reads = buffers[: function.outputs], buffers[function.outputs :]
        waits = any(self._overlap(b, c) for b in reads for c in self.written) or any(
            self._overlap(b, c) for b in writes for c in (*self.read, *self.written)
        )
        if waits:
            self.read, self.written = [], []
        self.read += reads
        self.written += writes
        return waits

    def _overlap(self, one: int, other: int) -> bool:
        """Whether two buffers overlap; tables of integers are only read."""
        if one == other:
            return True
        if max(one, other) >= len(self.buffers):
            return False
        match self.buffers[one], self.buffers[other]:
            case Scratch(start, size), Scratch(begin, length):
                return start < begin + length and begin < start + size
            case _:
                return False
