"""The user's folder of compiled libraries: each file is named for the hash of what it was made from, and checked before use."""

import hashlib
import os
import stat
import tempfile
from pathlib import Path

MODE = 0o700


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
    path = (Path(base) if Path(base).is_absolute() else Path.home() / ".cache") / "rh_kernel"
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


def put(content: bytes, path: Path) -> None:
    """Writes the file and its hash; each appears at once and whole, or not at all."""
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
