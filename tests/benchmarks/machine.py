"""What the numbers were measured on, and which instruction sets can be measured there."""

import os
import platform
from importlib.metadata import PackageNotFoundError, version
from pathlib import Path

INSTRUCTION_SETS = {"x86_64": ("avx2", "avx512"), "AMD64": ("avx2", "avx512"), "aarch64": ("neon",), "arm64": ("neon",)}
"""The instruction sets that are measured on a kind of processor, the widest last, as ``RH_ISA`` calls them."""
LIBRARIES = ("rh_kernel", "numpy", "torch", "jax", "autograd", "scipy")


def facts() -> dict[str, str]:
    """The processor, the system, and the versions."""
    return {
        "processor": _processor(),
        "cores": str(os.cpu_count()),
        "system": f"{platform.system()} {platform.machine()}",
        "Python": platform.python_version(),
        **{name: found for name in LIBRARIES if (found := _version(name))},
    }


def instruction_sets() -> tuple[str, ...]:
    """The instruction sets that this machine has, the widest last: what it is kept to, and what it has."""
    flags = _known().get("flags", "").split()
    missing = {"avx512": "avx512f", "avx2": "avx2"}
    every = INSTRUCTION_SETS.get(platform.machine(), ())
    return tuple([name for name in every if name not in missing or missing[name] in flags]) or ("scalar",)


def not_here() -> tuple[str, ...]:
    """The instruction sets of other processors of this kind."""
    return tuple([name for name in INSTRUCTION_SETS.get(platform.machine(), ()) if name not in instruction_sets()])


def _version(name: str) -> str:
    try:
        return version(name)
    except PackageNotFoundError:
        return ""


def _processor() -> str:
    known = _known()
    if not known:
        return platform.processor()
    vectors = {"avx512": "AVX-512", "avx2": "AVX2"}.get(instruction_sets()[-1], "")
    family = f"family {known.get('cpu family', '?')}"
    return ", ".join([part for part in (known.get("model name", ""), family, vectors) if part])


def _known() -> dict[str, str]:
    """What Linux knows of the first processor; nothing on other systems."""
    try:
        lines = Path("/proc/cpuinfo").read_text(encoding="utf-8").splitlines()
    except OSError:
        return {}
    found = dict(reversed([line.split(":", 1) for line in lines if ":" in line]))
    return {key.strip(): value.strip() for key, value in found.items()}
