"""What a session is set to (LANGUAGE §4–§6); settings are values, so a cell that fails leaves them as they were."""

from dataclasses import replace
from enum import Enum

from rh_kernel.arrays.devices import Device, MissingGPU, gpu
from rh_kernel.loops.ir import Precision
from rh_kernel.session.errors import NoGPU
from rh_kernel.session.limits.bounds import DEFAULT as BOUNDS
from rh_kernel.session.limits.bounds import Bounds
from rh_kernel.source.records import frozen


class Evaluator(Enum):
    """Which of the three readings of a program evaluates it; training is always compiled."""

    COMPILED = "compiled"
    STEPPED = "stepped"
    DENOTED = "denoted"


@frozen
class Lock:
    """``%locked``: names are the language's and those of locked cells, and a check has to compare finite numbers.

    ``empty`` allows arrays without entries, ``infinite`` real numbers that are infinite.
    """

    empty: bool = False
    infinite: bool = False


@frozen
class Settings:
    """``strict`` leaves a function undefined where it is not smooth, as in PSmooth (RH Def. E.4); ``bounds`` are its limits.

    ``device`` is what was asked for: where no GPU answers, ``gpu`` computes on the processor. ``locked`` holds to the end of
    the cell; all the others hold until they are set to something else.
    """

    strict: bool = False
    evaluator: Evaluator = Evaluator.COMPILED
    bounds: Bounds = BOUNDS
    precision: Precision = "float64"
    device: Device = "cpu"
    locked: Lock | None = None


DEFAULT = Settings()


def unlocked(settings: Settings) -> Settings:
    """The settings at the end of a cell."""
    return settings if settings.locked is None else replace(settings, locked=None)


def device_text(settings: Settings) -> str:
    """What ``%device`` says. It asks the GPU for its name if it is to be used, which may take a second."""
    match settings.device:
        case "cpu":
            note = _instead_of_machine_code()
            return f"the device is cpu: compiled programs and training runs use the CPU{note}"
        case "gpu":
            found = gpu()
            if isinstance(found, MissingGPU):
                return no_gpu_text(found)
            return f"the device is gpu: compiled programs and training runs compute on {found.text}"


def _instead_of_machine_code() -> str:
    """What there is to say if long runs were to become machine code, and cannot."""
    from rh_kernel.arrays.native.toolchain import failure

    why = failure()
    return "" if why is None else f"; with NumPy, not as machine code, as {why.splitlines()[0][:200]}"


def no_gpu_text(found: MissingGPU) -> str:
    """What is said, once, where the GPU is asked for and none answers."""
    complaint = NoGPU(why=found.why, hint=found.fix)
    return f"{complaint.code} {complaint.title}: {complaint.message}\n    hint      {complaint.hint}"


def told_of_device(settings: Settings) -> str:
    """What has to be said before a program begins with these settings: that no GPU answers, if one is asked for."""
    found = gpu() if settings.device == "gpu" else None
    return no_gpu_text(found) if isinstance(found, MissingGPU) else ""
