"""``%save`` and ``%load``: contents of locations in an ``.npz`` or ``.safetensors`` file, by the names of the locations.

A file is first written to a scratch file beside its target, which it replaces when the cell succeeds.
"""

import os
import stat
from collections.abc import Callable, Iterable, Mapping
from contextlib import closing
from dataclasses import replace
from importlib.util import find_spec
from pathlib import Path
from typing import IO

from rh_kernel.session.errors import CannotLoad, CannotRestore, CannotSave
from rh_kernel.source import scratch as scratch_files
from rh_kernel.source.diagnostic import Rejected
from rh_kernel.source.records import frozen
from rh_kernel.source.span import Span
from rh_kernel.syntax.core import Array
from rh_kernel.syntax.dimensions import dim
from rh_kernel.syntax.signature import Location
from rh_kernel.syntax.types import show_shape
from rh_kernel.training.data import is_file
from rh_kernel.training.reading.format import Format, Writer
from rh_kernel.training.reading.formats import find, one_of, saved_suffixes
from rh_kernel.training.reading.reader import Blocks, ByteLimit, Damaged, Header, error_text, first_names


@frozen
class ScratchFile:
    """A file written to ``scratch`` that will replace ``target``."""

    scratch: Path
    target: Path

    def move(self, span: Span) -> None:
        """Replace the target in one step. Raises ``Rejected`` at ``span`` if that fails."""
        try:
            self.scratch.replace(self.target)
        except OSError as failure:
            raise _unwritable(self.target, failure, span) from None

    def delete(self) -> None:
        """Delete the file unless it has been moved."""
        self.scratch.unlink(missing_ok=True)


def write(contents: Mapping[str, Array], target: Path, span: Span) -> ScratchFile:
    """Write the contents as ``written`` does. Raises ``Rejected`` also if there is nothing to write."""
    _, encode = _format(target, span, CannotSave)
    if not contents:
        hint = "declare a location first, for example `loc w : Real(3) = zeros`"
        raise Rejected(CannotSave(span=span, why="there is no location to save", hint=hint))
    return written(target, span, lambda file: encode(contents, file), _expected())


def written(target: Path, span: Span, encode: Callable[[IO[bytes]], object], expected: str) -> ScratchFile:
    """Write a scratch file beside ``target``, or beside the file that this links to.

    Scratch files there whose processes have been killed are deleted. Raises ``Rejected`` if the file cannot be written;
    ``expected`` says in the error what file was expected.
    """
    named, target = target, followed(target)
    if not target.parent.is_dir():
        why = f"there is no folder for `{target.name}`"
        raise Rejected(CannotSave(span=span, why=why, hint="create the folder first; paths are relative to the notebook"))
    scratch: Path | None = None
    try:
        if kind := _other_kind(target):
            what, hint = kind if target == named else f"a link to {kind}", "choose another name; the existing one is kept"
            raise Rejected(CannotSave(span=span, why=f"`{named.name}` is {what}", expected=expected, hint=hint))
        if target.exists() and not os.access(target, os.W_OK):
            raise Rejected(CannotSave(span=span, why=f"`{target.name}` is write-protected", hint="choose another name"))
        scratch_files.sweep(target.parent)
        scratch, file = scratch_files.new(target.parent)
        with file:
            encode(file)
            file.flush()
            os.fsync(file.fileno())
        scratch.chmod(_mode(target))
    except BaseException as failure:
        if scratch is not None:
            scratch.unlink(missing_ok=True)
        if isinstance(failure, OSError):
            raise _unwritable(target, failure, span) from None
        raise
    return ScratchFile(scratch, target)


@frozen
class Restored:
    """The new contents of locations by name, and the names of all arrays in the file."""

    changes: Mapping[str, Array]
    names: tuple[str, ...]


def read(
    target: Path,
    files: Iterable[ScratchFile],
    locations: Mapping[str, Location],
    byte_limit: ByteLimit,
    span: Span,
    problem: type[CannotLoad | CannotRestore] = CannotRestore,
) -> Blocks[Restored]:
    """Read the contents of the locations in float64, in blocks, from ``target``, or from one of ``files`` that will replace it.

    Raises ``Rejected``, with a ``problem``, if it is not such a file, has no content for any location, or a content does not
    fit; ``Stuck``, before reading, if the contents exceed ``byte_limit``.
    """
    form, _ = _format(target, span, problem)
    file = followed(target)
    file = next((each.scratch for each in reversed([*files]) if each.target == file), file)
    if not is_file(file):
        why, hint = f"there is no file `{target.name}`", "paths are relative to the notebook or file"
        raise Rejected(problem(span=span, why=why, hint=hint))
    byte_limit = replace(byte_limit, what=f"what is in `{target.name}`", span=span)
    try:
        with closing((yield from form.open(file))) as reader:
            in_file = frozenset(reader.names)
            names = [name for name in locations if name in in_file]
            lacking = [name for name in locations if name not in in_file]
            if lacking if problem is CannotLoad else not names:
                have = first_names([f"`{name}`" for name in reader.names]) or "nothing"
                hint = "contents are loaded into the locations of the same names; declare the locations first"
                why = f"`{target.name}` has no content for a location here"
                if problem is CannotLoad:
                    hint = "a location is filled with the array of the same name"
                    why = f"`{target.name}` has no content for {first_names([f'`{name}`' for name in lacking])}"
                raise Rejected(problem(span=span, why=why, found=have, hint=hint))
            headers = {name: reader.header(name) for name in names}
            byte_limit.check(sum(header.reals for header in headers.values()))
            for name, header in headers.items():
                _check_fits(name, header, locations[name], target.name, span, problem)
            return Restored((yield from reader.read(names)), tuple(reader.names))
    except (Damaged, OSError) as failure:
        why = f"`{target.name}` cannot be read as a {target.suffix.lower()} file"
        hint = "it may be damaged, or in another format"
        raise Rejected(problem(span=span, why=why, found=error_text(failure), hint=hint)) from None


def _check_fits(
    name: str, header: Header, location: Location, file: str, span: Span, problem: type[CannotLoad | CannotRestore]
) -> None:
    """Raise ``Rejected`` unless the array can be the content of the location."""
    if not header.is_real:
        why, hint = f"`{name}` does not contain real numbers", "locations contain real numbers: save such an array"
        raise Rejected(problem(span=span, why=why, found=header.entries, hint=hint))
    if location.shape != (shape := tuple([dim(n) for n in header.shape])):
        found, expected = (f"`{name}` : Real({show_shape(s)})" for s in (shape, location.shape))
        why = f"the content of `{name}` in `{file}` has the wrong shape"
        hint = f"declare `{name}` with the shape in the file, or load another file"
        raise Rejected(problem(span=span, why=why, found=found, expected=expected, hint=hint))


def _format(target: Path, span: Span, problem: type[CannotLoad | CannotRestore | CannotSave]) -> tuple[Format, Writer]:
    try:
        is_name = b"\0" not in os.fsencode(target)
    except ValueError:
        is_name = False
    if not is_name:
        raise Rejected(problem(span=span, why="this is not a valid file name", expected=_expected()))
    form = find(target)
    if form is None or form.write is None:
        why = f"the format of `{target.name}` is unknown"
        hint = "for example `%save weights.npz`" if problem is CannotSave else ""
        raise Rejected(problem(span=span, why=why, expected=_expected(), hint=hint))
    if form.requires and find_spec(form.requires) is None:
        hint = "choose a name that ends in .npz" if problem is CannotSave else "save it as .npz where the library is"
        raise Rejected(problem(span=span, why=f"the library {form.requires} is not installed here", hint=hint))
    return form, form.write


def has_names(file: Path) -> bool:
    """Whether a file, by its suffix, holds arrays by name, which are the contents of the locations of these names."""
    return file.suffix.lower() in saved_suffixes()


def _expected() -> str:
    return f"a file that ends in {one_of(saved_suffixes())}"


def _other_kind(target: Path) -> str:
    """Return what the target is if it exists and is not a regular file, else an empty text."""
    if target.is_symlink():
        return "a link that leads nowhere"
    try:
        mode = target.stat().st_mode
    except FileNotFoundError:
        return ""
    if stat.S_ISREG(mode):
        return ""
    if stat.S_ISDIR(mode):
        return "a folder"
    return "a pipe" if stat.S_ISFIFO(mode) else "a socket" if stat.S_ISSOCK(mode) else "a device"


def followed(target: Path) -> Path:
    """Return the file that a link leads to, or else the path itself."""
    try:
        return target.resolve() if target.is_symlink() else target
    except (OSError, RuntimeError):  # cyclic links
        return target


def _mode(target: Path) -> int:
    """Return the permissions of the existing file, or of a new one, which its owner may read and write."""
    if target.exists():
        return target.stat().st_mode & 0o777
    mask = os.umask(0)
    os.umask(mask)
    # In a browser every bit of the mask is set.
    return (0o666 & ~mask) | 0o600


def _unwritable(target: Path, failure: OSError, span: Span) -> Rejected:
    hint = "choose another name or folder, or free some disk space"
    return Rejected(CannotSave(span=span, why=f"`{target.name}` cannot be written", found=error_text(failure), hint=hint))
