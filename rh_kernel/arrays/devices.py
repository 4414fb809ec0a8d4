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
    """Why no GPU is usable, and what to do about it: two phrases without a full stop."""

    why: str
    mend: str


def gpu() -> GPU | MissingGPU:
    """Return the GPU that CuPy uses, or why there is none. Never raises."""
    if find_spec("cupy") is None:
        return MissingGPU("CuPy is not installed", "`pip install 'rh_kernel[gpu]'` installs it, for CUDA 13; then start anew")
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
        return MissingGPU("there is no driver for a graphics card of NVIDIA", "`nvidia-smi` tells of cards and their driver")
    if runtime.getDeviceCount() == 0:
        return MissingGPU("there is no graphics card that CUDA can use", "`nvidia-smi` lists those that the driver knows")
    nvrtc.getVersion()
    found = runtime.getDeviceProperties(cupy.cuda.Device().id)
    name = found["name"]
    return GPU(name.decode() if isinstance(name, bytes) else str(name), int(found["totalGlobalMem"]))


def _explain(problem: Exception) -> MissingGPU:
    """Explain a failure of CuPy."""
    words = " ".join(str(problem).split())
    if "InsufficientDriver" in words:
        return MissingGPU("the driver of the graphics card is too old for this CuPy", "`nvidia-smi` tells which CUDA it is for")
    if "NoDevice" in words:
        return MissingGPU("there is no graphics card that CUDA can use", "`nvidia-smi` lists those that the driver knows")
    if "nvrtc" in words.lower():
        return MissingGPU("the compiler for kernels, NVRTC, is not there", "`pip install 'cupy-cuda13x[ctk]'` brings it")
    why = words if len(words) <= 120 else f"{words[:119]}…"
    return MissingGPU(
        f"CuPy cannot be used ({why})" if why else "CuPy cannot be used", "`python -m cupyx.tools.gpu_info` may tell more"
    )
