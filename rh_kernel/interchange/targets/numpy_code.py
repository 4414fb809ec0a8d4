"""A function as a Python file that needs only NumPy."""

from collections.abc import Mapping, Sequence
from math import copysign, inf

from rh_kernel.interchange.targets import python_file as file
from rh_kernel.interchange.targets.python_code import PythonCode
from rh_kernel.interchange.targets.python_operators import quoted, written
from rh_kernel.interchange.targets.target import Exported, Target
from rh_kernel.loops import scalars
from rh_kernel.loops.scalars import ScalarOp
from rh_kernel.primitives import array_operators as ao
from rh_kernel.primitives.array_operators import Expr, Fold, Normalising
from rh_kernel.source.diagnostic import KernelBug

CALLS = {
    scalars.EXP: "np.exp({0})",
    scalars.LOG: "np.log({0})",
    scalars.SQRT: "np.sqrt({0})",
    scalars.SIN: "np.sin({0})",
    scalars.COS: "np.cos({0})",
    scalars.TANH: "np.tanh({0})",
    scalars.ABS: "np.abs({0})",
    scalars.SIGN: "np.sign({0})",
    scalars.RINT: "np.rint({0})",
    scalars.SIGMOID: "sigmoid({0})",
    scalars.SOFTPLUS: "np.logaddexp({0}, 0)",
    scalars.STEP: "({0} > 0).astype(np.{dtype})",
    scalars.FINITE: "np.where(np.isfinite({0}), {0}, 0)",
    scalars.MAX: "np.maximum({0}, {1})",
    scalars.MIN: "np.minimum({0}, {1})",
    scalars.EQUAL: "({0} == {1}).astype(np.{dtype})",
}

WINDOWS = '''
def windows(x, sizes):
    """What a filter of these sizes sees at each place: (…, n…) to (…, sizes…, places…)."""
    places = [n - k + 1 for n, k in zip(x.shape[-len(sizes) :], sizes)]
    # A sliding view whose windows have as many entries as there are places has the places last.
    return np.lib.stride_tricks.sliding_window_view(x, places, axis=tuple(range(-len(sizes), 0)))
'''

OVERLAP_ADD = '''
def overlap_add(x, s):
    """The adjoint of windows along s axes: each window is added where it was taken from."""
    for axis in range(-1, -s - 1, -1):
        x = np.moveaxis(x, -s - 1, 0)
        k, m = len(x), x.shape[axis]
        total = np.zeros((*x.shape[1:axis], m + k - 1, *x.shape[len(x.shape) + axis + 1 :]), x.dtype)
        for j in range(k):
            total[(..., slice(j, j + m), *[slice(None)] * (-axis - 1))] += x[j]
        x = total
    return x
'''

CONVOLVE = '''
def convolve(x, w):
    """The cross-correlation of x : (…, c, n…) with filters w : (d, c, k…)."""
    s = w.ndim - 2
    seen = windows(x, w.shape[2:])
    channels = x.ndim - s - 1
    # Sum over the channels and the entries of a filter.
    y = np.tensordot(seen, w, (range(channels, channels + 1 + s), range(1, s + 2)))
    return np.moveaxis(y, -1, channels)
'''

SIGMOID = '''
def sigmoid(x):
    """The logistic function."""
    return 1 / (1 + np.exp(-x))
'''

NORMALISING = {
    Normalising.SOFTMAX: '''
def softmax(x):
    """Probabilities from scores along the last axis."""
    e = np.exp(x - x.max(axis=-1, keepdims=True))
    return e / e.sum(axis=-1, keepdims=True)
''',
    Normalising.LOG_SOFTMAX: '''
def log_softmax(x):
    """The logarithms of the probabilities from scores along the last axis."""
    below = x - x.max(axis=-1, keepdims=True)
    return below - np.log(np.exp(below).sum(axis=-1, keepdims=True))
''',
    Normalising.LOGSUMEXP: '''
def logsumexp(x):
    """The logarithm of the sum of the exponentials along the last axis."""
    largest = x.max(axis=-1, keepdims=True)
    return largest + np.log(np.exp(x - largest).sum(axis=-1, keepdims=True))
''',
}


class NumPyCode(PythonCode):
    """Python code that calls NumPy."""

    module = "np"
    function_names: Mapping[ScalarOp, str] = CALLS
    functions: Mapping[str, str] = {
        "sigmoid": SIGMOID,
        "windows": WINDOWS,
        "overlap_add": OVERLAP_ADD,
        "convolve": CONVOLVE,
        **{function.value: text for function, text in NORMALISING.items()},
    }

    def template(self, op: ScalarOp, args: Sequence[Expr]) -> str | None:
        """The template of a scalar operation that is a call, or ``None``."""
        found = self.function_names.get(op)
        if op is scalars.SIGMOID and "sigmoid" in self.functions:
            self.needs("sigmoid")
        return found

    def stacked(self, rows: str, axis: int) -> str:
        """A list of arrays stacked along an axis."""
        return f"{self.module}.stack({rows}, axis={axis})"

    def full(self, sizes: str, number: float) -> str:
        """An array of one number, of these sizes."""
        shape, dtype = f"({sizes}{'' if ',' in sizes else ','})", f"{self.module}.{self.dtype}"
        if not number and copysign(1, number) > 0:
            return f"{self.module}.zeros({shape}, {dtype})"
        return f"{self.module}.full({shape}, {self._value(number)}, {dtype})"

    def array(self, text: str) -> str:
        """An array of a list."""
        return f"{self.module}.array({text}, {self.module}.{self.dtype})"

    def arange(self, n: int) -> str:
        """The numbers 0, …, n − 1."""
        return f"{self.module}.arange({n}, dtype={self.module}.{self.dtype})"

    def where(self, condition: str, x: str, y: str) -> str:
        """X where the condition holds, else y."""
        return f"{self.module}.where({condition}, {x}, {y})"

    def transpose(self, x: str, order: Sequence[int]) -> str:
        """The axes in another order."""
        return f"{x}.transpose({', '.join(map(str, order))})"

    def expand(self, x: str, sizes: str) -> str:
        """An array broadcast to these sizes."""
        return f"{self.module}.broadcast_to({x}, ({sizes}{'' if ',' in sizes else ','}))"

    def pad(self, x: str, widths: Sequence[tuple[int, int]], value: float) -> str:
        """The array with a margin."""
        filled = f", constant_values={self._value(value)}" if value else ""
        return f"{self.module}.pad({x}, {tuple(widths)}{filled})"

    def _value(self, value: float) -> str:
        return written(value) if abs(value) < inf else f"{'-' if value < 0 else ''}{self.module}.inf"

    def concat(self, arrays: str, axis: int) -> str:
        """Arrays one after the other."""
        return f"{self.module}.concatenate(({arrays}), axis={axis})"

    def reduce(self, fold: Fold, x: str, axes: str, *, keeps: bool) -> str:
        """Axes combined; if they are kept, they have length 1."""
        found = f"{self.module}.{fold.value}({x}, axis={axes}{', keepdims=True' if keeps else ''})"
        return f"{found}.astype({self.module}.{self.dtype})" if fold is Fold.ARGMAX else found

    def integers(self, x: str) -> str:
        """An array of numbers as one of integers."""
        return f"{x}.astype(int)"

    def normalise(self, function: ao.Normalising, x: str) -> str:
        """``softmax`` and the like along the last axis."""
        self.needs(function.value)
        return f"{function.value}({x})"

    def convolve(self, signal: Expr, x: str, w: str) -> str:
        """The cross-correlation."""
        self.needs("windows")
        self.needs("convolve")
        return f"convolve({x}, {w})"

    def pool(self, fold: Fold, x: str, sizes: tuple[int, ...]) -> str:
        """Pooling is written by simpler operators."""
        raise KernelBug("pooling is composed of other operators")

    def mean_over_batch(self, x: str) -> str:
        """The mean over the first axis."""
        return f"{self.module}.mean({x}, axis=0)"

    def einsum(self, spec: str, x: str, y: str) -> str:
        """A sum of products."""
        return f"{self.module}.einsum({spec!r}, {x}, {y})"


def function_text(code: NumPyCode, exported: Exported, decorator: str = "") -> list[str]:
    """The definition of the function."""
    f = exported.function
    source = {w.parameter.name: f"weights[{quoted(w.parameter.written)}]" for w in f.weights}
    body, result, written = code.everything({w.parameter.name: w.parameter.written for w in f.weights})
    parameters = [*[p.name for p in f.parameters], *["weights=WEIGHTS"] * bool(f.weights)]
    return [
        *[decorator] * bool(decorator),
        f"def {f.name}({', '.join(parameters)}):",
        *file.docstring(f, 4),
        *file.unpacked(f, source, 4),
        *body,
        *file.returned(result, written, ["**weights,"], 4),
    ]


def constants(code: NumPyCode) -> list[str]:
    """The line that takes the constants out of the arrays of the file, if there are some: what is left is learned."""
    names = ", ".join(map(quoted, code.constants))
    return [f"CONSTANTS = {{name: WEIGHTS.pop(name) for name in [{names}]}}"] * bool(names)


def _written(exported: Exported) -> Mapping[str, bytes]:
    code = NumPyCode(exported.function, exported.precision)
    function = function_text(code, exported)
    load = ['WEIGHTS = dict(np.load(Path(__file__).with_suffix(".npz")))']
    return file.files(exported, code, NUMPY.title, ["import numpy as np"], [*load, *constants(code)], function)


NUMPY = Target("numpy", "NumPy", ".py", _written)
