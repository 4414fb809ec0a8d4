"""The words behind a directive (LANGUAGE §6): what they may be, and the errors for others"""

import difflib
import re
from collections.abc import Mapping

from rh_kernel.session.directives.registry import names
from rh_kernel.session.errors import DirectiveWords, UnknownDirective
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
"""The line magics of IPython that somebody may look for here."""


def needs_expression(item: items.Directive) -> s.Expr:
    """The expression the directive is about. Raises ``Rejected`` if there is none."""
    if item.argument is None:
        hint = f"for example `%{item.name.text} return 1 + 2`"
        raise Rejected(
            DirectiveWords(span=item.span, name=item.name.text, wanted="a term or a command", found="nothing", hint=hint)
        )
    return item.argument


def expect_no_words(item: items.Directive) -> None:
    """Raises ``Rejected`` if something follows the directive's name."""
    if item.words or item.argument is not None:
        found, hint = f"`{item.span.text}`", f"write `%{item.name.text}` alone on its line"
        raise Rejected(DirectiveWords(span=item.span, name=item.name.text, wanted="nothing more", found=found, hint=hint))


def chosen(item: items.Directive, *choices: str) -> str | None:
    """What a setting is set to, ``None`` if it is only asked for. Raises ``Rejected`` for other words."""
    match item.words:
        case ():
            return None
        case (word,) if word in choices:
            return word
        case words:
            *others, last = [f"`{choice}`" for choice in choices]
            wanted = f"{', '.join(others)} or {last}"
            found, hint = f"`{' '.join(words)}`", f"`%{item.name.text}` alone shows the current setting"
            fix = _nearest(item.span, words, choices)
            raise Rejected(DirectiveWords(span=item.span, name=item.name.text, wanted=wanted, found=found, hint=hint, fix=fix))


def chosen_words(item: items.Directive, choices: tuple[str, ...], *, alone: str) -> tuple[str, ...]:
    """The words of a directive, each one of ``choices``; ``alone`` stands without others. Raises ``Rejected`` else."""
    words = item.words
    if set(words) <= set(choices) and (alone not in words or len(words) == 1):
        return words
    others = ", ".join([f"`{choice}`" for choice in choices if choice != alone])
    wanted, found = f"nothing, words of {others}, or `{alone}`", f"`{' '.join(words)}`"
    hint = f"several words can be combined; `{alone}` cannot"
    raise Rejected(DirectiveWords(span=item.span, name=item.name.text, wanted=wanted, found=found, hint=hint))


def named_locations(item: items.Directive, known: Mapping[str, Location]) -> tuple[Location, ...]:
    """The locations that are named, each once. Raises ``Rejected`` for a word that names none."""
    named = tuple([word.rstrip(",") for word in item.words if word != ","])
    for name in named:
        if name not in known:
            hint = f"`%{item.name.text}` alone shows all of them"
            fix = _nearest(item.span, item.words, tuple(known))
            raise Rejected(
                DirectiveWords(
                    span=item.span, name=item.name.text, wanted="names of locations", found=f"`{name}`", hint=hint, fix=fix
                )
            )
    return tuple([known[name] for name in dict.fromkeys(named)])


def _nearest(whole: Span, words: tuple[str, ...], choices: tuple[str, ...]) -> Fix | None:
    """The choice that a single word is nearly, in its place."""
    match words:
        case (word,) if whole.text.endswith(word):
            near = difflib.get_close_matches(word.lower(), choices, n=1)
            return Fix(Span(whole.source, whole.end - len(word), whole.end), near[0]) if near else None
        case _:
            return None


def file_name(item: items.Directive) -> str:
    """The file that ``%save`` or ``%load`` names. Raises ``Rejected`` for other words."""
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
            raise Rejected(
                DirectiveWords(span=item.span, name=item.name.text, wanted="a file", found=found, hint=hint, fix=fix)
            )


def unknown_directive(item: items.Directive) -> Rejected:
    """The error for a directive that does not exist."""
    name = item.name.text
    if name in names(LAMBDA_SECTION):
        hint = f"write `%{name}` below a line %%lambda, with the functions that it differentiates"
        raise Rejected(UnknownDirective(span=item.name.span, name=name, hint=hint))
    if name in names(EFF_SECTION):
        hint = f"write `%{name}` below a line %%eff, before an expression of that language"
        raise Rejected(UnknownDirective(span=item.name.span, name=name, hint=hint))
    is_of_python = name in _OF_IPYTHON.split()
    near = [] if is_of_python else difflib.get_close_matches(name, names(), n=1)
    span = Span(item.span.source, item.span.start, item.name.span.end)
    fix = Fix(span, f"%{near[0]}") if near else None
    hint = "" if near else OF_PYTHON if is_of_python else "`%help` lists the directives"
    return Rejected(UnknownDirective(span=span, name=item.name.text, hint=hint, fix=fix))
