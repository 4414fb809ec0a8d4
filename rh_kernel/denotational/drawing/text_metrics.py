"""Text metrics, and the text on boxes and wires (RH §6.1).

Widths are in units of the drawing at a font size of 12, those of a wide sans serif, so that text always fits its box.
"""

from rh_kernel.syntax.types import Real, Type, concrete_shape, show_shape

LETTER = 12.0
"""The font size of text in boxes."""

SMALL = 11.0
"""The font size of types on wires and of frame titles."""

MOST = 30
"""The most characters of text in a box."""

_WIDTHS = {
    **dict.fromkeys("ijl.,:;'|!()[]I", 0.36),
    **dict.fromkeys("ftr -/·", 0.42),
    **dict.fromkeys("mw+=<>≤≥←→⇐⟦⟧∘", 0.86),
    **dict.fromkeys("@WM…%⟨⟩⊕", 1.02),
    **dict.fromkeys("ᶠᵇᵀ⁰¹²³⁴⁵⁶⁷⁸⁹ˣ", 0.45),
}
_LOWER, _OTHER, _WIDE = 0.66, 0.8, 1.05

SUPERSCRIPT = 0.82
"""The font size of a shape in an exponent of ℝ, relative to that of ℝ."""


def width(text: str, size: float = LETTER) -> float:
    """Return an upper bound of the width of the text."""
    return size * sum(_WIDTHS.get(c, _default(c)) for c in text)


def _default(c: str) -> float:
    if ord(c) >= 0x2E80:
        return _WIDE
    return _LOWER if c.islower() or c.isdigit() else _OTHER


def shortened(text: str, most: int = MOST) -> str:
    """Return the text on one line, truncated with an ellipsis."""
    line = " ".join(text.split())
    return line if len(line) <= most else line[: most - 1].rstrip() + "…"


def exponent(A: Type) -> str:
    """``3×2`` for the type ``ℝ³ˣ²``; empty for ``ℝ``"""
    match A:
        case Real(tuple() as shape) if concrete_shape(A) == (1,) or not shape:
            return ""
        case Real(tuple() as shape):
            return shortened("×".join([_bracketed(str(d)) for d in shape]), 14)
        case Real(shape):
            return show_shape(shape)
        case _:
            return "?"


def type_width(A: Type) -> float:
    """Return an upper bound of the width of ``ℝ`` with its exponent."""
    return width("ℝ", SMALL) + width(exponent(A), SMALL * SUPERSCRIPT)


def type_line(A: Type) -> str:
    """``ℝ³ˣ²``: the type with Unicode superscripts if there are some for its shape, else in concrete syntax"""
    raised = exponent(A).translate(_RAISED)
    return f"ℝ{raised}" if all(c in _RAISED.values() for c in raised) else str(A)


_RAISED = dict(zip(map(ord, "0123456789×nmk+-"), "⁰¹²³⁴⁵⁶⁷⁸⁹ˣⁿᵐᵏ⁺⁻", strict=True))


def _bracketed(dimension: str) -> str:
    return dimension if dimension.isalnum() else f"({dimension})"
