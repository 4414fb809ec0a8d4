"""What a net becomes in other array languages: one step of training, and the symbols that each of them has."""

from collections.abc import Mapping
from pathlib import Path
from tempfile import TemporaryDirectory

from lessons.reference.diagnostics import heading
from lessons.reference.markdown import link
from lessons.reference.running import run, start
from rh_kernel.interchange.targets.registry import TARGETS
from rh_kernel.interchange.targets.target import Target
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

NAMES = tuple(target.name for target in TARGETS)

CONSTRUCTS: tuple[tuple[str, Mapping[str, str]], ...] = (
    ("`rd[f]`, `W.rd(x. N)(V)`, `rev handle`", dict.fromkeys(NAMES, "formulas")),
    (
        "`if` (both branches are computed)",
        {"numpy": "`np.where`", "jax": "`jnp.where`", "torch": "`torch.where`", "pt2": "`aten.where`", "onnx": "`Where`"},
    ),
    ("`map` without a `scan` in it", dict.fromkeys(NAMES, "all rounds at once")),
    (
        "`repeat`, `scan`",
        {"numpy": "`for`", "jax": "`lax.scan`", "torch": "`for`", "pt2": "round by round", "onnx": "`Scan`"},
    ),
    ("`Normal`, `Uniform`", dict.fromkeys(NAMES, "an argument")),
    (
        "`Get`",
        {"numpy": "`weights`", "jax": "`weights`", "torch": "`nn.Parameter`", "pt2": "a parameter", "onnx": "an initialiser"},
    ),
    ("`Put`", {**dict.fromkeys(NAMES, "a second result"), "onnx": "an output"}),
)
"""What is not a symbol, and what it is in each language."""

REFUSED = (
    ("an operation that no handler handles", "RH201"),
    ("locations or sizes as parameters", "RH392"),
    ("a symbol of a plug-in without a translation", "RH391"),
)
"""What none of the languages can express, and the error."""


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
    """What each language gives for the symbols of each family, and for what is not a symbol."""
    lines = [f"| | {' | '.join([_title(target) for target in TARGETS])} |", f"|---{'|---' * len(TARGETS)}|"]
    for family in FAMILIES:
        listed = " ".join([f"`{symbol.name}`" for symbol in family.symbols if symbol.translation or symbol.decomposition])
        lines.append(_row(listed, {target.name: f"{target.tolerance:g}" for target in TARGETS}))
    lines += [_row(what, cells) for what, cells in CONSTRUCTS]
    lines += [_row(what, {target.name: f"refused, {_link(code)}" for target in TARGETS}) for what, code in REFUSED]
    return "\n".join(lines)


def _title(target: Target) -> str:
    return target.title if [t.title for t in TARGETS].count(target.title) == 1 else f"{target.title}, `{target.suffix}`"


def _row(what: str, cells: Mapping[str, str]) -> str:
    return f"| {what} | {' | '.join([cells[target.name] for target in TARGETS])} |"


def _link(code: str) -> str:
    return link(heading(code), code, "errors.md")
