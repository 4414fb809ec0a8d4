"""The files of ``include``: where they are looked up, and the declarations in them.

A name is looked up in the folder of the file that includes it, or of the notebook; then, if it names no folder, in the library
that comes with the language. A file holds declarations and includes only, and checks, which are for the file by itself.
"""

import difflib
import posixpath
from collections.abc import Iterable, Iterator
from pathlib import Path

from rh_kernel.session.errors import CannotInclude
from rh_kernel.source.diagnostic import Rejected
from rh_kernel.source.records import frozen
from rh_kernel.source.span import Source, Span
from rh_kernel.syntax import surface_items as items
from rh_kernel.syntax.parsing.parser import Unparsed, parse
from rh_kernel.training.data import is_file, is_folder
from rh_kernel.training.reading.reader import error_text

SUFFIX = ".rh"
LIBRARY = Path(__file__).parents[1] / "library"
LARGEST = 1_000_000
"""The largest file that is included, in bytes."""
DEEPEST = 20
"""The most files, each of which includes the next one."""


@frozen
class IncludedFile:
    """A file, and its parts in order: declarations, files that it includes, and items with an error.

    ``place`` is the span of the ``include``. Of a file that has been included above, there are no parts. ``checks`` is the
    number of its checks, which are not among them.
    """

    place: Span
    source: Source
    folder: Path
    parts: "tuple[items.Declaration | IncludedFile | Unparsed, ...]"
    checks: int = 0

    @property
    def items(self) -> Iterator[items.Declaration | Unparsed]:
        """All parts, with those of the included files in their places."""
        for part in self.parts:
            if isinstance(part, IncludedFile):
                yield from part.items
            else:
                yield part


@frozen
class _Open:
    """A file that is being read: its path without links, and the name that messages give it"""

    path: Path
    name: str


def load(item: items.IncludeItem, folder: Path) -> IncludedFile:
    """Read the file and the ones that it includes, each of them once; names in ``item`` are relative to ``folder``.

    Raises ``Rejected`` (RH344) if the file cannot be read; an error in it is one of its parts.
    """
    return _load(item, folder, (), set())


def declarations(item: items.IncludeItem, folder: Path) -> tuple[items.Declaration, ...]:
    """Return the declarations in the file and in the ones that it includes, as far as there are any without an error."""
    try:
        return tuple([part for part in load(item, folder).items if not isinstance(part, Unparsed)])
    except Rejected:
        return ()


def library_names() -> tuple[str, ...]:
    """The names of the files that come with the language."""
    return _programs(LIBRARY)


def _load(item: items.IncludeItem, folder: Path, chain: tuple[_Open, ...], seen: set[Path]) -> IncludedFile:
    """Read a file, where ``chain`` includes one another up to this one, and ``seen`` have been read."""
    file = _find(item, folder)
    now = _Open(file.resolve(), _shown(item.file, file, chain))
    _check_chain(item, chain, now)
    if now.path in seen:
        return IncludedFile(item.span, Source(now.name, ""), file.parent, ())
    seen.add(now.path)
    source = Source(now.name, _text(file, item), is_included=True)
    parsed = [*parse(source)]
    parts = tuple(_parts(parsed, file.parent, (*chain, now), seen))
    return IncludedFile(
        item.span, source, file.parent, parts, sum(isinstance(each, items.EqualityCheck | items.TypeCheck) for each in parsed)
    )


def _parts(
    parsed: Iterable[items.Item | Unparsed], folder: Path, chain: tuple[_Open, ...], seen: set[Path]
) -> Iterator[items.Declaration | IncludedFile | Unparsed]:
    is_continued = False
    for item in parsed:
        is_declaration = isinstance(item, items.Declaration | items.IncludeItem | Unparsed)
        part = _part(item, folder, chain, seen) if is_declaration or not is_continued else None
        if part is not None:
            yield part
        # What follows a text that ends too early was probably meant to continue it.
        is_continued = isinstance(item, Unparsed) and item.is_cut_off


def _part(
    item: items.Item | Unparsed, folder: Path, chain: tuple[_Open, ...], seen: set[Path]
) -> items.Declaration | IncludedFile | Unparsed | None:
    match item:
        case items.IncludeItem():
            try:
                return _load(item, folder, chain, seen)
            except Rejected as failure:
                return Unparsed(item.span, failure.diagnostics, None)
        case items.Evaluation():
            return _misplaced(item, "a term or a command")
        case items.EqualityCheck() | items.TypeCheck():
            return None
        case items.TrainItem():
            return _misplaced(item, "a training run")
        case items.SweepItem():
            return _misplaced(item, "a sweep")
        case items.Directive():
            return _misplaced(item, "a directive")
        case items.SectionItem(section=section):
            return _misplaced(item, f"an item of `{section}`")
        case _:
            return item


def _misplaced(item: items.Item, what: str) -> Unparsed:
    why = f"an included file holds declarations only, and this is {what}"
    hint = "move it to where the file is included"
    return Unparsed(item.span, (CannotInclude(span=item.span, why=why, hint=hint),), None)


def _refusal(item: items.IncludeItem, why: str, hint: str = "", found: str = "", expected: str = "") -> Rejected:
    return Rejected(CannotInclude(span=item.span, why=why, hint=hint, found=found, expected=expected))


def _find(item: items.IncludeItem, folder: Path) -> Path:
    """Return the file that an ``include`` means. Raises ``Rejected``."""
    written = item.file
    if not written.endswith(SUFFIX):
        hint = f'for example `include "sgd{SUFFIX}"`'
        if written.endswith(".onnx"):
            hint = f"write it as a program first: `rh import {written}` in a shell, or `import_onnx` in a %%python cell"
        raise _refusal(item, f'"{written}" is not the name of a program', expected=f"a file that ends in {SUFFIX}", hint=hint)
    file = folder / written
    if is_file(file):
        return file
    if is_folder(file):
        raise _refusal(item, f'"{written}" is a folder', expected=f"a file that ends in {SUFFIX}")
    is_plain = not {"/", "\\"} & set(written)
    if is_plain and is_file(LIBRARY / written):
        return LIBRARY / written
    known = [name.removesuffix(SUFFIX) for name in (*_programs(file.parent), *(library_names() if is_plain else ()))]
    near = difflib.get_close_matches(file.name.removesuffix(SUFFIX), known, n=1)
    meant = posixpath.join(posixpath.dirname(written), *near) + SUFFIX
    hint = f'did you mean "{meant}"?' if near else "paths are relative to the notebook or file that includes it"
    where = " here or in the library" if is_plain else ""
    raise _refusal(item, f'there is no file "{written}"{where}', hint=hint)


def _programs(folder: Path) -> tuple[str, ...]:
    try:
        return tuple(sorted(file.name for file in folder.iterdir() if file.name.endswith(SUFFIX)))
    except (OSError, ValueError):
        return ()


def _shown(written: str, file: Path, chain: tuple[_Open, ...]) -> str:
    """The name of a file in messages: its path from the folder of the notebook, or ``library/sgd.rh``."""
    if file.parent == LIBRARY:
        return f"{LIBRARY.name}/{file.name}"
    return posixpath.normpath(posixpath.join(posixpath.dirname(chain[-1].name) if chain else "", written))


def _check_chain(item: items.IncludeItem, chain: tuple[_Open, ...], now: _Open) -> None:
    """Raise ``Rejected`` if a file includes itself, or the chain is too long."""
    paths = [file.path for file in chain]
    if now.path in paths:
        cycle = [file.name for file in chain[paths.index(now.path) :]]
        why = f"the file includes itself: {' includes '.join([*cycle, cycle[0]])}"
        hint = "remove this line" if len(cycle) == 1 else "move what they share to another file, and include that in each"
        raise _refusal(item, why, hint=hint)
    if len(chain) >= DEEPEST:
        why = f"{DEEPEST} files include one another already, from {chain[0].name} to {chain[-1].name}"
        raise _refusal(item, why, hint="include several files in one, rather than one after the other")


def _text(file: Path, item: items.IncludeItem) -> str:
    """Return the text of a file. Raises ``Rejected``."""
    try:
        with file.open("rb") as opened:
            data = opened.read(LARGEST + 1)
    except OSError as failure:
        raise _refusal(item, f'"{item.file}" cannot be read', found=error_text(failure), hint="see who may read it") from None
    if len(data) > LARGEST:
        expected = f"at most {LARGEST:,} bytes"
        raise _refusal(item, f'"{item.file}" is too large', expected=expected, hint="split it into several files")
    try:
        return data.decode("utf-8-sig").replace("\r\n", "\n")
    except UnicodeDecodeError as failure:
        found = f"the byte {data[failure.start]:#04x} in line {data.count(10, 0, failure.start) + 1}"
        raise _refusal(item, f'"{item.file}" is not UTF-8 text', found=found, hint="save it as UTF-8") from None
