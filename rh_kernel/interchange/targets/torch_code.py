"""A function as a Python file with a PyTorch module."""

import re
from collections.abc import Mapping, Sequence
from math import copysign, inf

from rh_kernel.interchange.targets import python_file as file
from rh_kernel.interchange.targets.python_code import PythonCode
from rh_kernel.interchange.targets.python_operators import quoted, written
from rh_kernel.interchange.targets.target import Exported, Target
from rh_kernel.loops import scalars
from rh_kernel.loops.scalars import ScalarOp
from rh_kernel.primitives.array_operators import Expr, Fold, Normalising, Pool

CALLS = {
    scalars.EXP: "torch.exp({0})",
    scalars.LOG: "torch.log({0})",
    scalars.SQRT: "torch.sqrt({0})",
    scalars.SIN: "torch.sin({0})",
    scalars.COS: "torch.cos({0})",
    scalars.TANH: "torch.tanh({0})",
    scalars.ABS: "torch.abs({0})",
    scalars.SIGN: "torch.sign({0})",
    scalars.RINT: "torch.round({0})",
    scalars.SIGMOID: "torch.sigmoid({0})",
    # functional.softplus is the identity from 20 on.
    scalars.SOFTPLUS: "torch.logaddexp({0}, torch.zeros(1, dtype=torch.{dtype}))",
    scalars.STEP: "({0} > 0).to(torch.{dtype})",
    scalars.FINITE: "torch.where(torch.isfinite({0}), {0}, 0)",
    scalars.MAX: "torch.maximum({0}, {1})",
    scalars.MIN: "torch.minimum({0}, {1})",
    scalars.EQUAL: "({0} == {1}).to(torch.{dtype})",
}

WINDOWS = '''
def windows(x, sizes):
    """What a filter of these sizes sees at each place: (…, n…) to (…, sizes…, places…)."""
    s = len(sizes)
    for i, k in enumerate(sizes):
        # What is left of the axis has the places of the windows; the axes of all windows come last.
        x = x.unfold(x.dim() - s - i, k, 1) if i == 0 else x.unfold(x.dim() - s, k, 1)
    front = x.dim() - 2 * s
    return x.permute(*range(front), *range(front + s, front + 2 * s), *range(front, front + s))
'''

OVERLAP_ADD = '''
def overlap_add(x, s):
    """The adjoint of windows along s axes: each window is added where it was taken from."""
    for i in range(s):
        parts = x.unbind(-s - 1)
        k = len(parts)
        x = sum(functional.pad(part, [0, 0] * i + [j, k - 1 - j]) for j, part in enumerate(parts))
    return x
'''


class TorchCode(PythonCode):
    """Python code that calls PyTorch."""

    function_names: Mapping[ScalarOp, str] = CALLS
    functions: Mapping[str, str] = {"windows": WINDOWS, "overlap_add": OVERLAP_ADD}

    def template(self, op: ScalarOp, args: Sequence[Expr]) -> str | None:
        """The template of a scalar operation that is a call, or ``None``."""
        bound = {scalars.MAX: "min", scalars.MIN: "max"}.get(op)
        if bound is not None:
            known = [x.number is not None for x in args]
            if known == [False, True]:
                return f"torch.clamp({{0}}, {bound}={{1}})"
            if known == [True, False]:
                return f"torch.clamp({{1}}, {bound}={{0}})"
        return self.function_names.get(op)

    def is_composed(self, e: Expr) -> bool:
        """Whether an expression is written by simpler operators: the mean of blocks of a signal is."""
        return isinstance(e.op, Pool) and e.rank > 4

    def length(self, x: str) -> str:
        """The length of the first axis."""
        # Tracing replaces len(x) by a number.
        return f"{x}.shape[0]"

    def stored(self, name: str) -> str:
        """A constant that is stored beside the weights."""
        return f"self.{name}"

    def stacked(self, rows: str, axis: int) -> str:
        """A list of arrays stacked along an axis."""
        return f"torch.stack({rows}, dim={axis})"

    def full(self, sizes: str, number: float) -> str:
        """An array of one number, of these sizes."""
        if not number and copysign(1, number) > 0:
            return f"torch.zeros({sizes}, dtype=torch.{self.dtype})"
        value = self.infinity(number) if abs(number) == inf else written(number)
        return f"torch.full(({sizes}{'' if ',' in sizes else ','}), {value}, dtype=torch.{self.dtype})"

    def array(self, text: str) -> str:
        """An array of a list."""
        return f"torch.tensor({text}, dtype=torch.{self.dtype})"

    def arange(self, n: int) -> str:
        """The numbers 0, …, n − 1."""
        return f"torch.arange({n}, dtype=torch.{self.dtype})"

    def where(self, condition: str, x: str, y: str) -> str:
        """X where the condition holds, else y."""
        return f"torch.where({condition}, {x}, {y})"

    def transpose(self, x: str, order: Sequence[int]) -> str:
        """The axes in another order."""
        return f"{x}.permute({', '.join(map(str, order))})"

    def expand(self, x: str, sizes: str) -> str:
        """An array broadcast to these sizes."""
        return f"{x}.expand({sizes})"

    def pad(self, x: str, widths: Sequence[tuple[int, int]], value: float) -> str:
        """The array with a margin."""
        # The last axis comes first, and those behind the last margin are left out.
        numbers = [n for pair in reversed(widths) for n in pair]
        while numbers[-2:] == [0, 0]:
            del numbers[-2:]
        filled = f", value={self.infinity(value) if abs(value) == inf else written(value)}" if value else ""
        return f"functional.pad({x}, {numbers}{filled})"

    def concat(self, arrays: str, axis: int) -> str:
        """Arrays one after the other."""
        return f"torch.cat(({arrays}), dim={axis})"

    def reduce(self, fold: Fold, x: str, axes: str, *, keeps: bool) -> str:
        """Axes combined; if they are kept, they have length 1."""
        name = {Fold.SUM: "sum", Fold.MAX: "amax", Fold.MEAN: "mean", Fold.ARGMAX: "argmax"}[fold]
        found = f"torch.{name}({x}, dim={axes}{', keepdim=True' if keeps else ''})"
        return f"{found}.to(torch.{self.dtype})" if fold is Fold.ARGMAX else found

    def integers(self, x: str) -> str:
        """An array of numbers as one of integers."""
        return f"{x}.long()"

    def normalise(self, function: Normalising, x: str) -> str:
        """``softmax`` and the like along the last axis."""
        keeps = ", keepdim=True" if function is Normalising.LOGSUMEXP else ""
        return f"torch.{function.value}({x}, dim=-1{keeps})"

    def convolve(self, signal: Expr, x: str, w: str) -> str:
        """The cross-correlation."""
        return f"functional.conv{signal.rank - 1}d({x}, {w})"

    def pool(self, fold: Fold, x: str, sizes: tuple[int, ...]) -> str:
        """The largest entry or the mean of each block."""
        kind = "max" if fold is Fold.MAX else "avg"
        return f"functional.{kind}_pool{len(sizes)}d({x}, {sizes}, ceil_mode=True)"

    def mean_over_batch(self, x: str) -> str:
        """The mean over the first axis."""
        return f"torch.mean({x}, dim=0)"

    def einsum(self, spec: str, x: str, y: str) -> str:
        """A sum of products."""
        return f"torch.einsum({spec!r}, {x}, {y})"


def class_name(name: str) -> str:
    """``GruDigit`` for ``gru_digit``."""
    words = [word for word in re.split(r"_+", name) if word]
    return "".join([word[0].upper() + word[1:] for word in words]) or "Net"


def _definition(code: TorchCode, exported: Exported) -> list[str]:
    """The definition of the module."""
    f = exported.function
    body, result, written = code.everything({w.parameter.name: w.parameter.name for w in f.weights})
    parameters = [f"{w.parameter.name} = nn.Parameter({_tensor(w.parameter.written)})" for w in f.weights]
    lines = [f"class {class_name(f.name)}(nn.Module):", f'    """{file.summary(exported)}"""', ""]
    if parameters or code.constants:
        lines += ["    def __init__(self):", "        super().__init__()"]
        lines += ['        weights = np.load(Path(__file__).with_suffix(".npz"))']
        lines += [f"        self.{line}" for line in parameters]
        lines += [f"        self.register_buffer({quoted(name)}, {_tensor(name)}, persistent=False)" for name in code.constants]
        lines += [""]
    lines += ["    @torch.no_grad()"] * bool(f.writes)
    lines += [f"    def forward({', '.join(['self', *[p.name for p in f.parameters]])}):", *file.docstring(f, 8)]
    lines += [*file.unpacked(f, {w.parameter.name: f"self.{w.parameter.name}" for w in f.weights}, 8), *body]
    return [*lines, *file.returned(result, written, (), 8)]


def _tensor(name: str) -> str:
    return f"torch.from_numpy(weights[{quoted(name)}])"


def _written(exported: Exported) -> Mapping[str, bytes]:
    code = TorchCode(exported.function, exported.precision, indent=2)
    definition = _definition(code, exported)
    imports = ["import numpy as np", "import torch", "from torch import nn"]
    if any("functional." in line for line in [*definition, *[code.functions[name] for name in code.auxiliary]]):
        imports += ["from torch.nn import functional"]
    return file.files(exported, code, TORCH.title, imports, (), definition)


TORCH = Target("torch", "PyTorch", ".py", _written)
