"""What a net becomes in other array languages: one step of training, and the symbols that each of them has."""

from collections.abc import Mapping
from pathlib import Path
from tempfile import TemporaryDirectory

from lessons.reference.running import run, start
from rh_kernel.interchange.targets.onnx_graph import TOLERANCE
from rh_kernel.primitives.table import FAMILIES
from rh_kernel.source.diagnostic import KernelBug

PROGRAM = """
op FC[l : Loc(m, n)] : Real(n) -> Real(m)
loc w0 : Real(3, 2) = glorot(seed=0)
loc w1 : Real(1, 3) = glorot(seed=1)
net model(x : Real(2)) : Real(1) = let h <= FC[w0](x) in FC[w1](swish(h))
handler sgd(alpha : Real, t : Real(k)) : rev handler(Real(k)) = {
  return x -> return alpha * (x - t)
  FC[l](x) -> let w <= Get[l]() in return (w @ x, (w, x))
    | y, z -> let (w, x) <- z in
              let _ <= Put[l](w - outer(y, x)) in
              return w^T @ y
}
net step[t : Real(1)](x : Real(2)) : Real(2) = rev handle (x) <x>. model(x) with sgd(0.1, t)
"""
"""The program of the page "Coming from PyTorch or JAX", with its net and handler on fewer lines."""

SHOWN: Mapping[str, str] = {"numpy": "def step", "jax": "@jax.jit", "torch": "class Step"}
"""The targets, and how the definition begins in each of their files."""


def step_part() -> str:
    """The step of the program in each of the languages that can be read."""
    with TemporaryDirectory() as folder:
        written = "\n".join([f'%export step to "{folder}/{target}.py" as {target}' for target in SHOWN])
        if run(PROGRAM + written, start(Path(folder))).diagnostics:
            raise KernelBug("the program of the page cannot be exported")
        texts = {target: (Path(folder) / f"{target}.py").read_text(encoding="utf-8") for target in SHOWN}
    names = {"numpy": "NumPy", "jax": "JAX", "torch": "PyTorch"}
    return "\n\n".join([f"**{names[t]}**\n\n```python\n{_definition(text, SHOWN[t])}\n```" for t, text in texts.items()])


def _definition(text: str, begin: str) -> str:
    return text[text.index(begin) :].rstrip()


def symbols_part() -> str:
    """The symbols by family, and how closely each language agrees."""
    lines = ["| function symbols | NumPy, JAX, PyTorch | ONNX |", "|---|---|---|"]
    for family in FAMILIES:
        listed = " ".join([f"`{symbol.name}`" for symbol in family.symbols if symbol.translation or symbol.decomposition])
        lines.append(f"| {listed} | to 12 digits | to about {TOLERANCE:g}, in float32 |")
    return "\n".join(lines)
