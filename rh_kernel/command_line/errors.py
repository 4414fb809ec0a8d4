"""Diagnostics about the file that a command is given."""

from dataclasses import dataclass
from typing import ClassVar

from rh_kernel.source.diagnostic import Diagnostic


@dataclass(frozen=True, kw_only=True)
class CannotRead(Diagnostic):
    """``rh run nowhere.rh``"""

    code: ClassVar[str] = "RH381"
    title: ClassVar[str] = "File cannot be read"
    label: ClassVar[str] = "{file} {why}"

    file: str
    why: str


@dataclass(frozen=True, kw_only=True)
class CannotWrite(Diagnostic):
    """``rh fmt`` of a read-only file"""

    code: ClassVar[str] = "RH382"
    title: ClassVar[str] = "File cannot be written"
    label: ClassVar[str] = "{file} {why}"

    file: str
    why: str


@dataclass(frozen=True, kw_only=True)
class NoNet(Diagnostic):
    """``rh export`` of a file without nets"""

    code: ClassVar[str] = "RH383"
    title: ClassVar[str] = "Nothing to export"
    label: ClassVar[str] = "the file declares no net"

    hint: str = "declare one: `net predict(x : Real(64)) : Real(10) = handle mlp(x) with infer`"
