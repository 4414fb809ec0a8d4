"""Reading and writing the file that a command works on; ``-`` is standard input."""

import sys
from pathlib import Path

from rh_kernel.command_line.errors import CannotRead, CannotWrite
from rh_kernel.source.diagnostic import Rejected
from rh_kernel.source.span import Source
from rh_kernel.training.data import is_file

STANDARD_INPUT = "-"


def read(file: str) -> Source:
    """Read the text. Raises ``Rejected`` (RH381) if the file cannot be read or is not UTF-8."""
    try:
        data = sys.stdin.buffer.read() if file == STANDARD_INPUT else Path(file).read_bytes()
    except (OSError, ValueError) as error:
        raise Rejected(CannotRead(file=file, why=_why(error), hint=_hint(file))) from None
    name = "standard input" if file == STANDARD_INPUT else file
    try:
        text = data.decode("utf-8-sig")
    except UnicodeDecodeError as error:
        line = data.count(b"\n", 0, error.start) + 1
        found = f"the byte {data[error.start]:#04x} in line {line}"
        hint = "save it as UTF-8"
        raise Rejected(CannotRead(file=name, why="is not UTF-8 text", found=found, hint=hint)) from None
    return Source(name, text.replace("\r\n", "\n"))


def folder(file: str) -> Path:
    """Return the directory that relative paths in the text refer to."""
    return Path.cwd() if file == STANDARD_INPUT else Path(file).resolve().parent


def write(file: str, text: str) -> None:
    """Write ``text`` to the file. Raises ``Rejected`` (RH382) if that fails."""
    try:
        Path(file).write_text(text, encoding="utf-8", newline="\n")
    except OSError as error:
        hint = "choose a file and a folder that you can write to"
        raise Rejected(CannotWrite(file=file, why=_why(error), hint=hint)) from None


def _why(error: Exception) -> str:
    match error:
        case FileNotFoundError():
            return "does not exist"
        case IsADirectoryError():
            return "is a folder"
        case PermissionError():
            return "cannot be opened: permission denied"
        case OSError(strerror=str() as reason):
            return f"cannot be opened: {reason.lower()}"
        case _:
            return "is not a valid file name"


def _hint(file: str) -> str:
    if not Path(file).suffix and is_file(Path(f"{file}.rh")):
        return f"did you mean {file}.rh?"
    return ""
