"""The colours of everything that is shown, in one place: for every reader, on white paper and on a dark one.

Letters are all equally light: each is readable on white (4.5 : 1) and nearly as well on the dark theme's #111111 (4.1 : 1),
the most that one colour can be on both. So letters differ by their hue alone, and the word itself says what it is. What has
to be told apart by its colour is blue on one side and orange or ochre on the other, in the spirit of the palette of Okabe and
Ito: those two are far from each other, and from grey, whichever of the three kinds of cones is missing.
"""

from typing import TypeAlias

from rh_kernel.syntax.printing.doc import MarkKind, Role

Triple: TypeAlias = str
"""``"r,g,b"`` as it stands between the parentheses of ``rgb(…)``."""

LETTERS: dict[Role, str] = {
    Role.KEYWORD: "#a849d9",
    Role.CONSTANT: "#008851",
    Role.FUNCTION: "#0d76db",
    Role.OPERATION: "#c55310",
    Role.LOCATION: "#0f847a",
    Role.HANDLER: "#d92a82",
    Role.TYPE: "#387f95",
    Role.RULE: "#7067d9",
    Role.ERROR: "#df3131",
    Role.FADED: "#71767e",
}
"""The colour of a word; pure boxes, operations and constants of a diagram have that of their role."""


def triple(colour: str) -> Triple:
    """``"r,g,b"`` of ``"#rrggbb"``."""
    return ",".join([str(part) for part in _parts(colour)])


def tint(colour: str, share: float) -> str:
    """The colour thinned with white: ``share`` of it is left."""
    return "#" + "".join([f"{round(share * part + (1 - share) * 255):02x}" for part in _parts(colour)])


def _parts(colour: str) -> list[int]:
    return [int(colour[i : i + 2], 16) for i in (1, 3, 5)]


_REDEX, _CONTRACTUM = "230,159,0", "86,180,233"

BACKWARD = "#977000"
"""The way back, Qᵇ; the way forward has the blue of pure boxes."""

MARKS: dict[MarkKind, Triple] = {
    "redex": _REDEX,
    "contractum": _CONTRACTUM,
    "focus": _REDEX,
    "changed": _CONTRACTUM,
    "forward": triple(LETTERS[Role.FUNCTION]),
    "backward": triple(BACKWARD),
    "error": "213,94,0",
}
"""The colour of a mark: a background, thinner where there are marks in it, or for the two ways a line below."""

WASHES: dict[MarkKind, str] = {kind: f"rgba({colour},0.2)" for kind, colour in MARKS.items()}
"""Backgrounds so thin that coloured letters on them can be read."""

NEUTRAL = LETTERS[Role.FADED]
"""Lines and letters of drawings that do not know the paper they are on."""

BELOW, ABOVE, NO_NUMBER = LETTERS[Role.FUNCTION], LETTERS[Role.OPERATION], LETTERS[Role.FADED]
"""An entry of an array below zero, above it, and one that is no number."""

FRAMES = {"forward": tint(LETTERS[Role.FUNCTION], 0.3), "backward": tint(BACKWARD, 0.4), "plain": "#bbbbbb"}
"""Frames around parts of a diagram that is drawn on white."""
