"""The instruction sets that kernels are compiled for; the best that the processor has is used."""

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Level:
    """An instruction set: its name, the bytes of a vector register, and the number of these registers.

    ``flags`` are for the compiler; the empty ones stand for the oldest processors of the platform.
    """

    name: str
    vector: int
    registers: int
    flags: tuple[str, ...] = ()

    def lanes(self, item: int) -> int:
        """Return how many numbers of so many bytes a vector has."""
        return self.vector // item

    def has_tile(self, rows: int, columns: int) -> bool:
        """Whether there is a tile with so many rows and columns: its accumulators and operands have a register each."""
        within = 1 <= columns <= 4 and 1 <= rows <= (8 if columns == 1 else 6)
        return within and rows * columns + columns + 1 <= self.registers


V1 = Level("x86-64", 16, 16)
V3 = Level("x86-64-v3", 32, 16, ("-march=x86-64-v3",))
V4 = Level("x86-64-v4", 64, 32, ("-march=x86-64-v4", "-mprefer-vector-width=512"))
ARM = Level("aarch64", 16, 32)

LEVELS: dict[str, tuple[Level, ...]] = {"x86_64": (V1, V3, V4), "aarch64": (ARM,)}
"""The levels of each kind of processor, the best last."""
