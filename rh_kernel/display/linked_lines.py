"""Lines of a plot that belong to runs: a page with a kernel marks the line, the row and the curve of a run together."""

from dataclasses import dataclass

from rh_kernel.display.data import Json
from rh_kernel.display.html import escape

OVAL = "M{x:.1f} {y:.1f}m-{r} 0a{r} {r} 0 1 0 {d} 0a{r} {r} 0 1 0 -{d} 0"


@dataclass(frozen=True, slots=True)
class Line:
    """The line of a run, by its number: the ``d`` of a path; ``dash`` as in SVG, empty for a solid one; or a filled shape.

    ``text`` is written upon it in the colour ``ink``, with its middle at the point ``at`` in pixels.
    """

    run: int
    d: str
    colour: str
    width: float = 1.3
    opacity: float = 1.0
    dash: str = ""
    is_filled: bool = False
    text: str = ""
    ink: str = ""
    at: tuple[float, float] = (0.0, 0.0)

    @property
    def svg(self) -> str:
        """The line as an SVG element."""
        x, y = self.at
        place = f'x="{x:.1f}" y="{y:.1f}" text-anchor="middle" fill="{self.ink}"'
        words = f"<text {place}>{escape(self.text)}</text>" if self.text else ""
        if self.is_filled:
            return f'<path d="{self.d}" fill="{self.colour}" fill-opacity="{self.opacity}"/>{words}'
        dash = f' stroke-dasharray="{self.dash}"' if self.dash else ""
        shape = 'fill="none" stroke-linejoin="round"'
        stroke = f'stroke="{self.colour}" stroke-width="{self.width}" stroke-opacity="{self.opacity}"'
        return f'<path d="{self.d}" {shape} {stroke}{dash}/>{words}'

    @property
    def data(self) -> Json:
        """The line for a page that makes an element of it."""
        return {
            "run": self.run,
            "d": self.d,
            "colour": self.colour,
            "width": self.width,
            "opacity": self.opacity,
            "dash": self.dash,
            "filled": self.is_filled,
            "text": self.text,
            "ink": self.ink,
            "at": [*self.at],
        }


def dot(run: int, x: float, y: float, r: float, colour: str, opacity: float = 1.0) -> Line:
    """A filled circle."""
    return Line(run, OVAL.format(x=x, y=y, r=r, d=2 * r), colour, opacity=opacity, is_filled=True)
