"""``%save`` and ``%load``: contents of locations in an ``.npz`` or ``.safetensors`` file, by the names of the locations.

A file is written beside its place and put there when the cell has ended well, so there is never half of one.
"""

import os
import zipfile
from collections.abc import Mapping
from importlib.util import find_spec
from pathlib import Path
from tempfile import NamedTemporaryFile
from typing import IO

import numpy as np

from rh_kernel.session.errors import CannotRestore, CannotSave
from rh_kernel.source.diagnostic import Rejected, Stuck
from rh_kernel.source.records import frozen
from rh_kernel.source.span import Span
from rh_kernel.syntax.core import Array
from rh_kernel.syntax.dimensions import dim
from rh_kernel.syntax.signature import Location
from rh_kernel.syntax.stuck import BYTES, too_large
from rh_kernel.syntax.types import show_shape
from rh_kernel.training.data import is_file

FORMATS = (".npz", ".safetensors")

_EXPECTED = "a file that ends in .npz or .safetensors"


@frozen
class Written:
    """A file that is written to ``scratch``, and waits to be put in the place of ``target``."""

    scratch: Path
    target: Path

    def put(self) -> None:
        """Put it in its place, in one step. Raises ``OSError``."""
        self.scratch.replace(self.target)

    def drop(self) -> None:
        """Forget it, if it is not in its place yet."""
        self.scratch.unlink(missing_ok=True)


def write(contents: Mapping[str, Array], target: Path, span: Span) -> Written:
    """The contents, written beside ``target``, or beside what that is a link to. Raises ``Rejected`` where that cannot be."""
    form = _format(target, span, saving=True)
    target = followed(target)
    if not target.parent.is_dir():
        why = f"there is no folder for `{target.name}`"
        raise Rejected(CannotSave(span=span, why=why, hint="make the folder first; paths start from that of the notebook"))
    scratch: Path | None = None
    try:
        if target.is_dir():
            why, hint = f"`{target.name}` is a folder", "Choose another name: there is a folder of this one."
            raise Rejected(CannotSave(span=span, why=why, expected=_EXPECTED, hint=hint))
        if target.exists() and not os.access(target, os.W_OK):
            raise Rejected(CannotSave(span=span, why=f"`{target.name}` is write-protected", hint="choose another name"))
        with NamedTemporaryFile(dir=target.parent, prefix=".rh-", delete=False) as file:
            scratch = Path(file.name)
            _encode(contents, form, file)
            file.flush()
            os.fsync(file.fileno())
        scratch.chmod(_mode(target))
    except BaseException as failure:
        if scratch is not None:
            scratch.unlink(missing_ok=True)
        if isinstance(failure, OSError):
            raise _unwritable(target, failure, span) from None
        raise
    return Written(scratch, target)


def put(written: Written, span: Span) -> None:
    """Put a file in its place. Raises ``Rejected`` where that cannot be."""
    try:
        written.put()
    except OSError as failure:
        raise _unwritable(written.target, failure, span) from None


def read(file: Path, target: Path, most: int, span: Span) -> Mapping[str, Array]:
    """The arrays in ``file``, which is called ``target``; of ``most`` reals at most all together.

    Raises ``Rejected`` for what is no such file, ``Stuck`` for one that is too large.
    """
    form = _format(target, span, saving=False)
    if not is_file(file):
        why, hint = f"there is no file `{target.name}`", "paths start from the folder of the notebook or file"
        raise Rejected(CannotRestore(span=span, why=why, hint=hint))
    try:
        found = _decode(file, form, most, span)
    except (Rejected, Stuck):
        raise
    except Exception as failure:  # a library may stumble over a broken file in any way
        why = f"`{target.name}` cannot be read as a {form} file"
        hint = "it may be damaged, or of another format"
        raise Rejected(CannotRestore(span=span, why=why, found=_said(failure), hint=hint)) from None
    return found


def restored(found: Mapping[str, Array], locations: Mapping[str, Location], file: str, span: Span) -> Mapping[str, Array]:
    """What of a file goes into the locations, as float64. Raises ``Rejected`` if nothing does, or something does not fit."""
    changes = {name: found[name] for name in locations if name in found}
    if not changes:
        have = ", ".join([f"`{name}`" for name in found]) or "nothing"
        hint = "a content goes to the location of the same name; declare the locations first"
        raise Rejected(CannotRestore(span=span, why=f"`{file}` has no content for a location here", found=have, hint=hint))
    for name, array in changes.items():
        if array.dtype.kind not in "fiub":
            why, hint = f"`{name}` holds no real numbers", "Locations hold real numbers: save the file with such an array."
            raise Rejected(CannotRestore(span=span, why=why, found=str(array.dtype), hint=hint))
        if locations[name].shape != (shape := tuple([dim(n) for n in array.shape])):
            found_, expected = (f"`{name}` : Real({show_shape(s)})" for s in (shape, locations[name].shape))
            why = f"the content of `{name}` in `{file}` has another shape"
            hint = f"Declare `{name}` with the shape that the file has, or load another file."
            raise Rejected(CannotRestore(span=span, why=why, found=found_, expected=expected, hint=hint))
    return {name: np.array(array, dtype=np.float64) for name, array in changes.items()}


def _format(target: Path, span: Span, *, saving: bool) -> str:
    problem = CannotSave if saving else CannotRestore
    try:
        is_name = b"\0" not in os.fsencode(target)
    except ValueError:
        is_name = False
    if not is_name:
        raise Rejected(problem(span=span, why="no file can have this name", expected=_EXPECTED))
    form = target.suffix.lower()
    if form == ".safetensors" and find_spec("safetensors") is None:
        hint = "choose a name that ends in .npz" if saving else "save it as .npz where the library is"
        raise Rejected(problem(span=span, why="the library safetensors is not installed here", hint=hint))
    if form in FORMATS:
        return form
    why = f"`{target.name}` does not tell its format"
    raise Rejected(problem(span=span, why=why, expected=_EXPECTED, hint="for example `%save weights.npz`" if saving else ""))


def _encode(contents: Mapping[str, Array], form: str, file: IO[bytes]) -> None:
    if form == ".npz":
        with zipfile.ZipFile(file, "w", allowZip64=True) as archive:
            for name, array in contents.items():
                with archive.open(f"{name}.npy", "w", force_zip64=True) as member:
                    np.lib.format.write_array(member, np.asarray(array), allow_pickle=False)
        return
    from safetensors.numpy import save

    file.write(save({name: np.ascontiguousarray(array) for name, array in contents.items()}))


def _decode(file: Path, form: str, most: int, span: Span) -> dict[str, Array]:
    if form == ".npz":
        with zipfile.ZipFile(file) as archive:
            _check(sum(member.file_size for member in archive.infolist()) // BYTES, most, span)
        with np.load(file, allow_pickle=False) as arrays:
            return {name: arrays[name] for name in arrays.files}
    from safetensors.numpy import load

    _check(file.stat().st_size // BYTES, most, span)
    return load(file.read_bytes())


def _check(reals: int, most: int, span: Span) -> None:
    if reals > most:
        raise too_large(reals, most, "what is in the file", span)


def followed(target: Path) -> Path:
    """The file itself, if that is a link to one."""
    try:
        return target.resolve() if target.is_symlink() else target
    except (OSError, RuntimeError):  # links that go round in a circle
        return target


def _mode(target: Path) -> int:
    """The permissions of the file that is there, or of a new one; whoever saved it may read it."""
    if target.exists():
        return target.stat().st_mode & 0o777
    mask = os.umask(0)
    os.umask(mask)
    # In a browser every bit of the mask is set.
    return (0o666 & ~mask) | 0o600


def _unwritable(target: Path, failure: OSError, span: Span) -> Rejected:
    hint = "Choose another name or folder, or make room on the disk."
    return Rejected(CannotSave(span=span, why=f"`{target.name}` cannot be written", found=_said(failure), hint=hint))


def _said(failure: Exception) -> str:
    """What a library says about it, on one line."""
    text = failure.strerror if isinstance(failure, OSError) and failure.strerror else str(failure)
    line = " ".join(text.split()) or type(failure).__name__
    return line if len(line) <= 100 else line[:99] + "…"
