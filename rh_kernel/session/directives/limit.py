"""``%limit``: show or change the limits of cells."""

from dataclasses import replace

from rh_kernel.session.actions import AnalysisContext, ChangeSettings
from rh_kernel.session.directives.arguments import invalid_arguments
from rh_kernel.session.directives.directive import Directive
from rh_kernel.session.limits.bounds import DEFAULT, LEAST_OUTPUT, MEANINGS, Bound, Bounds, value_of
from rh_kernel.syntax import surface_items as items
from rh_kernel.syntax.runtime_errors import readable

_UNITS = {"k": 10**3, "M": 10**6, "G": 10**9, "T": 10**12}
_LONGEST = 15


def _analyze(item: items.Directive, context: AnalysisContext) -> ChangeSettings:
    bounds, text = _changed(context.settings.bounds, item)
    return ChangeSettings(replace(context.settings, bounds=bounds), text)


def _changed(bounds: Bounds, item: items.Directive) -> tuple[Bounds, str]:
    """Return the bounds after, e.g., ``%limit steps 5000``, and the message. Raises ``Rejected``."""
    match item.words:
        case ():
            return bounds, "\n".join([_line(bounds, name) for name in MEANINGS])
        case (word,) if word in MEANINGS:
            return bounds, _line(bounds, word)
        case (word, "off" | "default" as how) if word in MEANINGS:
            return _with(bounds, word, None if how == "off" else value_of(DEFAULT, word))
        case (word, number) if word in MEANINGS and (found := _number(number)) is not None:
            if word == "output" and found < LEAST_OUTPUT:
                wanted = f"`output` from {LEAST_OUTPUT:,} characters on"
                hint = "with less, a cell could not show that the limit was raised again"
                raise invalid_arguments("limit", item.span, wanted, f"`{number}`", hint)
            return _with(bounds, word, found)
        case (word, number) if word in MEANINGS:
            wanted = f"a whole number from 1 on after `{word}`, or `off`, or `default`"
            hint = "`5k` and `2G` are numbers too; `%limit` alone shows the current limits"
            raise invalid_arguments("limit", item.span, wanted, f"`{number}`", hint)
        case words:
            wanted = f"{', '.join(f'`{name}`' for name in MEANINGS)}, and a number, `off` or `default`"
            hint = "for example `%limit steps 5000` or `%limit bytes 2G`; `%limit` alone shows the current limits"
            raise invalid_arguments("limit", item.span, wanted, f"`{' '.join(words)}`", hint)


def _with(bounds: Bounds, name: Bound, value: int | None) -> tuple[Bounds, str]:
    bounds = replace(bounds, **{name: value})
    return bounds, _line(bounds, name)


def _line(bounds: Bounds, name: Bound) -> str:
    value = value_of(bounds, name)
    match value:
        case None if name == "bytes":
            shown = "half of the memory"
        case None:
            shown = "off"
        case number if name == "bytes":
            shown = readable(number)
        case number:
            shown = f"{number:,}"
    return f"{name:<9}  {shown:<18}  {MEANINGS[name]}"


def _number(word: str) -> int | None:
    """Parse ``5000``, ``5_000`` or ``2G``; return ``None`` if it is not a positive integer."""
    digits, factor = (word[:-1], _UNITS[word[-1]]) if word[-1:] in _UNITS else (word, 1)
    plain = digits.replace("_", "").replace(",", "")
    if not (plain.isascii() and plain.isdecimal()) or len(plain) > _LONGEST:
        return None
    return int(plain) * factor or None


DIRECTIVE = Directive(
    "limit",
    "[what [number|off|default]]",
    "what bounds a cell: steps, nodes, equations, output, bytes, seconds",
    _analyze,
    checks_live=False,
    order=300,
    example="%limit",
    details="See [Limits](#limits).",
)
