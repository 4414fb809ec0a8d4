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
