"""Which calls have to wait for those before them, when the threads of one block go through all of them."""

from collections.abc import Sequence

from rh_kernel.arrays.cuda.functions import Function
from rh_kernel.loops.ir import Buffer, Scratch


class Order:
    """The calls so far: what those since the last wait have read and written."""

    def __init__(self, buffers: Sequence[Buffer]) -> None:
        self.buffers = buffers
        self.read: list[int] = []
        self.written: list[int] = []

    def waits(self, function: Function) -> bool:
        """Whether the call reads what is being written, or writes what is being read or written; it is the next one then."""
        buffers = [buffer for buffer, _ in function.pointers]
        writes, reads = buffers[: function.outputs], buffers[function.outputs :]
        waits = any(self._meet(b, c) for b in reads for c in self.written) or any(
            self._meet(b, c) for b in writes for c in (*self.read, *self.written)
        )
        if waits:
            self.read, self.written = [], []
        self.read += reads
        self.written += writes
        return waits

    def _meet(self, one: int, other: int) -> bool:
        """Whether two buffers have entries in common; tables of integers are only read."""
        if one == other:
            return True
        if max(one, other) >= len(self.buffers):
            return False
        match self.buffers[one], self.buffers[other]:
            case Scratch(start, size), Scratch(begin, length):
                return start < begin + length and begin < start + size
            case _:
                return False
