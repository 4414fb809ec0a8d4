"""Diagnostics and hints for wrong numbers of arguments and missing clauses."""

from rh_kernel.ad.eff.definitions import shown
from rh_kernel.ad.eff.errors import MissingClauses
from rh_kernel.ad.eff.frontend.resolving import Kind, Referent
from rh_kernel.ad.eff.quick_fixes import NEGATIVE_ARGUMENT_HINT, bracket_following
from rh_kernel.ad.eff.types import EffectDeclaration, Operation
from rh_kernel.source.diagnostic import Rejected
from rh_kernel.source.span import Span
from rh_kernel.syntax.surface import Name
from rh_kernel.typing.errors import WrongNumberOfArguments

BRACKETS = "next to other patterns, put a constructor with fields in brackets: (Just x)"
"""A hint for patterns."""


def wrong_number(name: Name, wanted: int, given: int, hint: str, noun: str = "argument") -> Rejected:
    """The diagnostic for too few or too many arguments."""
    fix = bracket_following(name.span) if given < wanted else None
    words = [{0: f"no {noun}s", 1: f"one {noun}"}.get(number, f"{number} {noun}s") for number in (wanted, given)]
    hint = hint if fix is None else NEGATIVE_ARGUMENT_HINT
    return Rejected(WrongNumberOfArguments(span=name.span, name=name.text, wanted=words[0], given=words[1], hint=hint, fix=fix))


def with_all_arguments(name: Name, found: Referent, given: int) -> str:
    """A hint for an operation or a built-in function with too few arguments or too many."""
    names = "".join(f" {x}" for x in "xyzuvw"[: found.arity])
    what, whole = found.kind.value, f"{name.text}{names}" if names else f"{name.text}!"
    if given < found.arity:
        return f"give {what} all its arguments; as a function value it is {{{names.strip()} -> {whole}}}"
    hint = f"give {what} all its arguments, {whole}"
    if found.kind is Kind.BUILT_IN:
        return hint
    applied = f"({whole})!" if names else f"{whole}!"
    return f"{hint}; if it gives a function, that is applied by {applied} M"


def reject_missing(span: Span, effect: EffectDeclaration, given: set[str]) -> None:
    """Raise ``Rejected`` unless a handler has a clause for each operation of an effect; ``given`` are those with one."""
    missing = [o for o in effect.operations if o.name not in given]
    if missing:
        names = ", ".join(f"`{shown(o.name)}`" for o in missing)
        clauses = " | ".join(map(_clause, missing))
        hint = f"a handler of {shown(effect.name)} needs a clause for each of its operations: {clauses}"
        raise Rejected(MissingClauses(span=span, effect=shown(effect.name), operations=names, hint=hint))


def _clause(operation: Operation) -> str:
    names = "".join(f" {x}" for x in "xyzuvw"[: len(operation.domain)])
    return f"<{shown(operation.name)}{names} -> k> -> M"
