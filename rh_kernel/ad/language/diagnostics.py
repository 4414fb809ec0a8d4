"""The diagnostics of elaboration: unknown names, calls, operands and patterns of the wrong type."""

from collections.abc import Collection
from dataclasses import replace

from rh_kernel.ad.language import surface as s
from rh_kernel.ad.language.core import Program
from rh_kernel.ad.language.types import Product, Real, Type
from rh_kernel.source.diagnostic import Fix, Rejected
from rh_kernel.source.span import Span
from rh_kernel.typing.diagnostics.suggestions import nearest
from rh_kernel.typing.errors import OperandsDiffer, PatternDoesNotFit, UnknownName, WrongNumberOfArguments


def unknown_name(name: str, span: Span, known: Collection[str]) -> Rejected:
    """An unknown name, with the nearest of the known ones as a suggestion."""
    near = nearest(name, known, ())
    hint = f"did you mean `{near}`?" if near else "a function is declared by fun f(x : Real) : Real = M, below a line %%lambda"
    return Rejected(UnknownName(span=span, name=name, hint=hint))


def wrong_number(f: Program, given: tuple[s.Expr, ...], span: Span) -> Rejected:
    """A call of a declared function with a wrong number of arguments."""
    parameters = ", ".join([f"{x} : {A}" for x, A in f.parameters])
    failure = wrong_number_of(span, f.name, len(f.parameters), len(given))
    hint, fix = f"`{f.name}` is declared as `{f.name}({parameters})`.", None
    if f.domain == Real(len(given)) and len(given) > 1:
        whole = given[0].span.to(given[-1].span)
        hint, fix = "arrays have square brackets: `[1, 2]`", Fix(whole, f"[{whole.text}]")
    return Rejected(*[replace(d, hint=hint, fix=fix) for d in failure.diagnostics])


def wrong_number_of(span: Span, name: str, wanted: int, given: int) -> Rejected:
    """A call of ``name`` with ``given`` arguments instead of ``wanted``."""
    count = f"{wanted} argument{'' if wanted == 1 else 's'}"
    hint = f"It is written `{name}({', '.join('xyzuvw'[:wanted])})`."
    found = str(given) if given else "none"
    return Rejected(WrongNumberOfArguments(span=span, name=name, wanted=count, given=found, expected=count, hint=hint))


def no_tuple(span: Span, wanted: int, found: str, A: Type | None) -> Rejected:
    """A pattern of ``wanted`` names for a value of type A, which is printed as ``found``."""
    hint = "only tuples can be taken apart; an entry of an array is `xs[0]`"
    if isinstance(A, Product):
        hint = f"it has {len(A.factors)} components: `({', '.join('xyzuvw'[: len(A.factors)])})`."
    return Rejected(PatternDoesNotFit(span=span, wanted=wanted, found=found, expected="a tuple", hint=hint))


def operands_differ(e: s.Binary, A: Type, B: Type) -> Rejected:
    """Operands of different types A and B."""
    why = f"`{e.sign}` {'adds' if e.symbol == 'add' else 'takes'} two of one type"
    hint = "A number times an array is written `a * xs`, and a number is repeated by `replicate[3](a)`."
    return Rejected(OperandsDiffer(span=e.span, why=why, found=f"{A} and {B}", expected="two of one type", hint=hint))


def not_ground(span: Span, sign: str, A: Type) -> Rejected:
    """An operand of ``sign`` whose type A contains functions or sums."""
    why, expected = f"`{sign}` is for numbers, arrays and tuples of them", "a type without functions and sums"
    hint = "apply a function first, `f(x)`, and take a sum apart with `case M of inl x -> N | inr y -> L`"
    return Rejected(OperandsDiffer(span=span, why=why, found=str(A), expected=expected, hint=hint))
