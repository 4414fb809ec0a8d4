"""The C source of a library: its kernels, and the driver function that runs the steps."""

from collections.abc import Sequence

from rh_kernel.arrays.native.launches import Launch
from rh_kernel.arrays.native.scalars import definitions
from rh_kernel.arrays.native.toolchain import resource
from rh_kernel.loops.ir import Buffer, Plan, Scratch

FEW = 24
"""A run with at most this many steps is inlined into one function, with constant offsets."""

TABLE_LOOP = ["for (const struct row *end = row + count; row < end; row++) row->run(row->arrays);"]


FLUSHED = ["const float_mode mode = get_float_mode();", "set_float_mode(mode | FLUSH);", "BARRIER"]
RESTORED = ["BARRIER", "set_float_mode(mode);"]


def source(
    kernels: Sequence[Sequence[str]], launches: Sequence[Launch], plan: Plan, *, short: bool, integer: str, parallel: bool
) -> str:
    """Return the C source with these kernel bodies. It ends with ``rh_walk``, which executes a launch table.

    In a ``short`` run, steps wait for each other's results; in a long one, they have more work of their own, and subnormal
    numbers count as 0. ``integer`` is the C type of a BLAS's integers, if kernels call one; ``parallel`` means that some run
    others by several threads. In either case no kernel is inlined, since some are also called by their addresses.
    """
    real, bits = ("double", 64) if plan.precision == "float64" else ("float", 32)
    lines = [f"typedef {real} real;", f"#define BITS {bits}", resource("prelude.h"), *definitions(plan.steps, plan.precision)]
    lines += [f"#define BLAS_INT {integer}", resource("gemm.h")] if integer else []
    lines += [resource("parallel.h")] if parallel else []
    inlined = not integer and not parallel and sum(launch.steps for launch in launches) <= FEW
    kind = "static inline __attribute__((always_inline))" if inlined else "static"
    for number, kernel in enumerate(kernels):
        lines += [f"{kind} void kernel{number}(void *const *array) {{", *kernel, "}"]
    names = ", ".join(["0" if inlined else f"kernel{number}" for number in range(len(kernels))]) or "0"
    shown = '__attribute__((visibility("default")))'
    lines += [f"{shown} kernel *const rh_kernels[] = {{{names}}};", f"{shown} const long rh_kernel_count = {len(kernels)};"]
    whole, body = _inlined(launches, plan.buffers, short=short) if inlined else ([], TABLE_LOOP)
    if not short:
        lines.append(resource("subnormals.h"))
        body = [*FLUSHED, *body, *RESTORED]
    return "\n".join([*lines, *whole, f"{shown} void rh_walk(const struct row *row, long count) {{", *body, "}", ""])


def _inlined(launches: Sequence[Launch], buffers: Sequence[Buffer], *, short: bool) -> tuple[list[str], list[str]]:
    """All steps as one function of the buffers, and its call with the addresses from the table.

    The compiler knows the offsets within a buffer, so a value that one step stores and the next one loads can stay in a
    register. ``restrict`` on the buffers makes it optimise too much for long loops, so only a ``short`` run has it.
    """
    bases: dict[int, str] = {}
    starts: list[str] = []
    calls: list[str] = []
    at = 0
    for launch in launches:
        places: list[str] = []
        for number, offset in launch.arrays:
            buffer = buffers[number] if number < len(buffers) else None
            base, place = (-1, buffer.start + offset) if isinstance(buffer, Scratch) else (number, offset)
            if base not in bases:
                bases[base] = f"b{len(bases)}"
                starts.append(f"(real *)array[{at}] - {place}")
            places.append(f"{bases[base]} + {place}")
            at += 1
        calls.append(f"{{ void *const array[] = {{{', '.join(places)}}}; kernel{launch.kernel}(array); }}")
    given = ", ".join([f"real *{'restrict ' if short else ''}{name}" for name in bases.values()]) or "void"
    body = ["void *const *array = row->arrays;", f"whole({', '.join(starts)});"] if launches else []
    return [f"static void whole({given}) {{", *calls, "}"], body
