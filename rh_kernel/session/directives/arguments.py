"""The arguments of directives (LANGUAGE §6), and the errors for invalid ones."""

import difflib
import re
from collections.abc import Mapping
from types import MappingProxyType

from rh_kernel.session.directives.registry import names
from rh_kernel.session.errors import DirectiveArguments, UnknownDirective
from rh_kernel.source.diagnostic import Fix, Rejected
from rh_kernel.source.span import Span
from rh_kernel.syntax import surface as s
from rh_kernel.syntax import surface_items as items
from rh_kernel.syntax.parsing.hints import OF_PYTHON
from rh_kernel.syntax.parsing.tokens import EFF_SECTION, LAMBDA_SECTION
from rh_kernel.syntax.signature import Location

_OF_IPYTHON = (
    "alias autoreload bash capture cd conda config debug edit env history html javascript latex load_ext ls magic "
    "mamba matplotlib notebook pdb pip prun pwd pylab python reload_ext rerun run script sh store sx system time "
    "timeit uv who writefile"
)
"""IPython's line magics that users may try here."""


def invalid_arguments(name: str, span: Span, wanted: str, found: str, hint: str = "", fix: Fix | None = None) -> Rejected:
    """Return the error (RH042) for invalid arguments of the directive ``name``."""
    return Rejected(DirectiveArguments(span=span, name=name, wanted=wanted, found=found, hint=hint, fix=fix))


def _invalid(item: items.Directive, wanted: str, found: str, hint: str, fix: Fix | None = None) -> Rejected:
    return invalid_arguments(item.name.text, item.span, wanted, found, hint, fix)


def needs_expression(item: items.Directive) -> s.Expr:
    """Return the expression after the directive. Raises ``Rejected`` if there is none."""
    if item.argument is None:
        raise _invalid(item, "a term or a command", "nothing", f"for example `%{item.name.text} return 1 + 2`")
    return item.argument


def expect_no_arguments(item: items.Directive) -> None:
    """Raise ``Rejected`` if anything follows the directive's name."""
    if item.words or item.argument is not None:
        raise _invalid(item, "nothing more", f"`{item.span.text}`", f"write `%{item.name.text}` alone on its line")


def choice(item: items.Directive, *choices: str) -> str | None:
    """Return the only argument, one of ``choices``, or ``None`` if there is none. Raises ``Rejected`` for others."""
    match item.words:
        case ():
            return None
        case (word,) if word in choices:
            return word
        case words:
            *others, last = [f"`{choice}`" for choice in choices]
            hint = f"`%{item.name.text}` alone shows the current setting"
            fix = _nearest(item.span, words, choices)
            raise _invalid(item, f"{', '.join(others)} or {last}", f"`{' '.join(words)}`", hint, fix)


def several_choices(item: items.Directive, choices: tuple[str, ...], *, alone: str) -> tuple[str, ...]:
    """Return the arguments, each one of ``choices``; ``alone`` excludes the others. Raises ``Rejected`` otherwise."""
    words = item.words
    if set(words) <= set(choices) and (alone not in words or len(words) == 1):
        return words
    others = ", ".join([f"`{choice}`" for choice in choices if choice != alone])
    hint = f"several words can be combined; `{alone}` cannot"
    raise _invalid(item, f"nothing, words of {others}, or `{alone}`", f"`{' '.join(words)}`", hint)


_NO_FAMILIES: Mapping[str, tuple[Location, ...]] = MappingProxyType({})


def named_locations(
    item: items.Directive, known: Mapping[str, Location], families: Mapping[str, tuple[Location, ...]] = _NO_FAMILIES
) -> tuple[Location, ...]:
    """Return the locations named by the arguments, or by the families among them, without duplicates.

    Raises ``Rejected`` for an unknown name.
    """
    named = tuple([word.rstrip(",") for word in item.words if word != ","])
    for name in named:
        if name not in known and name not in families:
            fix = _nearest(item.span, item.words, (*known, *families))
            raise _invalid(item, "names of locations", f"`{name}`", f"`%{item.name.text}` alone shows all of them", fix)
    found = [families[name] if name in families else (known[name],) for name in named]
    return tuple(dict.fromkeys([location for several in found for location in several]))


def _nearest(whole: Span, words: tuple[str, ...], choices: tuple[str, ...]) -> Fix | None:
    """Return the quick fix that replaces a single misspelt argument by the closest choice."""
    match words:
        case (word,) if whole.text.endswith(word):
            near = difflib.get_close_matches(word.lower(), choices, n=1)
            return Fix(Span(whole.source, whole.end - len(word), whole.end), near[0]) if near else None
        case _:
            return None


def file_name(item: items.Directive) -> str:
    """Return the file name after ``%save`` or ``%load``. Raises ``Rejected`` for other arguments."""
    written = item.span.text.removeprefix("%").strip().removeprefix(item.name.text).strip()
    match item.words:
        case (name,) if name and written.count('"') != 1 and not name.startswith("'"):
            return name
        case _:
            found, fix = f"`{written}`" if written else "nothing", None
            hint = f'for example `%{item.name.text} weights.npz`; put a name with spaces in quotes, "my weights.npz"'
            if written.startswith('"') and written.count('"') == 1:
                hint, fix = "its closing quote is missing", Fix(Span(item.span.source, item.span.end, item.span.end), '"')
            elif re.fullmatch(r"'[^'\"]+'", written):
                hint = "a name with spaces needs double quotes"
                fix = Fix(Span(item.span.source, item.span.end - len(written), item.span.end), f'"{written[1:-1]}"')
            raise _invalid(item, "a file", found, hint, fix)


def unknown_directive(item: items.Directive) -> Rejected:
    """Return the error (RH041) for a directive that does not exist."""
    name = item.name.text
    if name in names(LAMBDA_SECTION):
        hint = f"write `%{name}` below a line %%lambda, with the functions that it differentiates"
        return Rejected(UnknownDirective(span=item.name.span, name=name, hint=hint))
    if name in names(EFF_SECTION):
        hint = f"write `%{name}` below a line %%eff, before an expression of that language"
        return Rejected(UnknownDirective(span=item.name.span, name=name, hint=hint))
    is_of_python = name in _OF_IPYTHON.split()
    near = [] if is_of_python else difflib.get_close_matches(name, names(), n=1)
    span = Span(item.span.source, item.span.start, item.name.span.end)
    fix = Fix(span, f"%{near[0]}") if near else None
    hint = "" if near else OF_PYTHON if is_of_python else "`%help` lists the directives"
    return Rejected(UnknownDirective(span=span, name=name, hint=hint, fix=fix))
