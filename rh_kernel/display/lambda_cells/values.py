"""Values of ``%%lambda`` cells, as text and as JSON."""

from typing import cast

from rh_kernel.ad.language.types import Function, Product, Real, Sum, Type
from rh_kernel.ad.language.values import Injection, Value, components, entries
from rh_kernel.display.data import Json, strict_json

ENTRIES = 40
"""Text omits entries in the middle of a longer array."""


def value_text(A: Type, V: Value) -> str:
    """A value in concrete syntax, with six significant digits."""
    match A:
        case Real(1):
            return _number_text(cast(float, V))
        case Real():
            return f"[{', '.join(_entries(entries(V)))}]"
        case Product(factors):
            inside = ", ".join(value_text(B, W) for B, W in zip(factors, components(V), strict=True))
            return f"⟨{inside}⟩" if factors else "()"
        case Sum(B, C):
            injected = cast(Injection, V)
            side, half = ("inl", B) if injected.side == 1 else ("inr", C)
            return f"{side}({value_text(half, injected.value)})"
        case Function():
            return "a function"


def _entries(numbers: tuple[float, ...]) -> list[str]:
    """Return the texts of the entries of an array, of a long one the first and the last."""
    if len(numbers) <= ENTRIES:
        return [_number_text(x) for x in numbers]
    half = ENTRIES // 2
    return [*map(_number_text, numbers[:half]), f"… {len(numbers) - ENTRIES:,} more …", *map(_number_text, numbers[-half:])]


def _number_text(x: float) -> str:
    return f"{x:.6g}"


def value(A: Type, V: Value) -> Json:
    """Convert a value to JSON: lists for arrays, ``{"tuple": […]}``, ``{"inl": …}``; a function is its type."""
    match A:
        case Real(1):
            return strict_json(cast(float, V))
        case Real():
            return [strict_json(x) for x in entries(V)]
        case Product(factors):
            return {"tuple": [value(B, W) for B, W in zip(factors, components(V), strict=True)]}
        case Sum(B, C):
            injected = cast(Injection, V)
            return {"inl": value(B, injected.value)} if injected.side == 1 else {"inr": value(C, injected.value)}
        case Function():
            return str(A)
