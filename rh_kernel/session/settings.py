"""The settings of a session (LANGUAGE §4–§6): an immutable value, so a cell that fails does not change them."""

from dataclasses import replace
from enum import Enum
from typing import TYPE_CHECKING

from rh_kernel.arrays.devices import Device, MissingGPU, gpu
from rh_kernel.arrays.options import Checkpointing
from rh_kernel.loops.ir import Precision
from rh_kernel.session.errors import NoGPU
from rh_kernel.session.limits.bounds import DEFAULT as BOUNDS
from rh_kernel.session.limits.bounds import Bounds
from rh_kernel.source.records import frozen

if TYPE_CHECKING:
    from rh_kernel.cluster.cluster import Cluster


class Evaluator(Enum):
    """The evaluator of terms and commands; training is always compiled."""

    COMPILED = "compiled"
    STEPPED = "stepped"
    DENOTED = "denoted"


@frozen
class Lock:
    """``%locked``: only the language and locked cells define names, and a check must compare finite numbers.

    ``empty`` also allows it to compare arrays without entries, ``infinite`` infinite numbers.
    """

    empty: bool = False
    infinite: bool = False


@frozen
class Settings:
    """The settings; ``strict`` makes functions undefined where they are not smooth, as in PSmooth (RH Def. E.4).

    ``bounds`` limits what a cell may do. ``device`` is the requested device; without a GPU, ``gpu`` computes on the CPU.
    ``checkpointing`` says which states of a loop its backward pass keeps. ``cluster`` computes the pieces of batches, each
    within ``answer_within`` seconds if that is given. ``locked`` holds to the end of the cell, all others until they are
    changed.
    """

    strict: bool = False
    evaluator: Evaluator = Evaluator.COMPILED
    bounds: Bounds = BOUNDS
    precision: Precision = "float64"
    device: Device = "cpu"
    checkpointing: Checkpointing = "off"
    locked: Lock | None = None
    cluster: "Cluster | None" = None
    answer_within: float | None = None


DEFAULT = Settings()


def unlocked(settings: Settings) -> Settings:
    """Return the settings at the end of a cell."""
    return settings if settings.locked is None else replace(settings, locked=None)


def device_text(settings: Settings) -> str:
    """Return the message of ``%device``. It asks the GPU for its name, which may take a second, if the device is ``gpu``."""
    match settings.device:
        case "cpu":
            note = _compiler_note()
            return f"the device is cpu: compiled programs and training runs use the CPU{note}"
        case "gpu":
            found = gpu()
            if isinstance(found, MissingGPU):
                return _no_gpu_text(found)
            return f"the device is gpu: compiled programs and training runs compute on {found.text}"


def _compiler_note() -> str:
    """Return why long runs are not compiled to machine code, or an empty text if they are."""
    from rh_kernel.arrays.native.toolchain import failure
    from rh_kernel.arrays.prebuilt import available

    why = failure()
    if why is None:
        return ""
    instead = "with prebuilt kernels, not with compiled ones" if available() else "with NumPy, not as machine code"
    return f"; {instead}, as {why.splitlines()[0][:200]}"


def device_warning(settings: Settings) -> str:
    """Return the warning that there is no GPU if the settings request one, else an empty text."""
    found = gpu() if settings.device == "gpu" else None
    return _no_gpu_text(found) if isinstance(found, MissingGPU) else ""


def _no_gpu_text(found: MissingGPU) -> str:
    diagnostic = NoGPU(why=found.why, hint=found.fix)
    return f"{diagnostic.code} {diagnostic.title}: {diagnostic.message}\n    hint      {diagnostic.hint}"
