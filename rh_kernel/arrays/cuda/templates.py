"""Templates for the code around the functions of a module: kernels, loading samples, counting runs."""

from collections.abc import Mapping, Sequence

from rh_kernel.arrays.cuda.functions import Shares

RUN, LOAD, NEXT = "run", "load", "next"
"""The kernels of every module: whole runs, loading the samples of a run, and advancing to the next run."""


def kernel_name(number: int) -> str:
    """Return the name of the kernel that calls only function ``number``."""
    return f"k{number}"


def head(name: str) -> str:
    """Return the signature of a kernel; all have the same parameters."""
    tables = "Pointers pointers, const int* calls, const real* const* data, long long* counter"
    return f'extern "C" __global__ void __launch_bounds__(1024) {name}({tables}, const int first, const int count)'


def device_function(number: int, body: str, shares: Shares) -> str:
    """Return the definition of a function, to be called by kernels."""
    lines = "\n".join([f"    {line}" for line in body.split("\n")])
    match shares:
        case Shares.THREADS:
            given = "const int first, const int step"
        case Shares.BLOCKS:
            given = "const int block, const int blocks, real* const sums, long long* const places"
    return f"__device__ __noinline__ void f{number}(Pointers q, {given})\n{{\n{lines}\n}}"


_EVERYWHERE = "blockIdx.x * blockDim.x + threadIdx.x, gridDim.x * blockDim.x"

_SHARED = """    __shared__ real sums[1024];
    __shared__ long long places[1024];
"""


def own_kernel(number: int, shares: Shares) -> str:
    """Return a kernel that executes call number ``first`` on all blocks."""
    match shares:
        case Shares.THREADS:
            shared, given = "", _EVERYWHERE
        case Shares.BLOCKS:
            shared, given = _SHARED, "blockIdx.x, gridDim.x, sums, places"
    return f"{head(kernel_name(number))}\n{{\n{shared}    f{number}(pointers + calls[3 * first + 1], {given});\n}}"


_ALONE = {Shares.BLOCKS: "0, 1, sums, places", Shares.THREADS: "threadIdx.x, blockDim.x"}


def whole_kernel(functions: Mapping[tuple[str, Shares], int]) -> str:
    """Return a kernel that executes all calls, for ``count`` runs from ``first`` on, in one block."""
    is_shared = any(shares is Shares.BLOCKS for _, shares in functions)
    cases = "".join(
        [f"            case {number}: f{number}(q, {_ALONE[shares]}); break;\n" for (_, shares), number in functions.items()]
    )
    return f"""{head(RUN)}
{{
{_SHARED if is_shared else ""}    const int last = calls[0];
    for (long long r = first; r < (long long)first + count; r++) {{
        fetch(pointers, data, r, threadIdx.x, blockDim.x);
        __syncthreads();
        for (int c = 1; c <= last; c++) {{
            if (calls[3 * c + 2]) __syncthreads();
            Pointers q = pointers + calls[3 * c + 1];
            switch (calls[3 * c]) {{
{cases}            }}
        }}
        __syncthreads();
    }}
}}"""


def load_function(inputs: Sequence[tuple[int, int]], samples: int) -> str:
    """Return the function that copies the samples of run r from the data sets; ``inputs`` are (position, size)."""
    lines: list[str] = []
    for k, (position, size) in enumerate(inputs):
        width = size // samples
        lines.append(f"    for (long long j = first; j < {size}; j += step)")
        lines.append(f"        pointers[{k}][j] = data[{position + 1}][rows[j / {width}] * {width} + j % {width}];")
    table = [f"    const long long* const rows = (const long long*)data[0] + r * {samples};"] if inputs else []
    given = "Pointers pointers, const real* const* data, const long long r, const int first, const int step"
    return "\n".join([f"__device__ void fetch({given})", "{", *table, *lines, "}"])


COUNTING = (
    f"{head(LOAD)}\n{{\n    fetch(pointers, data, counter[0], {_EVERYWHERE});\n}}",
    f"{head(NEXT)}\n{{\n    if (blockIdx.x == 0 && threadIdx.x == 0) counter[0]++;\n}}",
)
"""The kernels that load the samples of the run that the counter names, and increment the counter."""
