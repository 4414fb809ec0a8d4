"""What the numbers were measured on."""

import os
import platform
from importlib.metadata import PackageNotFoundError, version
from pathlib import Path

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


def _version(name: str) -> str:
    try:
        return version(name)
    except PackageNotFoundError:
        return ""


def _processor() -> str:
    try:
        lines = Path("/proc/cpuinfo").read_text(encoding="utf-8").splitlines()
    except OSError:
        return platform.processor()
    found = dict(reversed([line.split(":", 1) for line in lines if ":" in line]))
    known = {key.strip(): value.strip() for key, value in found.items()}
    vectors = "AVX-512" if "avx512f" in known.get("flags", "") else "AVX2" if "avx2" in known.get("flags", "") else ""
    return ", ".join(
        [part for part in (known.get("model name", ""), f"family {known.get('cpu family', '?')}", vectors) if part]
    )
