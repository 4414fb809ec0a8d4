"""Scratch files: what is written beside its place until it is whole; and what processes that were killed have left of that.

The name of a scratch file tells the machine and the process that it belongs to, so what has no owner any more is known.
"""

import os
import platform
import re
import secrets
import time
import zlib
from contextlib import suppress
from pathlib import Path
from typing import IO

OLD = 30 * 24 * 3600
"""Seconds after which a scratch file is nobody's, whatever its name says: its process may be on another machine."""

_NAME = re.compile(r"\.rh-save-([0-9a-f]{8})-([0-9]{1,10})-[0-9a-f]{16}\.tmp")


def new(folder: Path) -> tuple[Path, IO[bytes]]:
    """A new scratch file, open to be written, that only its owner may read. Raises ``OSError``."""
    path = folder / f".rh-save-{_machine()}-{os.getpid()}-{secrets.token_hex(8)}.tmp"
    flags = os.O_WRONLY | os.O_CREAT | os.O_EXCL | getattr(os, "O_BINARY", 0)
    return path, os.fdopen(os.open(path, flags, 0o600), "wb")


def sweep(folder: Path) -> None:
    """Delete the scratch files in a folder whose processes are gone; what cannot be deleted stays.

    Other files are left alone: links, and all that has not exactly such a name.
    """
    found: list[tuple[os.DirEntry[str], re.Match[str]]] = []
    with suppress(OSError), os.scandir(folder) as entries:
        found += [(entry, match) for entry in entries if (match := _NAME.fullmatch(entry.name)) is not None]
    for entry, match in found:
        with suppress(OSError):
            if entry.is_file(follow_symlinks=False) and _is_left(match, entry.stat(follow_symlinks=False).st_mtime):
                Path(entry.path).unlink()


def _is_left(name: re.Match[str], written: float) -> bool:
    machine, process = name.groups()
    return (machine == _machine() and not _lives(int(process))) or time.time() - written > OLD


def _machine() -> str:
    """What tells machines apart, as far as their names do."""
    return f"{zlib.crc32(platform.node().encode()):08x}"


def _lives(process: int) -> bool:
    """Whether there is such a process; where that cannot be asked without harm, there may be."""
    if os.name != "posix" or not hasattr(os, "kill"):
        return True
    try:
        os.kill(process, 0)
    except ProcessLookupError:
        return False
    except (OSError, OverflowError):
        return True
    return not _has_ended(process)


def _has_ended(process: int) -> bool:
    """Whether Linux says that the process has ended and nobody has asked how; in a container perhaps nobody ever will."""
    try:
        state = Path(f"/proc/{process}/stat").read_text(encoding="utf-8", errors="replace")
    except OSError:
        return False
    # Behind the name of the program, which stands in brackets and may hold some.
    return state.rpartition(")")[2].split()[:1] == ["Z"]
