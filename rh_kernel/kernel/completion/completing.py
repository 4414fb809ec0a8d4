"""Completion (Tab): the words, symbols, fields and files that match the text before the cursor, each with its kind."""

import re
import unicodedata
from collections.abc import Iterable, Iterator

from rh_kernel.kernel.completion.context import Argument, DirectiveName, Quoted, Word, context_at_end
from rh_kernel.kernel.completion.files import Listed, entries
from rh_kernel.kernel.completion.unicode_input import partial_name, symbols_for
from rh_kernel.kernel.completion.words import Completion, declared_in, described, words
from rh_kernel.kernel.sections.position import section_at
from rh_kernel.primitives.table import SYMBOLS
from rh_kernel.session.directives.lines import RETURN_LINE, SECTION_LINES
from rh_kernel.session.directives.registry import directives, find, names
from rh_kernel.session.forms import FORMS
from rh_kernel.session.included_files import SUFFIX, library_names
from rh_kernel.session.limits.bounds import MEANINGS
from rh_kernel.session.session import Session
from rh_kernel.source.span import Source
from rh_kernel.syntax.parsing.tokens import LAMBDA_SECTION, PYTHON, RETURN, SECTIONS
from rh_kernel.training.bundled import NAMES
from rh_kernel.training.reading.formats import has_name_of_data, saved_suffixes
from rh_kernel.training.reading.npy import NPY
from rh_kernel.typing.definitions import Definition, FunDefinition, LocFamilyDefinition, NetDefinition

__all__ = ["Completion", "completions"]

_FIELD = re.compile(r"[^\s\[\]|]+")
_PLACEHOLDERS = frozenset({"number"})
_PART = re.compile(r"(?<=[_\W])(?=\w)|(?<=[^\W\d_])(?=\d)|(?<=[a-z])(?=[A-Z])")


def completions(session: Session, text: str, cursor: int) -> tuple[int, list[Completion]]:
    """Return where the partial word before ``cursor`` begins, and its completions, most relevant first.

    Words that start with it; if there are none, words one part of which starts with it. Never raises.
    """
    cursor = min(max(cursor, 0), len(text))
    before = text[:cursor]
    partial = partial_name(before)
    if partial is not None:
        return cursor - len(partial), _symbols(partial)
    in_section = _in_section(session, before) if any(line in before for line in SECTIONS) else None
    if in_section is not None:
        return in_section
    context = context_at_end(before)
    match context:
        case None:
            return cursor, []
        case DirectiveName(start, word):
            return start, _directives(word)
        case Quoted(start, typed, head):
            return _in_quotes(session, start, typed, head)
        case Argument():
            return _arguments(session, context)
        case Word(start, word):
            if context.last == "%":
                return start, []
            begun = len(before) - len(word) if not context.before else context.before[0].start
            definitions = declared_in(session.definitions, text[:begun], "cell", session.folder)
            found = _matching(words(definitions, context, text), word)
            return start, described(definitions, text, found)


def _in_section(session: Session, before: str) -> tuple[int, list[Completion]] | None:
    """Complete inside a section such as ``%%lambda``; ``None`` if the cursor is not in one."""
    position = section_at(Source("cell", before), len(before))
    if position is None:
        return None
    if position.section == LAMBDA_SECTION:
        from rh_kernel.kernel.completion import lambda_cells

        candidates = lambda_cells.complete(session.functions, position)
    else:
        from rh_kernel.kernel.completion import eff_cells

        candidates = eff_cells.complete(session.effects, position)
    by_name: dict[str, Completion] = {}
    for c in candidates.found:
        by_name.setdefault(c.text, c)
    return candidates.start, [by_name[name] for name in _matching(by_name, candidates.word)]


def _matching(found: Iterable[str], word: str) -> list[str]:
    """The distinct names that start with ``word``, exact case first; if none, those with a part that starts with it."""
    folded, exact = _folded(word), unicodedata.normalize("NFC", word)
    each = [name for name in dict.fromkeys(found) if name != exact]
    begin = [name for name in each if _folded(name).startswith(folded)]
    fitting = begin or [name for name in each if _has_part(name, folded)]
    return sorted(fitting, key=lambda name: not name.startswith(exact))


def _folded(text: str) -> str:
    return text.lower() if text.isascii() else unicodedata.normalize("NFC", text).casefold()


def _has_part(text: str, folded: str) -> bool:
    """Whether a part of a name, such as ``step`` in ``adam_step`` or ``Layer`` in ``myLayer``, starts with ``folded``."""
    return any(_folded(text[m.start() :]).startswith(folded) for m in _PART.finditer(text))


def _symbols(partial: str) -> list[Completion]:
    match symbols_for(partial):
        case [(name, symbol)]:
            return [Completion(symbol, "text", name)]
        case found:
            return [Completion(name, symbol, symbol) for name, symbol in found]


def _directives(typed: str) -> list[Completion]:
    usages = {f"%{directive.name}": directive.call for directive in directives().values()}
    usages[PYTHON] = f"{PYTHON}, the first line of a cell"
    usages |= {**SECTION_LINES, RETURN: RETURN_LINE}
    return [Completion(name, "magic", usages[name]) for name in _matching(usages, typed)]


def _in_quotes(session: Session, start: int, typed: str, head: str) -> tuple[int, list[Completion]]:
    """Complete a data set or file in ``data("…")``, an array file in ``load("…")``, a program in ``include "…"``."""
    match head:
        case "data":
            sets = [] if "/" in typed else _matching(_data_sets(session), typed)
            at, files = _files(session, start, typed, has_name_of_data)
            return at, [*[Completion(name, "text", "data set") for name in sets], *files]
        case "include":
            at, files = _files(session, start, typed, _with((SUFFIX,)))
            shipped = [] if "/" in typed else _matching(library_names(), typed)
            own = {file.text for file in files}
            return at, [*files, *[Completion(name, "path", "library") for name in shipped if name not in own]]
        case "load":
            return _files(session, start, typed, _with((*NPY.suffixes, *saved_suffixes())))
        case _:
            return start, []


def _data_sets(session: Session) -> Iterator[str]:
    for name in (*session.given, *NAMES):
        yield name
        yield f"{name}.train"
        yield f"{name}.test"


def _files(session: Session, start: int, typed: str, is_listed: Listed) -> tuple[int, list[Completion]]:
    """Return where the last component of a partial path begins, and the files and folders that match it."""
    way, slash, name = typed.rpartition("/")
    found = _matching(entries(session.folder, typed, is_listed), name)
    shown = [Completion(name, "path", "folder" if name.endswith("/") else "file") for name in found]
    return start + len(way + slash), shown


def _with(endings: tuple[str, ...]) -> Listed:
    """Return whether the name of a file has one of the endings."""

    def is_listed(name: str, *, is_folder: bool) -> bool:
        return not is_folder and name.lower().endswith(endings)

    return is_listed


def _named(session: Session, kind: type[Definition]) -> list[str]:
    return [n for n in session.definitions.named if isinstance(session.definitions.get(n), kind)]


def _arguments(session: Session, context: Argument) -> tuple[int, list[Completion]]:
    """Complete an argument of a directive from its usage: the n-th word is one of the n-th ``a|b``.

    After ``a…`` all further words have that form.
    """
    directive = find(context.directive)
    argument = "" if directive is None else directive.usage
    forms = [_FIELD.findall(form) for form in argument.split()]
    at = len(context.given)
    if at >= len(forms) and "…" in argument:
        at = len(forms) - 1
    fields = forms[at] if at < len(forms) else []
    match fields:
        case ["net"]:
            named = [n for kind in (NetDefinition, FunDefinition) for n in _named(session, kind)]
            return context.start, described(session.definitions, "", _matching(named, context.text))
        case ["file"] if directive is not None and directive.suffixes:
            stem = context.given[0] if context.given else context.text.partition(".")[0] or "view"
            new = [f"{stem}{suffix}" for suffix in directive.suffixes]
            start, found = _files(session, context.start, context.text, _with(directive.suffixes))
            there = {c.text for c in found}
            return start, [*[Completion(n, "path", "new file") for n in _matching(new, context.text) if n not in there], *found]
        case ["file"]:
            start, found = _files(session, context.start, context.text, _with(saved_suffixes()))
            return start, found if context.quoted else [c for c in found if " " not in c.text]
        case ["data…"]:
            return _in_quotes(session, context.start, context.text, "data")
        case ["what"]:
            meanings = {str(name): meaning for name, meaning in MEANINGS.items()}
            return context.start, [Completion(n, "keyword", meanings[n]) for n in _matching(meanings, context.text)]
        case ["location…"]:
            known = [*session.definitions.named, *session.definitions.locations()]
            places = {*session.definitions.locations()}
            places |= {n for n in known if isinstance(session.definitions.get(n), LocFamilyDefinition)}
            others = [name for name in dict.fromkeys(known) if name in places and name not in context.given]
            return context.start, described(session.definitions, "", _matching(others, context.text))
        case ["name"]:
            known = [*session.definitions.named, *SYMBOLS, *FORMS, *names()]
            return context.start, described(session.definitions, "", _matching(known, context.text))
        case _:
            choices = [field for field in fields if field not in _PLACEHOLDERS]
            return context.start, [
                Completion(n, "keyword", f"%{context.directive} {argument}") for n in _matching(choices, context.text)
            ]
