"""Opening an ``.onnx`` file: what it declares is checked before it is allocated, and nothing outside its folder is read."""

from collections.abc import Iterator
from math import prod
from pathlib import Path

import numpy as np

from rh_kernel.interchange.errors import BadModel
from rh_kernel.interchange.sources.libraries import Untyped, library
from rh_kernel.interchange.sources.refusals import shown
from rh_kernel.source.diagnostic import Rejected
from rh_kernel.training.errors import NoSuchFile

LARGEST = 2 * 1024**3
"""The largest file that is read, in bytes: the format has this limit."""
OLDEST_OPSET = 9
_PACKED = {"INT4", "UINT4", "FLOAT4E2M1", "INT2", "UINT2"}


def onnx_library() -> Untyped:
    """Return the module ``onnx``. Raises ``Rejected`` if it is not installed."""
    return library("import_onnx", "onnx", "onnx.numpy_helper", "onnx.shape_inference")


def open_model(file: Path) -> Untyped:
    """Return the model in a file, with the contents of other files of its folder in it. Raises ``Rejected``."""
    onnx = onnx_library()
    name = shown(file.name)
    try:
        size = file.stat().st_size
        if not file.is_file():
            raise _bad(name, "it is not a file")
        if size > LARGEST:
            raise _bad(
                name, f"it has {size:,} bytes", hint=f"at most {LARGEST:,} can be read; keep the weights in a file beside it"
            )
        data = file.read_bytes()
    except (OSError, ValueError):
        raise Rejected(
            NoSuchFile(name=name, hint="paths are relative to the notebook, or to the folder where `rh import` runs")
        ) from None
    model = onnx.ModelProto()
    try:
        model.ParseFromString(data)
    except Exception as failure:  # the class of the error depends on the implementation of protobuf
        if not type(failure).__module__.startswith("google."):
            raise
        raise _bad(name, "it is not complete, or in another format", expected="a file written by onnx.save") from None
    if not model.HasField("graph") or not (model.graph.node or model.graph.output):
        raise _bad(name, "there is no graph in it", expected="a file written by onnx.save")
    if any(isinstance(text, bytes) for text in _texts(model)):
        raise _bad(name, "a name in it is not text in UTF-8")
    _check_versions(onnx, model, name)
    for tensor in tensors(model.graph):
        _embed(onnx, tensor, file.parent, name)
        _check_size(onnx, tensor, name)
    return model


def _texts(message: Untyped) -> Iterator[Untyped]:
    """Yield the names and other texts of a message; those that are not UTF-8 are bytes."""
    for field, value in message.ListFields():
        values = [value] if isinstance(value, str | bytes) or hasattr(value, "ListFields") else value
        if field.type == field.TYPE_MESSAGE:
            for inner in values:
                yield from _texts(inner)
        elif field.type == field.TYPE_STRING:
            yield from values


def tensors(graph: Untyped) -> Iterator[Untyped]:
    """Yield the arrays of a graph: its initialisers, and those of its nodes."""
    yield from graph.initializer
    for node in graph.node:
        for attribute in node.attribute:
            if attribute.HasField("t"):
                yield attribute.t
            yield from attribute.tensors


def _bad(name: str, why: str, *, found: str = "", expected: str = "", hint: str = "") -> Rejected:
    return Rejected(BadModel(name=name, why=why, found=found, expected=expected, hint=hint or BadModel.hint))


def _check_versions(onnx: Untyped, model: Untyped, name: str) -> None:
    versions = {entry.domain: entry.version for entry in model.opset_import}
    version = versions.get("", versions.get("ai.onnx"))
    newest = onnx.defs.onnx_opset_version()
    if version is None:
        raise _bad(name, "it does not say which version of the operations it uses", expected="an operator set ai.onnx")
    if not OLDEST_OPSET <= version <= newest:
        expected = f"a version from {OLDEST_OPSET} to {newest}"
        hint = "convert it with onnx.version_converter, or install a newer onnx"
        raise _bad(name, f"it uses version {version} of the operations", expected=expected, hint=hint)
    if model.graph.sparse_initializer:
        raise _bad(name, "it has sparse arrays", hint="export it with dense ones")
    if len(model.functions):
        raise _bad(name, "it declares functions of its own", hint="inline them with onnx.inliner")


def _embed(onnx: Untyped, tensor: Untyped, folder: Path, name: str) -> None:
    """Read the content of an array from the file in the same folder, or below, that it names."""
    if tensor.data_location != onnx.TensorProto.EXTERNAL:
        return
    facts = {entry.key: entry.value for entry in tensor.external_data}
    location = facts.get("location", "")
    what = f"the content of `{shown(tensor.name)}` is in `{shown(location)}`"
    hint = "put it into the folder of the model, or below"
    if not location or "\0" in location or Path(location).is_absolute() or ".." in Path(location).parts or "\\" in location:
        raise _bad(name, f"{what}, outside of its folder", hint=hint)
    place = (folder / location).resolve()
    if not place.is_relative_to(folder.resolve()):
        raise _bad(name, f"{what}, outside of its folder", hint=hint)
    if not place.is_file():
        raise _bad(name, f"{what}, and there is no such file", hint=hint)
    try:
        offset, length = int(facts.get("offset", "0") or "0"), int(facts.get("length", "-1") or "-1")
    except ValueError:
        raise _bad(name, f"{what}, at a place that is not a number") from None
    size, needed = place.stat().st_size, _bytes(onnx, tensor, name)
    if offset < 0 or offset + needed > size or length not in (-1, needed):
        found = f"{size:,} bytes in the file, {needed:,} from {offset:,} on are needed"
        raise _bad(name, f"{what}, which does not have it", found=found)
    with place.open("rb") as stream:
        stream.seek(offset)
        tensor.raw_data = stream.read(needed)
    tensor.data_location = onnx.TensorProto.DEFAULT
    del tensor.external_data[:]


def _bytes(onnx: Untyped, tensor: Untyped, name: str) -> int:
    if tensor.data_type not in onnx.TensorProto.DataType.values() or tensor.data_type == onnx.TensorProto.UNDEFINED:
        raise _bad(name, f"`{shown(tensor.name)}` has an unknown type")
    kind = onnx.TensorProto.DataType.Name(tensor.data_type)
    if kind in _PACKED or kind in {"STRING", "COMPLEX64", "COMPLEX128"} or kind.startswith("FLOAT8"):
        raise _bad(name, f"`{shown(tensor.name)}` has the type {kind}", expected="real numbers of at least 8 bits")
    if any(n < 0 for n in tensor.dims):
        raise _bad(name, f"`{shown(tensor.name)}` has a negative size")
    return prod(tensor.dims) * onnx.helper.tensor_dtype_to_np_dtype(tensor.data_type).itemsize


def _check_size(onnx: Untyped, tensor: Untyped, name: str) -> None:
    """Raise ``Rejected`` unless an array has as many numbers as its shape says, before any is made."""
    if tensor.data_type == onnx.TensorProto.STRING:
        return
    needed = _bytes(onnx, tensor, name)
    entries = prod(tensor.dims)
    stored = [len(f) for f in (tensor.float_data, tensor.int32_data, tensor.int64_data, tensor.double_data, tensor.uint64_data)]
    if tensor.HasField("raw_data") and len(tensor.raw_data) == needed:
        return
    if not tensor.HasField("raw_data") and max(stored) == sum(stored) == entries:
        return
    found = f"{len(tensor.raw_data):,} bytes" if tensor.HasField("raw_data") else f"{sum(stored):,} numbers"
    shape = " × ".join([str(n) for n in tensor.dims]) or "1"
    raise _bad(name, f"the content of `{shown(tensor.name)}` does not have its shape", found=found, expected=f"{shape} numbers")


def array(onnx: Untyped, tensor: Untyped) -> np.ndarray[Untyped, Untyped]:
    """Return the content of an array whose size has been checked."""
    found = np.asarray(onnx.numpy_helper.to_array(tensor))
    return found if found.dtype.kind in "fiub" else found.astype(np.float32)
