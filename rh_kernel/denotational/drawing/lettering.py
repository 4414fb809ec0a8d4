"""How wide texts are in a drawing, and what is written on boxes and wires (RH §6.1): the one place that knows letters.

Widths are in units of the drawing at a size of 12, as those of a wide sans serif, so that a text never leaves its box.
"""

from rh_kernel.syntax.types import Real, Type, concrete_shape, show_shape

LETTER = 12.0
"""The size of the text in a box."""

SMALL = 9.5
"""The size of the types on the wires and of the titles of frames."""

MOST = 30
"""A text in a box has at most so many characters."""

_WIDTHS = {
    **dict.fromkeys("ijl.,:;'|!()[]I", 0.36),
    **dict.fromkeys("ftr -/·", 0.42),
    **dict.fromkeys("mw+=<>≤≥←→⇐⟦⟧∘", 0.86),
    **dict.fromkeys("@WM…%⟨⟩⊕", 1.02),
    **dict.fromkeys("ᶠᵇᵀ⁰¹²³⁴⁵⁶⁷⁸⁹ˣ", 0.45),
}
_LOWER, _OTHER, _WIDE = 0.66, 0.8, 1.05

SUPERSCRIPT = 0.72
"""The size of a shape beside its ℝ, as a part of the size of the ℝ."""


def width(text: str, size: float = LETTER) -> float:
    """At least as wide as the text is."""
    return size * sum(_WIDTHS.get(c, _default(c)) for c in text)


def _default(c: str) -> float:
    if ord(c) >= 0x2E80:
        return _WIDE
    return _LOWER if c.islower() or c.isdigit() else _OTHER


def shortened(text: str, most: int = MOST) -> str:
    """The text on one line, with an ellipsis in place of what is too long."""
    line = " ".join(text.split())
    return line if len(line) <= most else line[: most - 1].rstrip() + "…"


def exponent(A: Type) -> str:
    """``3×2`` where the type is ``ℝ³ˣ²``; nothing for ``ℝ``."""
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
    """At least as wide as ``ℝ`` with its exponent is."""
    return width("ℝ", SMALL) + width(exponent(A), SMALL * SUPERSCRIPT)


def type_line(A: Type) -> str:
    """``ℝ³ˣ²``: the type in letters alone, as far as there are such letters, else as it is written in a program."""
    raised = exponent(A).translate(_RAISED)
    return f"ℝ{raised}" if all(c in _RAISED.values() for c in raised) else str(A)


_RAISED = dict(zip(map(ord, "0123456789×nmk+-"), "⁰¹²³⁴⁵⁶⁷⁸⁹ˣⁿᵐᵏ⁺⁻", strict=True))


def _bracketed(dimension: str) -> str:
    return dimension if dimension.isalnum() else f"({dimension})"
