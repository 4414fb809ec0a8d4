"""The numbers by which kernels and instructions are known to the compiled library."""

from collections.abc import Iterator
from importlib import import_module
from pkgutil import iter_modules

from rh_kernel.loops import scalars
from rh_kernel.loops.scalars import ScalarOp

KERNELS = (
    *("contract_lanes", "contract_packed", "contract_parts", "contract_lanes_tile", "contract_parts_tile"),
    *("contract_rows", "contract_any", "map", "reduce", "gather", "gather_at", "scatter_add", "index_check", "loop"),
)
"""The kernels, which are functions in C, in the order of the library's table."""

MOVES = ("LOAD", "STORE", "ZIP", "COPY")
"""The instructions of maps that only move numbers; those of scalar operations follow."""


STRIP = 128
"""The most numbers that an instruction of a map works on: ``STRIP`` in the source."""


def kernel(name: str) -> int:
    """Return the number of a kernel."""
    return KERNELS.index(name)


def scalar_operations() -> Iterator[ScalarOp]:
    """Yield the operations that modules of this package define, in the order of their names."""
    package = import_module("rh_kernel.primitives")
    modules = [scalars, *[import_module(f"{package.__name__}.{found.name}") for found in iter_modules(package.__path__)]]
    found = {op.name: op for module in modules for op in vars(module).values() if isinstance(op, ScalarOp)}
    yield from [found[name] for name in sorted(found)]
