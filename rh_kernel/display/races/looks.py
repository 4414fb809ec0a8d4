"""The look of each handler of a race, the same in all pictures: a colour, a dash and the shape of its last point.

Neighbours differ by dash and shape too, so that no reader needs the colours.
"""

from dataclasses import dataclass

from rh_kernel.display.linked_lines import Line, dot
from rh_kernel.display.palette import ABOVE, BELOW, COLOURS
from rh_kernel.syntax.printing.doc import Role

_COLOURS = (BELOW, ABOVE, COLOURS[Role.LOCATION], COLOURS[Role.HANDLER])
_DASHES = ("", "7 3", "2 3", "8 3 2 3")


@dataclass(frozen=True, slots=True)
class Look:
    """How a handler is drawn."""

    colour: str
    dash: str
    shape: int

    @property
    def sign(self) -> str:
        """The shape as a character."""
        return "●◼◆▲"[self.shape]

    def end(self, run: int, x: float, y: float) -> Line:
        """The mark of its last point: a disc, a square, a diamond or a triangle."""
        if self.shape == 0:
            return dot(run, x, y, 4, self.colour)
        d = ("m-3.5-3.5h7v7h-7z", "m0-5l5 5l-5 5l-5-5z", "m0-5l5 8.5h-10z")[self.shape - 1]
        return Line(run, f"M{x:.1f} {y:.1f}{d}", self.colour, is_filled=True)


def look(number: int) -> Look:
    """The look of the handler with this number; from the fifth on, the dashes are shifted against the colours."""
    turn = number // len(_COLOURS)
    i = number % len(_COLOURS)
    j = (i + turn) % len(_COLOURS)
    return Look(_COLOURS[i], _DASHES[j], j)
