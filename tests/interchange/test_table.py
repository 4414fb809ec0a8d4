"""What the appendix says about exports of what is not a symbol: how it is expressed, or that it is refused."""

from __future__ import annotations

from dataclasses import replace
from importlib import import_module
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from rh_kernel.loops import scalars
from rh_kernel.primitives import array_expressions as ae
from rh_kernel.primitives import array_operators as ao
from rh_kernel.session.session import Session
from rh_kernel.source.diagnostic import Rejected
from tests.interchange.nets import NETS, Net
from tests.interchange.running import each, results_of, symbol_function, target_named
from tests.session.cells import codes, run

PROGRAM = """
op FC[l : Loc(m, n)] : Real(n) -> Real(m)
loc w : Real(2, 2) = ones
net open(x : Real(2)) : Real(2) = FC[w](x)
net generic[l : Loc(n, n)](x : Real(n)) : Real(n) = let v <= Get[l]() in return v @ x
fun sized(x : Real(n)) : Real(n) = x
"""


@pytest.mark.parametrize("target", each())
@pytest.mark.parametrize(("name", "code"), [("open", "RH201"), ("generic", "RH392"), ("sized", "RH392")])
def test_a_net_that_is_not_a_function_of_arrays_is_refused(name: str, code: str, target: str, tmp_path: Path) -> None:
    file = f"net{target_named(target).suffix}"
    results, _ = run(Session.start(tmp_path), f'{PROGRAM}\n%export {name} to "{file}" as {target}')
    assert codes(results) == [code]
    assert not [*tmp_path.iterdir()]


@pytest.mark.parametrize("target", each())
def test_an_operation_of_a_plugin_has_no_translation(target: str, tmp_path: Path) -> None:
    tan = replace(scalars.TANH, name="tan", c="tan{f}({0})")

    def translation(_: object, x: ao.Expr) -> ao.Expr:
        return ae.scalar(tan, x)

    function = symbol_function(translation, None, [(3,)], [True])
    with pytest.raises(Rejected) as failure:
        results_of(function, target_named(target), {}, [np.ones((2, 3))], tmp_path)
    (found,) = failure.value.diagnostics
    assert found.code == "RH391"
    assert found.message.startswith("`tan` cannot be expressed in")


EXPRESSED = {
    ("choices", "numpy"): "np.where(",
    ("choices", "jax"): "jnp.where(",
    ("choices", "torch"): "torch.where(",
    ("choices", "pt2"): "aten.where.",
    ("choices", "onnx"): " Where (",
    ("residual", "numpy"): "    for ",
    ("residual", "jax"): "lax.scan(",
    ("residual", "torch"): "        for ",
    ("residual", "pt2"): "aten.tanh.",
    ("residual", "onnx"): " Scan ",
}
"""Words in the files for nets of the library: the layers of `residual` are 12 rounds."""


@pytest.mark.parametrize("target", each())
@pytest.mark.parametrize("net", [net for net in NETS if net.name in {"choices", "residual"}], ids=lambda net: net.name)
def test_choices_and_loops_are_expressed_as_the_table_says(net: Net, target: str, tmp_path: Path) -> None:
    file = tmp_path / f"net{target_named(target).suffix}"
    results, _ = run(Session.start(tmp_path), f'{net.text}\n%export predict to "{file.name}" as {target}')
    assert not codes(results)
    count = code_of(file).count(EXPRESSED[net.name, target])
    assert count == 12 if (net.name, target) == ("residual", "pt2") else count > 0


def code_of(file: Path) -> str:
    """The text of a Python file, of the graph of a program, or of a model."""
    match file.suffix:
        case ".pt2":
            torch: Any = import_module("torch")
            return str(torch.export.load(file).graph)
        case ".onnx":
            onnx: Any = import_module("onnx")
            return onnx.printer.to_text(onnx.load(file))
        case _:
            return file.read_text(encoding="utf-8")
