"""Elaboration of initial values of locations (LANGUAGE §3): a closed term, an initializer, or a file."""

import difflib

from rh_kernel.source.diagnostic import Fix, Rejected
from rh_kernel.syntax import surface as s
from rh_kernel.syntax import surface_items as items
from rh_kernel.syntax.core import Const
from rh_kernel.syntax.types import SCALAR, Real, ShapeMeta, ShapeVar, Type
from rh_kernel.typing.context import Context
from rh_kernel.typing.definitions import (
    ConstDefinition,
    Definition,
    DimDefinition,
    Drawn,
    Initial,
    Loaded,
    NumberDefinition,
    Written,
)
from rh_kernel.typing.diagnostics.origins import expected_by_annotation
from rh_kernel.typing.elaboration.arrays import value_of
from rh_kernel.typing.elaboration.commands import Commands
from rh_kernel.typing.elaboration.zonking import completed, zonk_type
from rh_kernel.typing.errors import BadInitial, TypesDiffer
from rh_kernel.typing.unification.unify import Unifier

_NUMBERS = {"zeros": 0, "ones": 0, "eye": 0, "normal": 1, "uniform": 2, "glorot": 0}
_NUMBERS_OF = {
    "normal": "its number is the standard deviation; the mean is 0",
    "uniform": "its two numbers are the smallest and the largest value",
}
_RANDOM = frozenset({"normal", "uniform", "glorot"})
_USAGE = {
    "zeros": "zeros",
    "ones": "ones",
    "eye": "eye",
    "normal": "normal(std, seed=s)",
    "uniform": "uniform(lo, hi, seed=s)",
    "glorot": "glorot(seed=s)",
    "load": 'load("file.npy")',
}


def elaborate_initial(cx: Context, item: items.LocDeclaration, A: Type | None) -> tuple[Initial, Real]:
    """Return the initial value and the type of the location. Raises ``Rejected``."""
    match item.initial:
        case items.Initial() as initial:
            if not isinstance(A, Real):
                if initial.head.text not in _USAGE:
                    raise _unknown(initial)
                hint = f"give the location a type: `loc {item.name.text} : Real(3, 2) = {initial.span.text}`"
                why = "the shape cannot be inferred from this content"
                raise Rejected(BadInitial(span=item.name.span, why=why, found=f"no type for `{item.name.text}`", hint=hint))
            return _rule(cx, initial, A), A
        case e:
            return _term(cx, item, e, A)


def _term(cx: Context, item: items.LocDeclaration, e: s.Expr, A: Type | None) -> tuple[Initial, Real]:
    commands = Commands(Unifier())
    if A is None:
        M, B = commands.terms.infer(cx, e)
    else:
        asked = expected_by_annotation(f"the declared type of `{item.name.text}`", item.type)
        M, B = commands.terms.check(cx, e, A, asked), A
    M = completed(commands.unifier, M, item.span)
    B = zonk_type(commands.unifier, B)
    if not isinstance(B, Real):
        what, hint = f"the content of `{item.name.text}`", "use a separate location for each component"
        raise Rejected(TypesDiffer(span=e.span, what=what, found=str(B), expected="Real(…), one array", hint=hint))
    return Written(M), B


def _rule(cx: Context, initial: items.Initial, A: Real) -> Initial:
    how = initial.head.text
    if how == "load" and initial.file is not None:
        return Loaded(initial.file)
    if how not in _NUMBERS:
        raise _unknown(initial)
    usage = f"`{_USAGE[how]}`"
    numbers = tuple(plain_number(cx, e) for e in initial.arguments)
    if len(numbers) != _NUMBERS[how]:
        count = _NUMBERS[how]
        why = f"`{how}` takes {count} number{'s' if count != 1 else ''}, but got {len(numbers)}"
        raise Rejected(BadInitial(span=initial.span, why=why, expected=usage, hint=_NUMBERS_OF.get(how, "remove the numbers")))
    seeds = [option.value for option in initial.named if option.name.text == "seed"]
    others = [option.name for option in initial.named if option.name.text != "seed"]
    if others:
        why = f"`{how}` has no option `{others[0].text}`"
        fix = Fix(others[0].span, "seed") if how in _RANDOM and not seeds else None
        raise Rejected(BadInitial(span=others[0].span, why=why, expected=usage, fix=fix))
    if how in _RANDOM and not seeds:
        why = f"`{how}` needs a seed to be reproducible"
        raise Rejected(BadInitial(span=initial.span, why=why, expected=usage, fix=_seed_fix(initial)))
    if seeds and how not in _RANDOM:
        raise Rejected(BadInitial(span=initial.span, why=f"`{how}` takes no seed", expected=usage, hint="remove it"))
    if how == "uniform" and numbers[0] > numbers[1]:
        low, high = initial.arguments
        why = f"`uniform` draws between its two numbers, but {low.span.text} is greater than {high.span.text}"
        fix = Fix(low.span.to(high.span), f"{high.span.text}, {low.span.text}")
        raise Rejected(BadInitial(span=low.span.to(high.span), why=why, expected=usage, fix=fix))
    _check_shape(initial, how, A)
    return Drawn(how, numbers, _seed(cx, seeds[0]) if seeds else 0)


def _unknown(initial: items.Initial) -> Rejected:
    how = initial.head.text
    near = difflib.get_close_matches(how, _USAGE, n=1)
    fix = Fix(initial.head.span, near[0]) if near else None
    forms = f"{', '.join(_USAGE.values())}, or a term"
    return Rejected(BadInitial(span=initial.head.span, why=f"there is no initial content `{how}`", expected=forms, fix=fix))


def _seed_fix(initial: items.Initial) -> Fix:
    """A quick fix that adds a seed."""
    text = initial.span.text
    if not text.endswith(")"):
        return Fix(initial.span, f"{text}(seed=1)")
    inside = text[:-1].rstrip()
    return Fix(initial.span, f"{inside}{'' if inside.endswith('(') else ', '}seed=1)")


def _check_shape(initial: items.Initial, how: str, A: Real) -> None:
    match A.shape:
        case ShapeVar() | ShapeMeta():
            return
        case dims if (how == "eye" and len(dims) != 2) or (how == "glorot" and len(dims) < 2):
            wanted = "a matrix, Real(m, n)" if how == "eye" else "at least two axes, Real(m, n)"
            hint = "`zeros`, `ones`, `normal(std, seed=s)` and `uniform(lo, hi, seed=s)` fill every shape."
            why = f"`{how}` does not fit this shape"
            raise Rejected(BadInitial(span=initial.span, why=why, found=str(A), expected=wanted, hint=hint))
        case _:
            return


def plain_number(cx: Context, e: s.Expr) -> float:
    """The value of a number that is written out, or named by ``dim`` or ``const`` or in a sweep. Raises ``Rejected``."""
    match e:
        case s.Number() | s.Negate(s.Number()):
            return value_of(e)
        case s.Var(name) if (named := _named(cx.definitions.get(name))) is not None:
            return named
        case _:
            why, hint = "a number is expected here", "write the number itself, or the name of one"
            raise Rejected(BadInitial(span=e.span, why=why, found=f"`{e.span.text}`", hint=hint))


def _named(definition: Definition | None) -> float | None:
    match definition:
        case DimDefinition(_, value) | NumberDefinition(_, value):
            return float(value)
        case ConstDefinition(_, A, Const(array)) if A == SCALAR:
            return float(array[0])
        case _:
            return None


def _seed(cx: Context, e: s.Expr) -> int:
    value = plain_number(cx, e)
    if value < 0 or value != int(value):
        expected, hint = "a whole number from 0 on", "each seed gives a different array; for example `seed=1`"
        raise Rejected(BadInitial(span=e.span, why="not a seed", expected=expected, found=f"`{e.span.text}`", hint=hint))
    return int(value)
