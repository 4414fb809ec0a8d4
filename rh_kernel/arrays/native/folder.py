"""The user's folder of compiled libraries: each file is named for the hash of what it was made from, and checked before use.

It holds at most so many bytes and so many libraries; when it would hold more, those go first whose last use is longest ago.
Several processes may share it. What was used within the last minute stays, as somebody may be about to load it; should a
library vanish all the same, whoever wanted it makes it again.
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
"""The environment variable that says how many bytes the folder may hold; at 0 nothing is kept there."""

MOST_BYTES = 1 << 28
"""How many it may hold if that is not said."""

MOST_LIBRARIES = 2_000

RECENT = 60.0
"""For so many seconds after its last use a library is not removed."""

ABANDONED = 3_600.0
"""A file that is still half written so many seconds after the last write belongs to a process that was killed."""


def digest(*parts: bytes) -> str:
    """The hash of a sequence of texts; another cut of the same text is another sequence."""
    h = hashlib.sha256()
    for part in parts:
        h.update(len(part).to_bytes(8, "little"))
        h.update(part)
    return h.hexdigest()


def folder() -> Path:
    """The folder, made if need be: the user's own, which nobody else writes to. Raises ``OSError`` if there can be none."""
    base = os.environ.get("XDG_CACHE_HOME", "")
    try:
        path = (Path(base) if Path(base).is_absolute() else Path.home() / ".cache") / "rh_kernel"
    except RuntimeError as homeless:
        raise FileNotFoundError(str(homeless)) from homeless
    path.mkdir(mode=MODE, parents=True, exist_ok=True)
    state = path.lstat()
    if not stat.S_ISDIR(state.st_mode) or not _own(state):
        raise PermissionError(f"{path} is not a folder that only you can write to")
    return path


def _own(state: os.stat_result) -> bool:
    """Whether the user owns the file, and nobody else may write to it."""
    mine = not hasattr(os, "getuid") or state.st_uid == os.getuid()
    return mine and not state.st_mode & (stat.S_IWGRP | stat.S_IWOTH)


def intact(path: Path) -> bool:
    """Whether the file is there, is the user's own, and is what was put there: the hash in the file beside it says so."""
    try:
        state = path.lstat()
        if not stat.S_ISREG(state.st_mode) or not _own(state) or not _own(path.with_suffix(".sum").lstat()):
            return False
        return path.with_suffix(".sum").read_text(encoding="ascii") == digest(path.read_bytes())
    except (OSError, UnicodeDecodeError):
        return False


def used(path: Path) -> None:
    """Notes that the library is used now, if the folder can be written to."""
    with suppress(OSError):
        os.utime(path)


def most_bytes() -> int:
    """How many bytes the folder may hold: what ``RH_CACHE_BYTES`` says, if that is a whole number."""
    said = os.environ.get(BYTES, "").strip()
    return int(said) if said.isascii() and said.isdigit() else MOST_BYTES


@dataclass(frozen=True, slots=True)
class _Kept:
    """A library in the folder: when it was last used, in seconds since the epoch, and its bytes together with its hash's."""

    last_use: float
    size: int
    path: Path


def trim(place: Path, most: int, libraries: int = MOST_LIBRARIES) -> None:
    """Removes libraries from the folder, the one first whose last use is longest ago, until it holds no more than said.

    What was used in the last minute stays. Files that another process left half written long ago go too.
    """
    now = time.time()
    kept = _kept(place, now)
    total = sum(library.size for library in kept)
    for number, library in enumerate(sorted(kept, key=lambda library: library.last_use)):
        if total <= most and len(kept) - number <= libraries:
            break
        if _removed(library.path, now - RECENT):
            total -= library.size


def _kept(place: Path, now: float) -> list[_Kept]:
    """The libraries in the folder. What was abandoned there is removed."""
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
                _removed(entry, now - ABANDONED)
                continue
            case ".sum":
                if not entry.with_suffix(".so").exists() and _removed(entry, now - ABANDONED):
                    continue
            case _:
                continue
        sizes[entry.stem] = sizes.get(entry.stem, 0) + state.st_size
    return [_Kept(last_use, sizes[name], place / f"{name}.so") for name, last_use in libraries.items()]


def _removed(path: Path, before: float) -> bool:
    """Removes the file, and its hash if it is a library, unless it was used or written later than ``before``."""
    try:
        # Somebody may have used it since the folder was looked through.
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
    """Writes the file and its hash; each appears at once and whole, or not at all. Raises ``OSError`` if they cannot be."""
    _replace(digest(content).encode("ascii"), path.with_suffix(".sum"))
    _replace(content, path)


def _replace(content: bytes, path: Path) -> None:
    handle, name = tempfile.mkstemp(dir=path.parent, prefix=path.stem[:16], suffix=".new")
    try:
        with os.fdopen(handle, "wb") as file:
            file.write(content)
        Path(name).chmod(MODE)
        Path(name).replace(path)
    except BaseException:
        Path(name).unlink(missing_ok=True)
        raise
