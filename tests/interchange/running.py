"""Run exported files, each in the language that it was exported to."""

from __future__ import annotations

import importlib
import importlib.util
from collections.abc import Callable, Mapping, Sequence
from importlib import import_module
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from rh_kernel.arrays.stacks import places
from rh_kernel.interchange.functions import ArrayFunction, Parameter
from rh_kernel.interchange.targets.registry import TARGETS
from rh_kernel.interchange.targets.target import Exported, Target
from rh_kernel.interchange.targets.torch_code import class_name
from rh_kernel.loops.ir import Precision
from rh_kernel.loops.trees import Tree, leaves
from rh_kernel.primitives import array_operators as ao
from rh_kernel.primitives.contents import content
from rh_kernel.primitives.values import to_array
from rh_kernel.session.session import Session
from rh_kernel.syntax.core import Array, Term, Tuple
from rh_kernel.syntax.signature import Location

Results = tuple["list[Array]", Mapping[str, Array]]
"""The arrays of the result, and the new weights by name."""

Call = Callable[["Sequence[Array]", Mapping[str, Array]], Results]
"""A function of its arguments, and of the new weights of an earlier call."""


NEEDED = {"numpy": (), "jax": ("jax",), "torch": ("torch",), "pt2": ("torch",), "onnx": ("onnx", "onnxruntime")}
"""What it takes to run what was exported."""


def assert_close(target: str, found: Array, wanted: Array, tolerance: float = 0) -> None:
    """Compare what a target computed: to the tolerance that it has, or to the one that is given, if that is larger."""
    tolerance = max(target_named(target).tolerance, tolerance)
    assert found.shape == wanted.shape
    np.testing.assert_allclose(found, wanted, rtol=tolerance, atol=tolerance)


def arrays_of(V: Term) -> list[Array]:
    """The arrays in a value."""
    return [array for each in V.items for array in arrays_of(each)] if isinstance(V, Tuple) else [to_array(V)]


def available() -> list[str]:
    """The targets that can be run here."""
    return [t.name for t in TARGETS if all(importlib.util.find_spec(name) is not None for name in NEEDED[t.name])]


def each(*names: str) -> list[Any]:
    """The targets that can be run here, of these names if any are given; all but NumPy are in the slow tests."""
    found = [name for name in available() if not names or name in names]
    return [pytest.param(name, marks=[] if name == "numpy" else [pytest.mark.slow]) for name in found]


def target_named(name: str) -> Target:
    return next(target for target in TARGETS if target.name == name)


def results_of(
    function: ArrayFunction,
    target: Target,
    contents: Mapping[str, Array],
    inputs: Sequence[Array],
    folder: Path,
    precision: Precision = "float64",
) -> Results:
    """Write a function as files in a folder, and call it."""
    return exported(function, target, contents, folder, precision)(inputs, {})


def exported(
    function: ArrayFunction,
    target: Target,
    contents: Mapping[str, Array],
    folder: Path,
    precision: Precision = "float64",
) -> Call:
    """Write a function as files in a folder, and return what they define."""
    weights = {w: contents[w.parameter.written] for w in function.weights}
    made = target.write(Exported(function, weights, precision, "a test"))
    # Python may take a module for an earlier one of the same name, size and second.
    path = folder / f"{function.name}_{target.name}_{len([*folder.iterdir()])}.file"
    for suffix, data in made.items():
        path.with_suffix(suffix).write_bytes(data)
    return loaded(target, function, path.with_suffix(target.suffix))


def loaded(target: Target, function: ArrayFunction, file: Path) -> Call:
    """What a file defines, as a function of its arguments, and of new weights instead of those in the file."""
    match target.name:
        case "numpy" | "jax":
            code = module(file)

            def call(inputs: Sequence[Array], new: Mapping[str, Array]) -> Results:
                weights = [{**code.WEIGHTS, **new}] if new else []
                return parted(function, getattr(code, function.name)(*inputs, *weights))

        case "torch" | "pt2":
            torch: Any = import_module("torch")
            is_class = target.name == "torch"
            made = getattr(module(file), class_name(function.name))() if is_class else torch.export.load(file).module()

            def call(inputs: Sequence[Array], new: Mapping[str, Array]) -> Results:
                made.load_state_dict({name: torch.from_numpy(array) for name, array in new.items()}, strict=False)
                return parted(function, made(*map(torch.from_numpy, inputs)))

        case "onnx":
            session = started(file)

            def call(inputs: Sequence[Array], new: Mapping[str, Array]) -> Results:
                return run_model(function, session, inputs, new)

        case other:
            raise AssertionError(other)
    return call


def parted(function: ArrayFunction, found: Any) -> Results:
    """The arrays of a result, and the new weights, if there are any."""
    result, writes = found if function.writes else (found, {})
    return [to_numpy(array) for array in leaves(result)], {name: to_numpy(array) for name, array in writes.items()}


def to_numpy(array: Any) -> Array:
    """An array of any of the languages as one of NumPy."""
    return array.detach().numpy() if hasattr(array, "detach") else np.asarray(array)


def run_model(function: ArrayFunction, session: Any, inputs: Sequence[Array], new: Mapping[str, Array]) -> Results:
    """Run an ONNX model."""
    names = [value.name for value in session.get_inputs()]
    given = {**dict(zip(names, inputs, strict=True)), **new}
    found = session.run(None, {name: np.asarray(array, np.float32) for name, array in given.items()})
    count = len(found) - len(function.writes)
    return found[:count], {w.parameter.written: array for (w, _), array in zip(function.writes, found[count:], strict=True)}


def started(file: Path) -> Any:
    """ONNX Runtime with a model, which has to be valid."""
    onnx, runtime = importlib.import_module("onnx"), importlib.import_module("onnxruntime")
    onnx.checker.check_model(onnx.load(file), full_check=True)
    options = runtime.SessionOptions()
    # Otherwise it would warn of weights that may be given, which it cannot treat as constants.
    options.log_severity_level = 3
    return runtime.InferenceSession(file, options, providers=["CPUExecutionProvider"])


def module(file: Path) -> Any:
    """Import a Python file."""
    spec = importlib.util.spec_from_file_location(file.stem, file)
    assert spec is not None
    assert spec.loader is not None
    made = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(made)
    return made


def symbol_function(translation: Any, f: Any, shapes: Sequence[tuple[int, ...]], batched: Sequence[bool]) -> ArrayFunction:
    """A function that is one symbol."""
    parameters = tuple(
        Parameter(f"x{i}", f"x{i}", shape, flag) for i, (shape, flag) in enumerate(zip(shapes, batched, strict=True), 1)
    )
    result: Tree[ao.Expr] = translation(f, *[p.variable for p in parameters])
    return ArrayFunction("f", parameters, (), (), result, ())


def stacked(session: Session, location: Location) -> Array:
    """The content of a location, or of several that are stacked."""
    found = [content(session.heap, each) for each in places(location)]
    arrays = [array for array in found if array is not None]
    return arrays[0] if places(location) == (location,) else np.stack(arrays)


def by_written_name(function: ArrayFunction, writes: Mapping[str, Array]) -> dict[str, Array]:
    """New weights by the names of their locations."""
    names = {name: w.parameter.written for w in function.weights for name in (w.parameter.name, w.parameter.written)}
    return {names[name]: array for name, array in writes.items() if name in names}
