"""``rh.check``: diagnose a cell while it is edited. Nothing is run, and the session does not change."""

from collections.abc import Callable, Iterator, Mapping
from dataclasses import replace
from pathlib import Path
from typing import Any

from rh_kernel.display.diagnostics import error
from rh_kernel.kernel.completeness import completeness
from rh_kernel.session.actions import Refuse
from rh_kernel.session.analyze import declared_names
from rh_kernel.session.directives.registry import find
from rh_kernel.session.included_files import declarations
from rh_kernel.session.session import Session, actions_of
from rh_kernel.source.diagnostic import Diagnostic
from rh_kernel.source.span import Source, Span
from rh_kernel.syntax.parsing.lexer import python_starts, tokens
from rh_kernel.syntax.parsing.parser import Unparsed, parse
from rh_kernel.syntax.parsing.tokens import EFF_SECTION, LAMBDA_SECTION, Kind
from rh_kernel.syntax.surface_items import Directive, IncludeItem, Item, SectionItem, SweepItem, TrainItem

TARGET = "rh.check"
LONGEST = 20_000
"""Longer texts, in characters, are not checked."""
STEPS, BYTES, NODES = 1_000, 10_000_000, 20_000
"""Bounds on evaluating a constant and on a program with nets unfolded; anything larger is left to execution."""
STATIC = ("RH0", "RH1", "RH5")
"""Code prefixes of diagnostics about syntax, types, and the arguments of ``%ad``."""


def diagnose(session: Session, text: str, *, cell: str = "", above: str = "") -> tuple[Diagnostic, ...]:
    """Return the diagnostics of a cell that are certain before it is run, errors and warnings.

    Empty if the cell is incomplete, in Python, or too long. ``above`` is the text of the cells above: if the cell uses a name
    that is declared there but not in the session, only syntax errors are reported.
    """
    if len(text) > LONGEST or python_starts(text) is not None or completeness(text)[0] == "incomplete":
        return ()
    found = _found(session, text, cell)
    written = above[:LONGEST]
    later = (
        _declared(written, session.folder) - session.definitions.named.keys() | _functions(written) - session.functions.keys()
    )
    if not _names(text).isdisjoint(later) or _needs_eff_declarations(session, text, written):
        return tuple([d for d in found if d.code.startswith(STATIC[0])])
    return tuple(found)


def _found(session: Session, text: str, cell: str) -> Iterator[Diagnostic]:
    """The diagnostics of each item, up to the first item that cannot be checked without running it."""
    bounds = replace(session.settings.bounds, steps=STEPS, bytes=BYTES, nodes=NODES)
    small = replace(session, settings=replace(session.settings, bounds=bounds))
    source = Source("cell", text)
    for _, action in actions_of(small, [now for item in parse(source) if (now := _checked_now(item)) is not None], cell):
        if isinstance(action, Refuse):
            is_here = all(d.span is None or d.span.source is source for d in action.diagnostics)
            if not is_here or not all(d.code.startswith(STATIC) for d in action.diagnostics):
                return
            yield from action.diagnostics
        yield from action.warnings(source)


def _checked_now(item: Item | Unparsed) -> Item | Unparsed | None:
    """What can be checked of an item before it is run; of a sweep, the items that do not read data."""
    if not isinstance(item, SweepItem):
        return None if _is_later(item) else item
    swept = tuple([each for each in item.items if not _is_later(each)])
    return replace(item, items=swept) if swept else None


def _is_later(item: Item | Unparsed) -> bool:
    """Whether analysing the item would read files, draw, lift the bounds, or evaluate arguments."""
    if isinstance(item, SectionItem):
        if item.section != LAMBDA_SECTION:
            return False
        from rh_kernel.kernel.sections.lambda_cells import computes

        return computes(item.span)
    if isinstance(item, Directive):
        directive = find(item.name.text)
        return item.training is not None or (directive is not None and not directive.checks_live)
    return isinstance(item, TrainItem)


def _names(text: str) -> set[str]:
    source = Source("cell", text)
    return {token.text for token in tokens(Span(source, 0, len(text))) if token.kind is Kind.NAME}


def _declared(text: str, folder: Path) -> set[str]:
    """Return the names that a text declares; the files that it includes are relative to ``folder``."""
    written = parse(Source("above", text))
    included = [made for item in written if isinstance(item, IncludeItem) for made in declarations(item, folder)]
    return {name for item in (*written, *included) for name in declared_names(item)}


def _functions(text: str) -> set[str]:
    """Return the functions that a text declares in ``%%lambda`` sections."""
    if LAMBDA_SECTION not in text:
        return set()
    from rh_kernel.kernel.sections.lambda_cells import functions_named

    return functions_named(Source("above", text))


def _needs_eff_declarations(session: Session, text: str, above: str) -> bool:
    """Whether ``text`` may use something that ``%%eff`` sections in ``above`` declare or include and the session lacks."""
    if EFF_SECTION not in text or EFF_SECTION not in above:
        return False
    from rh_kernel.kernel.sections.eff_cells import declared_names, includes

    source = Source("above", above)
    known = session.effects
    included = frozenset[str]() if known is None else known.definitions.included
    names = frozenset[str]() if known is None else known.every_name
    return not includes(source) <= included or not _names(text).isdisjoint(declared_names(source) - names)


def listener(session: Callable[[], Session]) -> Callable[[Any, Any], None]:
    """Return the callback for a newly opened comm: it answers each question; a malformed one gets an empty answer."""

    def opened(channel: Any, _message: Any) -> None:
        def answer(message: Any) -> None:
            asked = message["content"]["data"]
            channel.send({"number": asked.get("number"), "diagnostics": _answer(session(), asked)})

        channel.on_msg(answer)

    return opened


def _answer(session: Session, asked: Mapping[str, Any]) -> list[Mapping[str, Any]]:
    """Return the diagnostics as JSON records; empty if the check itself fails, since running the cell will report that."""
    try:
        found = diagnose(session, asked["text"], cell=asked.get("cell", ""), above=asked.get("above", ""))
        return [error(d) for d in found if d.span is not None]
    except Exception:
        return []
