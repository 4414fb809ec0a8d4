"""A function as a Python file that needs JAX."""

from collections.abc import Mapping

from rh_kernel.interchange.functions import Rounds
from rh_kernel.interchange.targets import python_file as file
from rh_kernel.interchange.targets.numpy_code import CALLS, NumPyCode, constants, function_text
from rh_kernel.interchange.targets.python_code import LONG
from rh_kernel.interchange.targets.target import Exported, Target
from rh_kernel.loops import scalars
from rh_kernel.loops.scalars import ScalarOp
from rh_kernel.primitives.array_operators import Expr, Normalising

WINDOWS = '''
def windows(x, sizes):
    """What a filter of these sizes sees at each place: (…, n…) to (…, sizes…, places…)."""
    s = len(sizes)
    for i, k in enumerate(sizes):
        axis = i - s
        m = x.shape[axis] - k + 1
        # The axes of the windows that are there already come before all places.
        x = jnp.stack([lax.slice_in_dim(x, j, j + m, axis=x.ndim + axis) for j in range(k)], axis=-s - 1)
    return x
'''

OVERLAP_ADD = '''
def overlap_add(x, s):
    """The adjoint of windows along s axes: each window is added where it was taken from."""
    for i in range(s):
        x = jnp.moveaxis(x, -s - 1, 0)
        k, axis = len(x), -1 - i
        margins = [[(0, 0)] * (x.ndim - 2 - i) + [(j, k - 1 - j)] + [(0, 0)] * i for j in range(k)]
        x = sum(jnp.pad(x[j], margin) for j, margin in enumerate(margins))
    return x
'''

CONVOLVE = '''
def convolve(x, w):
    """The cross-correlation of x : (b, c, n…), or of one sample, with filters w : (d, c, k…)."""
    s = w.ndim - 2
    y = lax.conv_general_dilated(x.reshape(-1, *x.shape[-s - 1 :]), w, (1,) * s, "VALID")
    return y if x.ndim == s + 2 else y[0]
'''


class JAXCode(NumPyCode):
    """Python code that calls JAX."""

    module = "jnp"
    function_names: Mapping[ScalarOp, str] = {
        **{op: template.replace("np.", "jnp.") for op, template in CALLS.items()},
        scalars.SIGMOID: "jax.nn.sigmoid({0})",
    }
    functions: Mapping[str, str] = {"windows": WINDOWS, "overlap_add": OVERLAP_ADD, "convolve": CONVOLVE}

    def places(self, text: str) -> str:
        """A list of whole numbers as an index."""
        return f"jnp.array({text})"

    def normalise(self, function: Normalising, x: str) -> str:
        """``softmax`` and the like along the last axis."""
        keeps = ", keepdims=True" if function is Normalising.LOGSUMEXP else ""
        return f"jax.nn.{function.value}({x}, axis=-1{keeps})"

    def convolve(self, signal: Expr, x: str, w: str) -> str:
        """The cross-correlation."""
        self.needs("convolve")
        return f"convolve({x}, {w})"

    def rounds(self, loop: Rounds) -> None:
        """Write a loop as a ``scan``."""
        self._loops += 1
        name = "each_round" if self._loops == 1 else f"each_round_{self._loops}"
        states = [self.text(v) for v, _ in loop.carried]
        rows = [self.text(v) for v, _ in loop.rows]
        first = [self.text(x) for _, x in loop.carried]
        wholes = [f"jnp.moveaxis({self.text(x)}, 1, 0)" if x.batched else self.text(x) for _, x in loop.rows]
        self.lines.append("")
        self.add(f"def {name}(carried, given):")
        self._indent += 1
        for names, whole in ((states, "carried"), (rows, "given")):
            if names:
                self.add(f"{_tuple(names)} = {whole}")
        self._write(loop.body)
        self.add(f"return {_tuple([self.text(e) for e in loop.following])}, {_tuple([self.text(e) for e in loop.emitted])}")
        self._indent -= 1
        self.lines.append("")
        stacked = loop.results[len(states) :]
        names = [self.text(v) for v in stacked]
        results = f"{_tuple(states) if states else '_'}, {_tuple(names) if names else '_'}"
        given = _tuple(wholes) if wholes else "None"
        options = f"length={loop.count}{', reverse=True' if loop.backward else ''}"
        begin = _tuple(first)
        if len(results) + len(begin) + len(given) > LONG:
            self.add(f"start = {begin}")
            self.add(f"rows = {given}")
            begin, given = "start", "rows"
        self.add(f"{results} = lax.scan({name}, {begin}, {given}, {options})")
        for v, text in zip(stacked, names, strict=True):
            if v.batched:
                self.add(f"{text} = jnp.moveaxis({text}, 0, 1)")


def _tuple(texts: list[str]) -> str:
    return f"({', '.join(texts)}{',' if len(texts) == 1 else ''})"


def _written(exported: Exported) -> Mapping[str, bytes]:
    code = JAXCode(exported.function, exported.precision)
    function = function_text(code, exported, "@jax.jit")
    imports = ["import jax", "import jax.numpy as jnp", "import numpy as np", "from jax import lax"]
    if exported.precision == "float64":
        imports += [
            "",
            "# Without this, JAX would convert what follows to float32.",
            'jax.config.update("jax_enable_x64", True)',
        ]
    found = 'np.load(Path(__file__).with_suffix(".npz"))'
    load = [f"WEIGHTS = {{name: jnp.asarray(array) for name, array in {found}.items()}}"]
    return file.files(exported, code, JAX.title, imports, [*load, *constants(code)], function)


JAX = Target("jax", "JAX", ".py", _written)
"""Neither this nor PyTorch has to be installed here, where the files are only written."""
