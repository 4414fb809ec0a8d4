"""Lines of a plot that belong to runs: a page with a kernel marks the line, the row and the curve of a run together."""

from dataclasses import dataclass

from rh_kernel.display.data import Json

OVAL = "M{x:.1f} {y:.1f}m-{r} 0a{r} {r} 0 1 0 {d} 0a{r} {r} 0 1 0 -{d} 0"


@dataclass(frozen=True, slots=True)
class Line:
    """The line of a run, by its number: the ``d`` of a path; ``dash`` as in SVG, empty for a solid one; or a filled shape."""

    run: int
    d: str
    colour: str
    width: float = 1.3
    opacity: float = 1.0
    dash: str = ""
    is_filled: bool = False

    @property
    def svg(self) -> str:
        """The line as an SVG element."""
        if self.is_filled:
            return f'<path d="{self.d}" fill="{self.colour}" fill-opacity="{self.opacity}"/>'
        dash = f' stroke-dasharray="{self.dash}"' if self.dash else ""
        shape = 'fill="none" stroke-linejoin="round"'
        stroke = f'stroke="{self.colour}" stroke-width="{self.width}" stroke-opacity="{self.opacity}"'
        return f'<path d="{self.d}" {shape} {stroke}{dash}/>'

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
        }


def dot(run: int, x: float, y: float, r: float, colour: str, opacity: float = 1.0) -> Line:
    """A filled circle."""
    return Line(run, OVAL.format(x=x, y=y, r=r, d=2 * r), colour, opacity=opacity, is_filled=True)
