"""The C source of the library, for one precision and one level: text for the build, not used at run time."""

from collections.abc import Sequence
from importlib.resources import files

from rh_kernel.arrays.c_expressions import expression
from rh_kernel.arrays.native.toolchain import resource
from rh_kernel.arrays.prebuilt.levels import Level
from rh_kernel.arrays.prebuilt.operations import KERNELS, MOVES, STRIP
from rh_kernel.arrays.prebuilt.tiles import tiles
from rh_kernel.loops.ir import Precision
from rh_kernel.loops.scalars import ScalarOp

BEFORE_TILES = ("axes.h", "contractions.h")
AFTER_TILES = ("products.h", "maps.h", "reductions.h", "gathers.h", "loops.h")
OPERANDS = ("x[i]", "y[i]")


def source(precision: Precision, level: Level, operations: Sequence[ScalarOp]) -> str:
    """Return the C source of all kernels; the scalar operations are instructions of maps, in this order."""
    real, bits = ("double", 64) if precision == "float64" else ("float", 32)
    names = [*MOVES, *[f"SCALAR_{op.name}" for op in operations]]
    lines = [f"typedef {real} real;", f"#define BITS {bits}", resource("prelude.h"), resource("subnormals.h")]
    lines += [f"enum {{{', '.join(names)}}};", *map(fragment, BEFORE_TILES), *tiles(level, bits // 8)]
    cases = [f"case SCALAR_{op.name}: EACH {{ {_statement(op, precision)} }} break;" for op in operations]
    lines += [f"#define STRIP {STRIP}", f"#define OPERATIONS {' '.join(cases)}", f"#define KERNELS {', '.join(KERNELS)}"]
    return "\n".join([*lines, *map(fragment, AFTER_TILES), ""])


def fragment(name: str) -> str:
    """Return a C source file of this package."""
    return files("rh_kernel.arrays.prebuilt").joinpath(name).read_text(encoding="utf-8")


def _statement(op: ScalarOp, precision: Precision) -> str:
    names = [f"v{i}" for i in range(op.arity)]
    given = " ".join([f"const real {name} = {place};" for name, place in zip(names, OPERANDS, strict=False)])
    value = op.native.format(*names) if op.native else expression(op, names, precision)
    return f"{given} z[i] = {value};"
