"""The cache of compiled libraries in the user's cache folder: named by the hash of their source, and verified before use.

It has limits on bytes and on libraries, and evicts the least recently used. Several processes may share it: a library that was
used within the last minute is kept, as another process may be about to load it, and if a library vanishes anyway, the process
that needs it compiles it again.
"""

import hashlib
import os
import stat
import tempfile
import time
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path

MODE = 0o700

BYTES = "RH_CACHE_BYTES"
"""The environment variable that limits the size of the cache in bytes; 0 disables it."""

MOST_BYTES = 1 << 28
"""The limit in bytes if the variable is not set."""

MOST_LIBRARIES = 2_000

RECENT = 60.0
"""Seconds after its last use during which a library is not removed."""

ABANDONED = 3_600.0
"""Age in seconds after which an unfinished file must belong to a process that was killed."""


def digest(*parts: bytes) -> str:
    """Return the hash of a sequence of byte strings; it depends on where they are split."""
    h = hashlib.sha256()
    for part in parts:
        h.update(len(part).to_bytes(8, "little"))
        h.update(part)
    return h.hexdigest()


def folder() -> Path:
    """Return the cache folder, which only the user can write to; create it if necessary. Raises ``OSError`` on failure."""
    base = os.environ.get("XDG_CACHE_HOME", "")
    try:
        path = (Path(base) if Path(base).is_absolute() else Path.home() / ".cache") / "rh_kernel"
    except RuntimeError as homeless:
        raise FileNotFoundError(str(homeless)) from homeless
    path.mkdir(mode=MODE, parents=True, exist_ok=True)
    state = path.lstat()
    if not stat.S_ISDIR(state.st_mode) or not _is_private(state):
        raise PermissionError(f"{path} is not a folder that only you can write to")
    return path


def _is_private(state: os.stat_result) -> bool:
    """Whether the user owns the file, and nobody else can write to it."""
    mine = not hasattr(os, "getuid") or state.st_uid == os.getuid()
    return mine and not state.st_mode & (stat.S_IWGRP | stat.S_IWOTH)


def intact(path: Path) -> bool:
    """Whether the file exists, belongs to the user, and matches the hash in the file beside it."""
    try:
        state = path.lstat()
        if not stat.S_ISREG(state.st_mode) or not _is_private(state) or not _is_private(path.with_suffix(".sum").lstat()):
            return False
        return path.with_suffix(".sum").read_text(encoding="ascii") == digest(path.read_bytes())
    except (OSError, UnicodeDecodeError):
        return False


def used(path: Path) -> None:
    """Mark the library as used now, if the folder is writable."""
    with suppress(OSError):
        os.utime(path)


def most_bytes() -> int:
    """Return the limit in bytes: ``RH_CACHE_BYTES`` if that is a whole number, else the default."""
    limit = os.environ.get(BYTES, "").strip()
    return int(limit) if limit.isascii() and limit.isdigit() else MOST_BYTES


@dataclass(frozen=True, slots=True)
class _Kept:
    """A cached library: when it was last used (seconds since the epoch), and its size in bytes with that of its hash."""

    last_use: float
    size: int
    path: Path


def trim(place: Path, most: int, libraries: int = MOST_LIBRARIES) -> None:
    """Evict least recently used libraries until the limits hold.

    Libraries used in the last minute stay. Old unfinished files of other processes are removed as well.
    """
    now = time.time()
    kept = _kept(place, now)
    total = sum(library.size for library in kept)
    for number, library in enumerate(sorted(kept, key=lambda library: library.last_use)):
        if total <= most and len(kept) - number <= libraries:
            break
        if _remove(library.path, now - RECENT):
            total -= library.size


def _kept(place: Path, now: float) -> list[_Kept]:
    """List the libraries in the folder, and remove abandoned files."""
    sizes: dict[str, int] = {}
    libraries: dict[str, float] = {}
    for entry in place.iterdir():
        try:
            state = entry.lstat()
        except FileNotFoundError:
            continue
        if not stat.S_ISREG(state.st_mode):
            continue
        match entry.suffix:
            case ".so":
                libraries[entry.stem] = state.st_mtime
            case ".new":
                _remove(entry, now - ABANDONED)
                continue
            case ".sum":
                if not entry.with_suffix(".so").exists() and _remove(entry, now - ABANDONED):
                    continue
            case _:
                continue
        sizes[entry.stem] = sizes.get(entry.stem, 0) + state.st_size
    return [_Kept(last_use, sizes[name], place / f"{name}.so") for name, last_use in libraries.items()]


def _remove(path: Path, before: float) -> bool:
    """Remove a file, and the hash of a library, unless it was used or written after ``before``; whether it is gone."""
    try:
        # Another process may have used it in the meantime.
        if path.lstat().st_mtime > before:
            return False
        path.unlink()
        if path.suffix == ".so":
            path.with_suffix(".sum").unlink(missing_ok=True)
    except FileNotFoundError:
        return True
    except OSError:
        return False
    return True


def put(content: bytes, path: Path) -> None:
    """Write the file and its hash, each atomically. Raises ``OSError`` on failure."""
    write_atomically(digest(content).encode("ascii"), path.with_suffix(".sum"))
    write_atomically(content, path)


def write_atomically(content: bytes, path: Path) -> None:
    """Write the file so that nobody ever reads a part of it. Raises ``OSError`` on failure."""
    handle, name = tempfile.mkstemp(dir=path.parent, prefix=path.stem[:16], suffix=".new")
    try:
        with os.fdopen(handle, "wb") as file:
            file.write(content)
        Path(name).chmod(MODE)
        Path(name).replace(path)
    except BaseException:
        Path(name).unlink(missing_ok=True)
        raise
