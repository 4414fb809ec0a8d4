"""A function as a ``.pt2`` file: what ``torch.export`` makes of its PyTorch module, for any number of samples."""

import io
from collections.abc import Mapping
from importlib import import_module
from importlib.util import module_from_spec, spec_from_file_location
from pathlib import Path
from tempfile import TemporaryDirectory
from types import ModuleType
from typing import Any

from rh_kernel.interchange.targets.target import Exported, Target
from rh_kernel.interchange.targets.torch_code import TORCH, class_name
from rh_kernel.source.diagnostic import KernelBug

STEM = "exported"
"""The name of the files that PyTorch traces."""

TRACED = 2
"""The number of samples with which the module is traced; one sample would be a special case."""


def _written(exported: Exported) -> Mapping[str, bytes]:
    torch: Any = import_module("torch")
    function = exported.function
    dtype = getattr(torch, exported.precision)
    samples = torch.export.Dim("b")
    examples = tuple([torch.zeros(*[TRACED] * p.batched, *p.shape, dtype=dtype) for p in function.parameters])
    dynamic = tuple([{0: samples} if p.batched else None for p in function.parameters])
    with TemporaryDirectory() as folder:
        for suffix, data in TORCH.write(exported).items():
            (Path(folder) / STEM).with_suffix(suffix).write_bytes(data)
        module = getattr(_imported(Path(folder) / f"{STEM}.py"), class_name(function.name))()
        program = torch.export.export(module, examples, dynamic_shapes=dynamic)
    file = io.BytesIO()
    torch.export.save(program, file)
    return {".pt2": file.getvalue()}


def _imported(file: Path) -> ModuleType:
    """The Python module of a file that was just written."""
    spec = spec_from_file_location(STEM, file)
    if spec is None or spec.loader is None:
        raise KernelBug("a file that was just written cannot be imported")
    found = module_from_spec(spec)
    spec.loader.exec_module(found)
    return found


PT2 = Target(
    "pt2",
    "PyTorch",
    ".pt2",
    _written,
    requires=("torch",),
    install="pip install torch",
    remark="to be loaded with torch.export.load",
)
