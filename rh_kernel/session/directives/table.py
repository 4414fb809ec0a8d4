"""Directives (LANGUAGE §6): which there are, what they take, and what is said about one that is used in another way."""

import difflib
import re
from collections.abc import Mapping

from rh_kernel.session.errors import DirectiveWords, UnknownDirective
from rh_kernel.source.diagnostic import Fix, Rejected
from rh_kernel.source.span import Span
from rh_kernel.syntax import surface as s
from rh_kernel.syntax import surface_items as items
from rh_kernel.syntax.parsing.advice import OF_PYTHON
from rh_kernel.syntax.parsing.tokens import EFFECTS, LABORATORY
from rh_kernel.syntax.signature import Location

DIRECTIVES = {
    "trace": ("P", "the stepper: every reduction step, redex and contractum marked, rule name, heap"),
    "type": ("E", "the type of a term, a command or a name"),
    "derivation": ("E", "the typing derivation of a term, a command or a name, as a proof tree"),
    "diagram": ("E", "the string diagram of a term, a command or a net, handlers unfolded"),
    "gradient": ("P [against Q]", "the pass as data: every box with its forward value and its cotangent; beside that of Q"),
    "compile": (
        "[--passes|--profile] P",
        "the straight-line program that runs, or that of a batch of `train P for …`, with operation counts; the program "
        "after each pass; what each step takes",
    ),
    "heap": ("[location…]", "every location with its content, or those that are named"),
    "reset": ("", "put the initial contents back into all locations"),
    "save": ("file", "write the content of every location to an .npz or .safetensors file"),
    "load": ("file", "put the contents in such a file into the locations of these names"),
    "whos": ("", "every name that was declared: its type, its place, and whether what it was made from has changed since"),
    "undo": ("", "undo what the last cell did to names, heap and settings"),
    "limit": ("[what [number|off|default]]", "what bounds a cell: steps, nodes, equations, output, bytes, seconds"),
    "locked": (
        "[empty|infinite|off] [empty|infinite]",
        "to the end of the cell: names are the language's and those of locked cells",
    ),
    "strict": ("on|off", "whether a function is undefined where it is not smooth"),
    "evaluator": ("compiled|stepped|denoted", "which of the three readings of a program evaluates it"),
    "device": ("cpu|gpu", "where compiled programs and training runs compute"),
    "dtype": ("float64|float32", "the precision of compiled programs and training runs"),
    "help": ("name", "what a name stands for; without a name, this list"),
    "lsmagic": ("", "this list"),
}

LABORATORY_DIRECTIVES = {
    "ad": (
        "SYSTEM f[(M, …) [with W|along V] [--trace]]",
        "in a %%lambda cell: the gradient of f by a published system, or by all; without arguments the forms of f on the way",
    ),
}
"""The directives of ``%%lambda`` cells, in which there are no others."""

EFFECTS_DIRECTIVES = {
    "trace": ("M", "in a %%eff cell: every step of the reduction of M, redex and contractum marked, with the rule's name"),
    "count": ("M", "in a %%eff cell: M, the steps of the machine, the operations by handlers, and references made and alive"),
    "type": ("M", "in a %%eff cell: the type and the effects of an expression, a function, a handler, an operation"),
}
"""The directives of ``%%eff`` cells, in which there are no others."""

ALL_DIRECTIVES = {**DIRECTIVES, **LABORATORY_DIRECTIVES, **{k: v for k, v in EFFECTS_DIRECTIVES.items() if k not in DIRECTIVES}}
"""Every directive; one that ``%%eff`` cells have as well is here as it is elsewhere."""

LABORATORY_CELL = "from this line on: the laboratory, one language for several systems of automatic differentiation"
EFFECTS_CELL = "from this line on: EFF, a language of effects and handlers in which differentiation is a handler"
SECTION_LINES = {LABORATORY: LABORATORY_CELL, EFFECTS: EFFECTS_CELL}
"""The lines from which on a text is in another language, and what follows them."""

RETURN_LINE = "ends what a line like `%%lambda` began, so that the language of reverse handlers follows"

PYTHON_CELL = "as the first line of a cell: ordinary IPython in the same process; `rh` there is the session"

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
            hint = "`%heap` alone shows all of them"
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
    """The complaint about a directive that does not exist."""
    name = item.name.text
    if name in LABORATORY_DIRECTIVES:
        hint = f"write `%{name}` below a line %%lambda, with the functions that it differentiates"
        raise Rejected(UnknownDirective(span=item.name.span, name=name, hint=hint))
    if name in EFFECTS_DIRECTIVES:
        hint = f"write `%{name}` below a line %%eff, before an expression of that language"
        raise Rejected(UnknownDirective(span=item.name.span, name=name, hint=hint))
    is_of_python = name in _OF_IPYTHON.split()
    near = [] if is_of_python else difflib.get_close_matches(name, DIRECTIVES, n=1)
    span = Span(item.span.source, item.span.start, item.name.span.end)
    fix = Fix(span, f"%{near[0]}") if near else None
    hint = "" if near else OF_PYTHON if is_of_python else "`%help` lists the directives"
    return Rejected(UnknownDirective(span=span, name=item.name.text, hint=hint, fix=fix))
