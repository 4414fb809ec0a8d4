"""What is said of a call in a ``%%lambda`` section that has another number of arguments than what is called takes."""

from dataclasses import replace

from rh_kernel.ad.language import surface as s
from rh_kernel.ad.language.core import Program
from rh_kernel.ad.language.types import Real
from rh_kernel.source.diagnostic import Fix, Rejected
from rh_kernel.source.span import Span
from rh_kernel.typing.errors import WrongNumberOfArguments


def wrong_number(f: Program, given: tuple[s.Expr, ...], span: Span) -> Rejected:
    """The complaint about the number of arguments that a declared function is given."""
    parameters = ", ".join([f"{x} : {A}" for x, A in f.parameters])
    failure = wrong_number_of(span, f.name, len(f.parameters), len(given))
    hint, fix = f"`{f.name}` is declared as `{f.name}({parameters})`.", None
    if f.domain == Real(len(given)) and len(given) > 1:
        whole = given[0].span.to(given[-1].span)
        hint, fix = "An array has square brackets: `[1, 2]`.", Fix(whole, f"[{whole.text}]")
    return Rejected(*[replace(d, hint=hint, fix=fix) for d in failure.diagnostics])


def wrong_number_of(span: Span, name: str, wanted: int, given: int) -> Rejected:
    """The complaint that ``name``, which takes so many arguments, is given another number of them."""
    count = f"{wanted} argument{'' if wanted == 1 else 's'}"
    hint = f"It is written `{name}({', '.join('xyzuvw'[:wanted])})`."
    found = str(given) if given else "none"
    return Rejected(WrongNumberOfArguments(span=span, name=name, wanted=count, given=found, expected=count, hint=hint))
