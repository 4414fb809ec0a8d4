"""Reading a graph of ONNX, node by node in its order."""

import warnings
from collections.abc import Mapping, Sequence
from importlib import import_module
from pathlib import Path

import numpy as np

from rh_kernel.interchange.errors import BadModel, NoSampleAxis
from rh_kernel.interchange.model import Model, Numbers
from rh_kernel.interchange.sources import example as examples
from rh_kernel.interchange.sources import markers
from rh_kernel.interchange.sources.builder import Builder, Known, Operand, Tensor, Unsupported
from rh_kernel.interchange.sources.libraries import Untyped
from rh_kernel.interchange.sources.loops import Loop, looped
from rh_kernel.interchange.sources.onnx.arrays import is_table
from rh_kernel.interchange.sources.onnx.constants import FOLDED, MOVES, biases, folded, is_mask, weights
from rh_kernel.interchange.sources.onnx.file import array, onnx_library, open_model
from rh_kernel.interchange.sources.onnx.loops import numbers_rows, outside, scan_of
from rh_kernel.interchange.sources.onnx.operations import OPERATIONS, REFUSED, OnnxNode
from rh_kernel.interchange.sources.refusals import WRONG, Refusals, shown
from rh_kernel.source.diagnostic import Rejected

DOMAINS = ("", "ai.onnx")


def read_onnx(
    file: Path, example: Mapping[str, Untyped] | None = None, *, batch: bool = True, results: Sequence[str] = ()
) -> Model:
    """Read an ``.onnx`` file. Raises ``Rejected``, which names all operations that have no counterpart.

    ``example`` gives arrays for inputs by their names; for the others numbers are drawn. The first axis of each input is that
    of samples: it has the length 1 or no fixed one, and is left out in the program. With ``batch=False`` the model takes a
    sample as such. ``results`` names the results that are wanted, by default all.
    """
    model = open_model(file)
    reader = Reader(model, shown(file.name), example or {}, batch=batch, results=results)
    return markers.without_markers(reader.read(file.stem), reader.builder, reader.refusals)


class Reader:
    """A graph, and the values that its nodes have given so far."""

    def __init__(
        self, model: Untyped, file: str, example: Mapping[str, Untyped], *, batch: bool, results: Sequence[str] = ()
    ) -> None:
        self.onnx = onnx_library()
        self.model, self.graph, self.file = model, model.graph, file
        self.example, self.batch, self.results = example, batch, results
        self.builder, self.refusals = Builder(), Refusals()
        self.values: dict[str, Tensor | Known | None] = {}
        self.weights = weights(model)
        self.biases = biases(model.graph)
        self.opset = next(entry.version for entry in model.opset_import if entry.domain in DOMAINS)

    def read(self, name: str) -> Model:
        """Return the model. Raises ``Rejected``."""
        for tensor in self.graph.initializer:
            self._define(tensor.name, self._initialiser(tensor))
        given = {entry.name: self._example(entry) for entry in self.graph.input if entry.name not in self.values}
        if unknown := [n for n in self.example if n not in given]:
            raise self._bad(f"there is no input `{shown(unknown[0])}`", found=", ".join([shown(n) for n in given]))
        inputs, tensors = examples.inputs(self.builder, list(given.items()), batch=self.batch)
        for key, tensor in zip(given, tensors, strict=True):
            self._define(key, tensor)
        wanted = self._wanted()
        shapes, self.whole = self._inferred(given)
        for node in self._needed(wanted):
            self._node(node, shapes)
        self.refusals.check()
        missing = [n for n in wanted if self.values.get(n) is None]
        if missing:
            raise self._bad(f"no node gives its result `{shown(missing[0])}`")
        operands = [self.values[n] for n in wanted]
        expected = self._run(given, wanted)
        outputs = examples.outputs(self.builder, [x for x in operands if x is not None], expected, batch=self.batch)
        dtypes = [x.dtype for x in (*given.values(), *expected)]
        floats = [dtype for dtype in dtypes if np.issubdtype(dtype, np.floating)] or [np.dtype(np.float32)]
        nodes = tuple(self.builder.nodes)
        return Model(name, f"The model {self.file} of ONNX", tuple(inputs), nodes, outputs, examples.tolerance(floats))

    def _bad(self, why: str, *, found: str = "", hint: str = "") -> Rejected:
        return Rejected(BadModel(name=self.file, why=why, found=found, hint=hint or BadModel.hint))

    def _define(self, name: str, value: Tensor | Known | None) -> None:
        if name in self.values:
            raise self._bad(f"two values have the name `{shown(name)}`")
        self.values[name] = value

    def _example(self, entry: Untyped) -> Numbers:
        """Return the example for an input, drawn if none is given."""
        if not entry.type.HasField("tensor_type"):
            raise self._bad(f"its input `{shown(entry.name)}` is not a tensor")
        kind = entry.type.tensor_type
        if kind.elem_type not in self.onnx.TensorProto.DataType.values() or kind.elem_type in (0, self.onnx.TensorProto.STRING):
            raise self._bad(f"its input `{shown(entry.name)}` has no numbers")
        dtype = self.onnx.helper.tensor_dtype_to_np_dtype(kind.elem_type)
        if dtype.kind not in "fiub":
            raise self._bad(f"its input `{shown(entry.name)}` has the type {dtype}", hint="use real numbers")
        if entry.name in self.example:
            return np.asarray(self.example[entry.name], dtype)
        if not kind.HasField("shape"):
            raise self._bad(f"its input `{shown(entry.name)}` has no shape", hint="give an example for it in Python")
        sizes = [d.dim_value if d.HasField("dim_value") else -1 for d in kind.shape.dim]
        if self.batch and sizes and sizes[0] == -1:
            sizes[0] = 1
        if self.batch and sizes[:1] != [1]:
            why = f"the first axis of the input `{shown(entry.name)}` is not that of samples"
            found = f"its length is {sizes[0]}" if sizes else "it has no axes"
            raise Rejected(
                NoSampleAxis(why=why, found=found, hint="export the model for one sample, or for any number of them")
            )
        if any(n < 0 for n in sizes):
            raise self._bad(
                f"an axis of its input `{shown(entry.name)}` has no fixed length",
                hint=f'give an example for it in Python: import_onnx("{self.file}", {{"{shown(entry.name)}": array}})',
            )
        if any(n > 2**31 for n in sizes) or np.prod(sizes, dtype=float) > examples.MOST_ENTRIES:
            raise self._bad(f"its input `{shown(entry.name)}` has {np.prod(sizes, dtype=float):.0e} numbers")
        if np.issubdtype(dtype, np.floating) and not numbers_rows(self.graph, entry.name):
            return np.random.default_rng(0).standard_normal(sizes).round(2).astype(dtype)
        return (np.arange(int(np.prod(sizes))) % 2).reshape(sizes).astype(dtype)

    def _wanted(self) -> list[str]:
        names = [entry.name for entry in self.graph.output]
        for name in self.results:
            if name not in names:
                listed = ", ".join([shown(n) for n in names])
                raise self._bad(f"it has no result `{shown(name)}`", found=listed)
        if not names:
            raise self._bad("it has no results")
        return list(self.results) or names

    def _needed(self, wanted: Sequence[str]) -> list[Untyped]:
        """Return the nodes on which the wanted results depend. Raises ``Rejected`` if one uses what no node before it gives."""
        places: dict[str, int] = {}
        for k, node in enumerate(self.graph.node):
            for name in node.output:
                if name and (name in places or name in self.values):
                    raise self._bad(f"two values have the name `{shown(name)}`")
                places[name] = k
        needed: set[int] = set()
        names = list(wanted)
        while names:
            name = names.pop()
            k = places.get(name)
            if k is None or k in needed or not name:
                continue
            needed.add(k)
            node = self.graph.node[k]
            for used in (*node.input, *outside(node)):
                if used and used not in self.values and places.get(used, k) >= k:
                    what = f"the node `{shown(node.name or node.op_type)}` uses `{shown(used)}`"
                    why = "which only comes behind it: the graph has a cycle, or is not in order"
                    raise self._bad(f"{what}, {why if used in places else 'which is neither given nor computed'}")
                names.append(used)
        return [self.graph.node[k] for k in sorted(needed)]

    def _inferred(self, given: Mapping[str, Numbers]) -> tuple[dict[str, tuple[int, ...]], set[str]]:
        """Return the shapes that the library infers, for the results of refused operations, and the values of whole numbers."""
        copy = self.onnx.ModelProto()
        copy.CopyFrom(self.model)
        for entry in copy.graph.input:
            if entry.name in given:
                for axis, n in zip(entry.type.tensor_type.shape.dim, given[entry.name].shape, strict=False):
                    axis.dim_value = n
        try:
            inferred = self.onnx.shape_inference.infer_shapes(copy)
        except (RuntimeError, ValueError, TypeError, self.onnx.shape_inference.InferenceError):
            return {}, set()
        found: dict[str, tuple[int, ...]] = {}
        for entry in (*inferred.graph.value_info, *inferred.graph.output):
            sizes = [d.dim_value if d.HasField("dim_value") else -1 for d in entry.type.tensor_type.shape.dim]
            if -1 not in sizes:
                found[entry.name] = tuple(sizes)
        typed = (*inferred.graph.value_info, *inferred.graph.output, *inferred.graph.input)
        kinds = [(entry.name, entry.type.tensor_type.elem_type) for entry in typed]
        return found, {name for name, kind in kinds if kind in self._whole_types()}

    def _whole_types(self) -> set[int]:
        kinds = self.onnx.TensorProto.DataType
        return {kinds.Value(f"{sign}INT{bits}") for sign in ("", "U") for bits in (8, 16, 32, 64)}

    def _node(self, node: Untyped, shapes: Mapping[str, tuple[int, ...]]) -> None:
        given = [self.values.get(name) if name else None for name in node.input]
        place = node.name or next(iter(node.output), node.op_type)
        name = node.op_type if node.domain in DOMAINS else f"{node.domain}.{node.op_type}"
        found: Sequence[Untyped] = ()
        self.builder.place = (name, place)
        try:
            if any(value is None for value, n in zip(given, node.input, strict=True) if n) and name in OPERATIONS:
                found = self._instead(node, shapes)
            else:
                found = self._results(node, name, given)
        except Unsupported as refused:
            self.refusals.add(name, place, refused.why, refused.instead)
            found = self._instead(node, shapes)
        except WRONG as failure:
            self.refusals.add_wrong(name, place, failure)
            found = self._instead(node, shapes)
        for output, value in zip(node.output, [*found, *[None] * len(node.output)], strict=False):
            if output:
                self.values[output] = value

    def _results(self, node: Untyped, name: str, given: Sequence[Untyped]) -> Sequence[Untyped]:
        if name == "Scan":
            return self._looped(node, given)
        if any(a.HasField("g") or a.graphs for a in node.attribute):
            raise Unsupported("it has a graph of its own", "export the model without control flow")
        attributes = {a.name: _attribute(self.onnx, a) for a in node.attribute}
        call = OnnxNode(tuple(given), attributes, self.opset, len(node.output))
        is_known = all(isinstance(x, Known) or x is None for x in given) and (name in FOLDED or name in OPERATIONS)
        if is_known and not (name == "Gather" and is_table(call)):
            return self._folded(node, [x for x in given if x is None or isinstance(x, Known)])
        if name == "Div" and node.input[0] in self.whole:
            raise Unsupported("it divides whole numbers, and leaves out what is left over", "divide real numbers")
        if name == "Shape" and isinstance(given[0], Tensor):
            low, high = attributes.get("start", 0), attributes.get("end")
            return [Known(np.array(given[0].shape[low:high], np.int64), "shape", is_learned=False)]
        if name == "Size" and isinstance(given[0], Tensor):
            return [Known(np.array(np.prod(given[0].shape), np.int64), "size", is_learned=False)]
        if name not in OPERATIONS:
            raise Unsupported(*REFUSED.get(name, ("there is no counterpart", "")))
        result = OPERATIONS[name](self.builder, call)
        return result if isinstance(result, list) else [result]

    def _folded(self, node: Untyped, given: Sequence[Known | None]) -> list[Known]:
        """Compute what does not depend on the inputs; a parameter whose entries only move remains one."""
        arrays = [None if x is None else x.array for x in given]
        values = folded(self.onnx, node, arrays, self.opset)
        first = given[0] if given else None
        if first is None or not first.is_learned or node.op_type not in MOVES:
            return [Known(v, node.output[0], is_learned=False) for v in values]
        is_cast = node.op_type == "Cast"
        moved = [first.numbers] if is_cast else folded(self.onnx, node, [first.numbers, *arrays[1:]], self.opset)
        return [Known(v, first.name, is_learned=True, places=places) for v, places in zip(values, moved, strict=True)]

    def _looped(self, node: Untyped, given: Sequence[Untyped]) -> Sequence[Untyped]:
        """Read a ``Scan``: its graph is read for each round that is written."""
        scan = scan_of(self.onnx, node, given, self.opset)

        def one(states: Sequence[Operand], rows: Sequence[Operand]) -> tuple[Sequence[Operand], Sequence[Operand]]:
            outer = self.values
            self.values = dict(outer)
            for tensor in scan.body.initializer:
                self.values[tensor.name] = self._initialiser(tensor)
            self.values.update(zip([entry.name for entry in scan.body.input], (*states, *rows), strict=True))
            for inner in scan.body.node:
                self._node(inner, {})
            made = [self.values.get(entry.name) for entry in scan.body.output]
            self.values = outer
            found = [x for x in made if x is not None]
            if len(found) < len(made):
                raise Unsupported("an operation in its graph cannot be imported")
            return found[: len(states)], found[len(states) :]

        return looped(self.builder, Loop(scan.count, scan.initial, scan.rows, scan.results, one), batch=self.batch)

    def _initialiser(self, tensor: Untyped) -> Known:
        content = array(self.onnx, tensor)
        is_real = bool(np.issubdtype(content.dtype, np.floating))
        if self.weights is not None:
            return Known(content, tensor.name, is_learned=is_real and tensor.name in self.weights)
        may_be = content.size > 1 or tensor.name in self.biases
        return Known(content, tensor.name, is_learned=is_real and may_be and not is_mask(content))

    def _instead(self, node: Untyped, shapes: Mapping[str, tuple[int, ...]]) -> list[Tensor | None]:
        """Return values in the place of the results of a refused operation, where their shapes are known."""

        def made(name: str) -> Tensor | None:
            shape = shapes.get(name)
            if shape is None:
                return None
            batch = 0 if self.batch and shape[:1] == (1,) else None
            there = shape[1:] if batch == 0 else shape
            return Tensor(self.builder.variable(there or (1,)), shape, batch)

        return [made(name) for name in node.output]

    def _run(self, given: Mapping[str, Numbers], wanted: Sequence[str]) -> list[Numbers]:
        """Return what ONNX Runtime computes for the example, or else the reference evaluator of ONNX."""
        copy = self.onnx.ModelProto()
        copy.CopyFrom(self.model)
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            try:
                onnxruntime = import_module("onnxruntime")
                options = onnxruntime.SessionOptions()
                options.log_severity_level, options.intra_op_num_threads = 4, 1
                session: Untyped = onnxruntime.InferenceSession(
                    copy.SerializeToString(), options, providers=["CPUExecutionProvider"]
                )
            except Exception:
                session = import_module("onnx.reference").ReferenceEvaluator(copy)
            try:
                return [np.asarray(x) for x in session.run(list(wanted), dict(given))]
            except Exception as failure:
                raise self._bad(f"it cannot be run: {shown(str(failure).split(chr(10))[0])}") from None


def _attribute(onnx: Untyped, attribute: Untyped) -> Untyped:
    if attribute.HasField("t"):
        return array(onnx, attribute.t)
    value = onnx.helper.get_attribute_value(attribute)
    if isinstance(value, bytes):
        return value.decode("utf-8", "replace")
    if isinstance(value, int | float | str):
        return value
    return [x.decode("utf-8", "replace") if isinstance(x, bytes) else x for x in value]
