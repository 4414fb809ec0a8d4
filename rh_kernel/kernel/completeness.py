"""Whether a cell is complete, including its ``%%lambda`` and ``%%eff`` sections, which the parser of the language skips."""

from rh_kernel.source.diagnostic import Diagnostic, Rejected
from rh_kernel.source.span import Source, Span
from rh_kernel.syntax.parsing.hints import THE_END
from rh_kernel.syntax.parsing.layout import INDENT
from rh_kernel.syntax.parsing.lexer import chunks, section
from rh_kernel.syntax.parsing.parser import Completeness, Unparsed, parse
from rh_kernel.syntax.parsing.parser import completeness as of_language
from rh_kernel.syntax.parsing.tokens import LAMBDA_SECTION, SECTIONS


def completeness(text: str) -> tuple[Completeness, str]:
    """Return whether a cell is complete, incomplete or invalid, and the indentation of the next line.

    A section without items is incomplete; otherwise the last item of the text decides.
    """
    if not any(line in text for line in SECTIONS):
        return of_language(text)
    source = Source("input", text)
    pieces = chunks(source)
    sections = [found for chunk in pieces if (found := section(chunk)) is not None]
    inner = [wrong for found in sections for part in found.items if (wrong := _syntax_error(found.line, part)) is not None]
    last = section(pieces[-1])
    if last is None:
        return ("invalid", "") if inner else of_language(text)
    if any(isinstance(parsed, Unparsed) for parsed in parse(source)):
        return "invalid", ""
    ends = last.items
    if not ends:
        return ("incomplete", "") if pieces[-1].text.count("\n") <= 1 else ("complete", "")
    if not inner:
        return "complete", ""
    ((part, error), *others) = inner
    if not others and part.start == ends[-1].start and part.end == len(text) and error.found == THE_END:
        return "incomplete", _indentation(ends[-1])
    return "invalid", ""


def _syntax_error(line: str, part: Span) -> tuple[Span, Diagnostic] | None:
    try:
        _parse(line, part)
    except Rejected as rejected:
        return part, rejected.diagnostics[0]
    except RecursionError:
        return None
    return None


def _parse(line: str, part: Span) -> None:
    """Parse an item of a section that starts with ``line``. Raises ``Rejected``."""
    if line == LAMBDA_SECTION:
        from rh_kernel.ad.language.parsing_items import item

        item(part)
    else:
        from rh_kernel.ad.eff.frontend.parsing_items import item as eff_item

        eff_item(part)


def _indentation(part: Span) -> str:
    """The indentation of the last line that is not blank, but at least one level."""
    last = [line for line in part.text.split("\n") if line.strip()][-1]
    indented = last[: len(last) - len(last.lstrip(" "))]
    return max(indented, " " * INDENT, key=len)
