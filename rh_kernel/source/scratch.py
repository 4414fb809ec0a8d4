"""Scratch files: files written beside their targets until they are complete, and the deletion of abandoned ones.

The name of a scratch file contains its machine and process, which shows whether it was abandoned.
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
"""Seconds after which a scratch file counts as abandoned even if its process may still run, e.g. on another machine."""

_NAME = re.compile(r"\.rh-save-([0-9a-f]{8})-([0-9]{1,10})-[0-9a-f]{16}\.tmp")


def new(folder: Path) -> tuple[Path, IO[bytes]]:
    """Create a scratch file that only its owner may read, and open it for writing. Raises ``OSError``."""
    path = folder / f".rh-save-{_machine()}-{os.getpid()}-{secrets.token_hex(8)}.tmp"
    flags = os.O_WRONLY | os.O_CREAT | os.O_EXCL | getattr(os, "O_BINARY", 0)
    return path, os.fdopen(os.open(path, flags, 0o600), "wb")


def sweep(folder: Path) -> None:
    """Delete the abandoned scratch files in a folder; ignore those that cannot be deleted.

    Links and files with other names are never deleted.
    """
    found: list[tuple[os.DirEntry[str], re.Match[str]]] = []
    with suppress(OSError), os.scandir(folder) as entries:
        found += [(entry, match) for entry in entries if (match := _NAME.fullmatch(entry.name)) is not None]
    for entry, match in found:
        with suppress(OSError):
            if entry.is_file(follow_symlinks=False) and _is_abandoned(match, entry.stat(follow_symlinks=False).st_mtime):
                Path(entry.path).unlink()


def _is_abandoned(name: re.Match[str], written: float) -> bool:
    machine, process = name.groups()
    return (machine == _machine() and not _is_alive(int(process))) or time.time() - written > OLD


def _machine() -> str:
    """Return a hash of the machine's network name."""
    return f"{zlib.crc32(platform.node().encode()):08x}"


def _is_alive(process: int) -> bool:
    """Whether there is such a process; ``True`` where this cannot be checked safely."""
    if os.name != "posix" or not hasattr(os, "kill"):
        return True
    try:
        os.kill(process, 0)
    except ProcessLookupError:
        return False
    except (OSError, OverflowError):
        return True
    return not _is_zombie(process)


def _is_zombie(process: int) -> bool:
    """Whether the process is a zombie according to Linux; in a container it may remain one forever."""
    try:
        state = Path(f"/proc/{process}/stat").read_text(encoding="utf-8", errors="replace")
    except OSError:
        return False
    # The state follows the program name, which is in parentheses and may contain some.
    return state.rpartition(")")[2].split()[:1] == ["Z"]
