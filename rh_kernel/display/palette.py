"""The colours of all output, for light and dark themes and for colour-blind readers.

Text colours are equally light: each has a contrast of 4.5 : 1 on white and of 4.1 : 1 on the #111111 of the dark theme, the
most that one colour can have on both; the live views mix them with the text colour of the page, and have 4.5 : 1 on either.
So they differ by hue only, and no meaning depends on them. Where colours must be distinguished they are blue against orange or
ochre, as in the palette of Okabe and Ito: these differ from each other and from grey for every kind of colour blindness.
"""

from collections.abc import Sequence
from typing import TypeAlias

from rh_kernel.syntax.printing.doc import MarkKind, Role

Triple: TypeAlias = str
"""``"r,g,b"``, the arguments of ``rgb(…)``."""

COLOURS: dict[Role, str] = {
    Role.KEYWORD: "#a849d9",
    Role.CONSTANT: "#008851",
    Role.FUNCTION: "#0d76db",
    Role.OPERATION: "#c55310",
    Role.LOCATION: "#0f847a",
    Role.HANDLER: "#d92a82",
    Role.TYPE: "#387f95",
    Role.RULE: "#7067d9",
    Role.ERROR: "#df3131",
    Role.WARNING: "#977000",
    Role.FADED: "#71767e",
}
"""The colour of text, and of the boxes of a diagram, by role."""


def triple(colour: str) -> Triple:
    """``"r,g,b"`` of ``"#rrggbb"``."""
    return ",".join([str(part) for part in parts_of(colour)])


def tint(colour: str, share: float) -> str:
    """Mix a colour with white; ``share`` is its weight."""
    return "#" + "".join([f"{round(share * part + (1 - share) * 255):02x}" for part in parts_of(colour)])


def parts_of(colour: str) -> list[int]:
    """``[r, g, b]`` of ``"#rrggbb"``."""
    return [int(colour[i : i + 2], 16) for i in (1, 3, 5)]


def blend(ramp: Sequence[str], share: float) -> str:
    """The colour at a place from 0 to 1 on a scale through these colours."""
    at = share * (len(ramp) - 1)
    i = min(int(at), len(ramp) - 2)
    mixed = [round(a + (b - a) * (at - i)) for a, b in zip(parts_of(ramp[i]), parts_of(ramp[i + 1]), strict=True)]
    return "#" + "".join([f"{part:02x}" for part in mixed])


_REDEX, _CONTRACTUM = "230,159,0", "86,180,233"

BACKWARD = "#977000"
"""The backward pass, Qᵇ; the forward pass has the blue of pure boxes."""

MARKS: dict[MarkKind, Triple] = {
    "redex": _REDEX,
    "contractum": _CONTRACTUM,
    "focus": _REDEX,
    "untaken": triple(COLOURS[Role.FADED]),
    "changed": _CONTRACTUM,
    "forward": triple(COLOURS[Role.FUNCTION]),
    "backward": triple(BACKWARD),
    "error": "213,94,0",
}
"""The colour of a mark: a background, lighter around nested marks; for the two passes an underline; for ``untaken`` unused."""

BACKGROUNDS: dict[MarkKind, str] = {kind: f"rgba({colour},0.2)" for kind, colour in MARKS.items()}
"""Translucent backgrounds on which coloured text is readable."""

NEUTRAL = COLOURS[Role.FADED]
"""Lines and text of drawings on an unknown background."""

SEQUENCE = ("#00224e", "#35456c", "#666970", "#948e77", "#c8b866", "#fee838")
"""A scale from low to high for areas: cividis of Nuñez, Anderton and Renslow, PLoS ONE 13(7), 2018.

It becomes lighter all the way, and looks nearly the same to colour-blind readers.
"""

INK, PAPER = "#24292f", "#ffffff"
"""Lines and text of drawings that have a background of their own, and that background."""

BELOW, ABOVE, NO_NUMBER = COLOURS[Role.FUNCTION], COLOURS[Role.OPERATION], COLOURS[Role.FADED]
"""Array entries below zero, above zero, and not a number."""

FRAMES = {"forward": tint(COLOURS[Role.FUNCTION], 0.3), "backward": tint(BACKWARD, 0.4), "plain": "#bbbbbb"}
"""Frames around parts of a diagram on white."""

CLASSES = ("#0072b2", "#e69f00", "#009e73", "#cc79a7", "#56b4e9", "#d55e00", "#f0e442", "#71767e")
"""Areas and samples of classes, the palette of Okabe and Ito and grey; each sample has the shape of its class, too."""
