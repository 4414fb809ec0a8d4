"""The build of a wheel: with ``RH_PREBUILT=1`` it carries the prebuilt library and is for one platform, otherwise for any."""

import os
import platform
import sys
import sysconfig
from pathlib import Path
from typing import Any

from hatchling.builders.hooks.plugin.interface import BuildHookInterface


class CustomBuildHook(BuildHookInterface[Any]):
    """Compiles the library into the wheel; an editable installation has what ``rh_kernel.arrays.prebuilt.build`` made."""

    def dependencies(self) -> list[str]:
        """The source of the library is made by the package itself, which needs NumPy."""
        return ["numpy>=2.0"] if _is_asked() else []

    def initialize(self, version: str, build_data: dict[str, Any]) -> None:
        """Raises ``CannotBuild`` if a library was asked for and there is no C compiler."""
        if version == "editable" or not _is_asked():
            return
        sys.path.insert(0, self.root)
        from rh_kernel.arrays.prebuilt.build import build

        for file in build(Path(self.root) / "build" / "prebuilt"):
            build_data["force_include"][str(file)] = f"rh_kernel/arrays/prebuilt/built/{file.name}"
        build_data["pure_python"] = False
        build_data["tag"] = f"py3-none-{_platform()}"


def _is_asked() -> bool:
    return os.environ.get("RH_PREBUILT") == "1"


def _platform() -> str:
    """The tag of the platform. The library uses nothing of a version of Python, and is for one kind of processor."""
    if sys.platform == "darwin":
        version = os.environ.get("MACOSX_DEPLOYMENT_TARGET", "11.0").replace(".", "_")
        return f"macosx_{version}_{platform.machine()}"
    return sysconfig.get_platform().replace("-", "_").replace(".", "_")
