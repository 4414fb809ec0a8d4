"""Devices that a plan can run on, and detection of the GPU."""

from dataclasses import dataclass
from importlib import import_module
from importlib.util import find_spec
from typing import Any, TypeAlias
from typing import Literal as OneOf

Device: TypeAlias = OneOf["cpu", "gpu"]


@dataclass(frozen=True, slots=True)
class GPU:
    """A usable GPU: its name, and its memory in bytes."""

    name: str
    memory: int

    @property
    def text(self) -> str:
        """``NVIDIA H200, 139 GiB``"""
        return f"{self.name}, {self.memory / 2**30:.0f} GiB"


@dataclass(frozen=True, slots=True)
class MissingGPU:
    """Why no GPU is usable, and how to fix that: two phrases without a full stop."""

    why: str
    fix: str


_NO_GPU = MissingGPU("there is no GPU that CUDA can use", "`nvidia-smi` lists the GPUs that the driver knows")


def gpu() -> GPU | MissingGPU:
    """Return the GPU that CuPy uses, or why there is none. Never raises."""
    if find_spec("cupy") is None:
        how = "`pip install 'rh_kernel[gpu]'` installs it, for CUDA 13; then restart the kernel"
        return MissingGPU("CuPy is not installed", how)
    try:
        return _query()
    except (ImportError, OSError, RuntimeError) as problem:
        return _explain(problem)


def _query() -> GPU | MissingGPU:
    """Query the driver, and whether the compiler for kernels is available."""
    cupy: Any = import_module("cupy")
    nvrtc: Any = import_module("cupy_backends.cuda.libs.nvrtc")
    runtime = cupy.cuda.runtime
    if runtime.driverGetVersion() == 0:
        return MissingGPU("there is no NVIDIA driver", "`nvidia-smi` shows the GPUs and their driver")
    if runtime.getDeviceCount() == 0:
        return _NO_GPU
    nvrtc.getVersion()
    found = runtime.getDeviceProperties(cupy.cuda.Device().id)
    name = found["name"]
    return GPU(name.decode() if isinstance(name, bytes) else str(name), int(found["totalGlobalMem"]))


def _explain(problem: Exception) -> MissingGPU:
    """Explain a failure of CuPy."""
    words = " ".join(str(problem).split())
    if "InsufficientDriver" in words:
        return MissingGPU("the GPU driver is too old for this CuPy", "`nvidia-smi` shows the CUDA version that it supports")
    if "NoDevice" in words:
        return _NO_GPU
    if "nvrtc" in words.lower():
        how = "`pip install 'cupy-cuda13x[ctk]'` installs it"
        return MissingGPU("NVRTC, the compiler for CUDA kernels, is not installed", how)
    why = words if len(words) <= 120 else f"{words[:119]}…"
    return MissingGPU(
        f"CuPy cannot be used ({why})" if why else "CuPy cannot be used", "`python -m cupyx.tools.gpu_info` may show why"
    )
