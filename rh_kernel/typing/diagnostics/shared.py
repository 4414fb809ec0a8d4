"""Diagnostics shared by several judgments: undefined names, names of the wrong kind, mismatched types."""

from collections.abc import Iterable
from dataclasses import replace

from rh_kernel.primitives.table import SYMBOLS, Failing
from rh_kernel.source.diagnostic import Fix, Note, Rejected
from rh_kernel.source.span import Span
from rh_kernel.syntax import surface as s
from rh_kernel.syntax.core import ReverseHandler
from rh_kernel.syntax.parsing.hints import COMMENTS
from rh_kernel.syntax.parsing.tokens import INCLUDE
from rh_kernel.syntax.signature import Parameter
from rh_kernel.syntax.types import Type
from rh_kernel.typing import errors
from rh_kernel.typing.context import Context, Entry, Zone
from rh_kernel.typing.definitions import HandlerDefinition, NetDefinition, OpDefinition, kind_of
from rh_kernel.typing.derivation.rules import TypingRule
from rh_kernel.typing.diagnostics.hints import NO_EXPECTATION, Expectation, dimension_as_number, instead, type_mismatch_hint
from rh_kernel.typing.diagnostics.origins import chosen, origins, where
from rh_kernel.typing.diagnostics.quick_fixes import array_of, is_number, is_typo, sign
from rh_kernel.typing.diagnostics.suggestions import foreign_name_hint, nearest
from rh_kernel.typing.unification.atoms import unknowns
from rh_kernel.typing.unification.unify import Unifier

_MAX_LISTED = 6


# -- names ---------------------------------------------------------------------------------------------------------------------


def no_such_thing(cx: Context, name: str, span: Span, wanted: str, names: Iterable[str], hint: str = "") -> Rejected:
    """The diagnostic for a name that is undefined or not a ``wanted``; ``names`` are the candidates to suggest."""
    is_a = _kind_here(cx, name)
    return unknown_name(cx, name, span, names, hint) if is_a is None else wrong_kind(cx, name, span, is_a, wanted)


def recursive(failure: Rejected, name: str) -> Rejected:
    """Explain in the diagnostics about ``name`` that it is only being declared: there is no recursion."""
    hint = f"`{name}` cannot use itself: there is no recursion"
    amended = (
        replace(d, hint=hint, fix=None, notes=()) if isinstance(d, errors.UnknownName) and d.name == name else d
        for d in failure.diagnostics
    )
    return Rejected(*amended)


def unknown_name(cx: Context, name: str, span: Span, names: Iterable[str], hint: str = "") -> Rejected:
    """The diagnostic for an undefined name, suggesting the closest of ``names``; for a typo with a quick fix."""
    if name in cx.definitions.failed:
        return Rejected(errors.DependsOnError(span=span, name=name, hint="fix its declaration first"))
    known = list(names)
    near = nearest(name, known, SYMBOLS)
    if INCLUDE in cx.definitions.failed and (near is None or not is_typo(name, near)):
        hint = "perhaps the file that could not be included declares it"
        return Rejected(errors.UnknownName(span=span, name=name, hint=hint))
    if near is None:
        return Rejected(errors.UnknownName(span=span, name=name, hint=foreign_name_hint(name) or hint))
    fix = Fix(span, near) if span.text == name and is_typo(name, near) else None
    hint = "" if fix else f"did you mean `{near}`?"
    return Rejected(errors.UnknownName(span=span, name=name, hint=hint, fix=fix, notes=chosen(span, where(cx, near))))


def wrong_kind(cx: Context, name: str, span: Span, is_a: str, wanted: str) -> Rejected:
    """The diagnostic for a name of the wrong kind."""
    definition = cx.definitions.get(name)
    hint = instead(is_a, wanted, name)
    if isinstance(definition, HandlerDefinition) and is_a == kind_of(definition):
        applied = f"{name}({', '.join(parameter for parameter, _ in definition.parameters)})".removesuffix("()")
        use = "rev handle (M) <x>. P" if isinstance(definition.handler, ReverseHandler) else "handle P"
        hint = f"use a handler after `with`: `{use} with {applied}`"
    fix: Fix | None = None
    if (is_a, wanted) == ("a dimension", "a term") and name in (cx.dims or {}):
        number = dimension_as_number(name)
        hint = (
            f"`{name}` stands in types and square brackets, as in `slice[{name}, {name} + 1](xs)`; as a number it is `{number}`"
        )
        fix = Fix(span, number)
    notes = chosen(span, where(cx, name))
    return Rejected(errors.WrongKindOfName(span=span, name=name, is_a=is_a, wanted=wanted, hint=hint, notes=notes, fix=fix))


def comment_intended(cx: Context, e: s.Binary) -> Rejected | None:
    """The diagnostic for ``M // note`` with an undefined ``note``, meant as a comment; ``None`` if it may be a quotient."""
    match e.right:
        case s.Apply(s.Name("ceil")):
            return None
        case s.Var(name) | s.Apply(s.Name(name)) if _kind_here(cx, name) is None and name not in cx.definitions.failed:
            why = f"`//` divides dimensions, but `{name}` is not defined"
            fix = sign(e.left.span, e.right.span, "//", "#")
            span = e.span if fix is None else fix.span.to(e.right.span)
            return Rejected(errors.NotADimension(span=span, why=why, hint=COMMENTS, fix=fix))
        case _:
            return None


def out_of_reach(entry: Entry, span: Span) -> Rejected:
    """The diagnostic for an inaccessible variable."""
    barrier = entry.barred
    if barrier is None:
        raise ValueError(f"{entry.name} is within reach")
    hint = barrier.way_in.replace("{name}", entry.name).replace("{type}", "A" if unknowns(entry.type) else str(entry.type))
    if entry.zone is Zone.CONTINUATION:
        hint = f"bind its result outside: `let y <= {entry.name} • M in …`"
    hint = "\n".join(part for part in (barrier.why, hint) if part)
    bound = () if entry.span is None else (Note(span=entry.span, text=f"`{entry.name}` is bound here"),)
    hides = () if barrier.span is None else (Note(span=barrier.span, text=f"from here on `{entry.name}` is hidden"),)
    notes = chosen(span, (*hides, *bound))
    return Rejected(
        errors.OutOfReach(
            span=span,
            name=entry.name,
            where=barrier.where,
            hint=hint,
            notes=notes,
            rule=TypingRule(barrier.rule).cited,
        )
    )


def in_scope(cx: Context, name: str) -> str:
    """A hint with the variables that can be used in place of ``name``, if there are only a few."""
    names = cx.variables()
    found = [f"in scope here: {', '.join(f'`{n}`' for n in names)}"] if 0 < len(names) <= _MAX_LISTED else []
    found += [f"read the content of `{l}` with `let w <= Get[{l}]() in …`" for l in list(cx.locations or {})[:1]]
    return "; ".join(found) or f"declare it: `const {name} = …`"


def _kind_here(cx: Context, name: str) -> str | None:
    found = cx.look_up(name)
    if found is not None:
        return "a continuation" if found[1].zone is Zone.CONTINUATION else "a variable"
    if name in (cx.dims or {}):
        return "a dimension"
    if name in (cx.locations or {}):
        return "a location"
    definition = cx.definitions.get(name)
    if definition is not None:
        return kind_of(definition)
    return "a function" if name in SYMBOLS and name not in cx.definitions.failed else None


def wrong_indices(
    cx: Context, head: s.Name, indices: tuple[s.Written, ...], wanted: str, expected: str, hint: str = ""
) -> Rejected:
    """The diagnostic for a wrong number of indices in the square brackets after ``head``."""
    span = indices[0].span.to(indices[-1].span) if indices else head.span
    given = str(len(indices)) if indices else "none"
    notes = chosen(span, where(cx, head.text))
    return Rejected(
        errors.WrongNumberOfIndices(
            span=span, name=head.text, wanted=wanted, given=given, expected=expected, hint=hint, notes=notes
        )
    )


def signature(name: str, parameters: tuple[Parameter, ...]) -> str:
    """``FC[l : Loc(m, n)]``"""
    inside = ", ".join(map(str, parameters)).replace("Loc(s…)", "Loc(…)")
    return f"`{name}[{inside}]`" if parameters else f"`{name}`"


def count_of(n: int, thing: str) -> str:
    """``nothing``, ``1 index``, ``2 indices``"""
    many = "indices" if thing == "index" else f"{thing}s"
    return f"{n} {thing if n == 1 else many}" if n else "nothing"


# -- types ---------------------------------------------------------------------------------------------------------------------


def types_differ(
    unifier: Unifier,
    span: Span,
    what: str,
    found: Type,
    expected: Type,
    asked: Expectation = NO_EXPECTATION,
    story: Iterable[Note] = (),
    fix: Fix | None = None,
) -> Rejected:
    """The diagnostic for a type mismatch; ``story`` are notes on the origin of the found type."""
    hint = asked.hint or _refuted(unifier, found, expected) or type_mismatch_hint(unifier.type(found), unifier.type(expected))
    A, B = unifier.show(found, expected)
    wanted = f"{B}, {asked.by}" if asked.by else B
    notes = chosen(span, story, asked.story())
    return Rejected(
        errors.TypesDiffer(span=span, what=what, found=A, expected=wanted, hint=hint, fix=fix, notes=notes, rule=asked.rule)
    )


def _refuted(unifier: Unifier, found: Type, expected: Type) -> str:
    """A hint about the postponed equation that keeps the two types from being equal."""
    types = unifier.refuted(found, expected)
    if types is None:
        return ""
    general, here, wanted = unifier.show(*types)
    return f"`{general}` would be `{here}` here, but must also be `{wanted}`"


def applied(e: s.Apply) -> str:
    """The name and indices that ``e`` applies: ``FC[w0]``"""
    return e.head.text + (f"[{', '.join(i.span.text for i in e.indices)}]" if e.indices else "")


def argument_expectation(cx: Context, unifier: Unifier, e: s.Apply, number: int) -> Expectation:
    """Why argument ``number`` of ``e`` (from 1, or 0 for the only one) is expected to have its type."""
    if e.head.text == "rd" and number:
        return Expectation(
            "for the cotangent" if number == 1 else "for the point",
            "the cotangent comes first, the point second: `rd[f](w, v)`",
        )
    by = f"argument {number} of `{applied(e)}`" if number else f"the input of `{applied(e)}`"
    called = s.Apply(e.head, e.indices, (), span=e.span)
    match cx.definitions.get(e.head.text):
        case OpDefinition():
            rule = TypingRule.T_OP.cited
        case NetDefinition():
            rule = ""
        case _:
            rule = TypingRule.T_FUNC.cited
    match e.head.text:
        case "permute":
            hint = "list each axis of the array once, counted from 0"
        case "softmax" | "log_softmax" | "logsumexp" as name:
            hint = f"of each row of a matrix: `map (row in M) do {name}(row)`"
        case _:
            hint = ""
    return Expectation(by, hint, story=lambda: origins(cx, unifier, called), rule=rule)


def quoted(span: Span) -> str:
    """The source text in backquotes if it is short, otherwise ``this``."""
    text = span.text
    return f"`{text}`" if len(text) <= 40 and "\n" not in text else "this"


def no_such_member(span: Span, found: Failing, domain: str, notes: tuple[Note, ...] = ()) -> Rejected:
    """The diagnostic for a built-in symbol on ``domain``, at dimensions at which it is undefined."""
    what = f"there is no `{found.member}` of {domain}"
    hint = f"`{found.signature}`"
    return Rejected(errors.BadDimension(span=span, what=what, found=found.facts, expected=found.need, notes=notes, hint=hint))


def wrong_arguments(cx: Context, unifier: Unifier, e: s.Apply, A: Type, wanted: int) -> Rejected:
    """The diagnostic for a wrong number of arguments of ``e``, which takes ``wanted`` arguments of type A."""
    count = f"{wanted} argument{'s' if wanted != 1 else ''}" if wanted else "no argument"
    given = str(len(e.arguments)) if e.arguments else "none"
    (expected,) = unifier.show(A)
    expected = f"{expected}, the input of `{applied(e)}`" if wanted else f"`{applied(e)}()`"
    hint = "the arguments of f are one point: `rd[f](w, (x, y))`" if e.head.text == "rd" else ""
    fix = None
    if wanted == 1 and len(e.arguments) > 1 and all(is_number(argument) for argument in e.arguments):
        hint, fix = "write an array as `[1, 2]`", array_of(e.arguments, unifier.head(A))
    notes = chosen(e.span, argument_expectation(cx, unifier, e, 0).story())
    return Rejected(
        errors.WrongNumberOfArguments(
            span=e.span, name=e.head.text, wanted=count, given=given, expected=expected, hint=hint, fix=fix, notes=notes
        )
    )
