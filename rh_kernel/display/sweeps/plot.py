"""One plot of a sweep, and its measures in pixels."""

from dataclasses import dataclass

from rh_kernel.display.linked_lines import Line

HEIGHT = 220
CURVES, AGAINST = 420, 206
"""The width of the plot of curves and of the heat map, and of those against one number."""

LEFT, RIGHT, TOP, BOTTOM = 54, 14, 10, 26
"""The margins."""


@dataclass(frozen=True, slots=True)
class Plot:
    """A plot: its title, in full and cut, its width, SVG elements behind the lines of the runs, and these.

    ``label`` describes it, ``key`` says what colours mean, with a note.
    """

    title: str
    full: str
    width: int
    parts: tuple[str, ...]
    lines: tuple[Line, ...]
    label: str
    key: tuple[tuple[str, str], ...]
    note: str
