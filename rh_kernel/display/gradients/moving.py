"""A pass as a moving picture: an SVG file whose boxes and wires appear in the order of the run, forward and back, by CSS alone.

Where the reader prefers reduced motion nothing moves, and the whole pass is shown.
"""

from rh_kernel.denotational.drawing.elements import PlacedBox
from rh_kernel.denotational.drawing.layout import Layout
from rh_kernel.denotational.drawing.sketch import with_inner
from rh_kernel.denotational.provenance import Leg, leg_of
from rh_kernel.display.diagrams.choice import chosen
from rh_kernel.display.gradients.passes import AnnotatedPass, annotated
from rh_kernel.display.gradients.svg import gradient_svg
from rh_kernel.display.html import escape
from rh_kernel.display.palette import MARKS, NEUTRAL
from rh_kernel.session.results import GradientMade
from rh_kernel.session.view_files import NoSuchPicture

EACH, REST, MOST = 0.8, 3.0, 45.0
"""Seconds for a box, at the end, and for all boxes at most."""

FOOT = 26.0
"""The height of the caption below the drawing in pixels."""

UNSEEN = 0.13
"""The opacity of what has not been computed yet."""

_CALM, _EMPHASISED = "stroke-width:1.3;fill-opacity:.09", "stroke-width:3;fill-opacity:.4"


def moving_svg(made: GradientMade) -> str:
    """Return the SVG document of the first pass. Raises ``NoSuchPicture`` if its diagram is too large."""
    p = annotated(made.passes[0])
    drawn = chosen(p.sketch)
    if drawn is None:
        raise NoSuchPicture("this diagram is too large to be drawn")
    return _Film(p, drawn).svg()


class _Film:
    """The moments of a pass: the first runs of the boxes that are drawn, in their order."""

    def __init__(self, p: AnnotatedPass, drawn: Layout) -> None:
        self._p, self._drawn = p, drawn
        frames = [self._frame(box) for box in drawn.drawing.boxes]
        self._moments = {frame: n for n, frame in enumerate(sorted({frame for frame in frames if frame}))}
        self._each = min(EACH, MOST / max(len(self._moments), 1))
        self._length = self._each * len(self._moments) + REST

    def svg(self) -> str:
        """Return the document."""
        label = f"{' '.join(self._p.made.subject.split())}, box by box"
        still = gradient_svg(self._p, self._drawn, label, of_box=self._of_box, of_wire=self._of_wire)
        wide, high = self._drawn.width, self._drawn.height
        opening, rest = still[: still.index(">")], still[still.index(">") :].removesuffix("</svg>")
        opening = opening.replace(f'viewBox="0 0 {wide:.1f} {high:.1f}"', f'viewBox="0 0 {wide:.1f} {high + FOOT:.1f}"')
        opening = opening.replace(f'height="{high:.0f}"', f'height="{high + FOOT:.0f}"').replace(
            'class="rh-d"', 'class="rh-d rh-m"'
        )
        opening = opening.replace(f"color:{NEUTRAL};", "")
        return f"{opening}{rest}<style>{self._style()}</style>{self._captions()}</svg>\n"

    def _frame(self, box: PlacedBox) -> int:
        """Return the frame of the first run in a box; 0 if nothing in it runs."""
        every = self._drawn.sketch.every
        numbers = [inner.number for n in box.members for inner in with_inner(every[n])]
        return min([self._p.frames[n] for n in numbers if n in self._p.frames], default=0)

    def _of_box(self, box: PlacedBox) -> str:
        return self._class(self._frame(box))

    def _of_wire(self, wire: int) -> str:
        known = self._p.wires.get(wire)
        return self._class(0 if known is None else known.born)

    def _class(self, frame: int) -> str:
        """Return the class of what appears at a frame: with the last box that begins until then."""
        begun = [n for at, n in self._moments.items() if at <= frame]
        return f"m{max(begun)}" if begun else ""

    def _style(self) -> str:
        paper = (
            ".rh-m{color:#24292f;background:#fff}@media(prefers-color-scheme:dark){.rh-m{color:#d8d8d8;background:#111}}"
            f".rh-m .bar{{fill:rgb({MARKS['forward']})}}.rh-m .back{{fill:rgb({MARKS['backward']})}}"
            ".rh-m .say{opacity:0}.rh-m .end{opacity:1}"
        )
        moves = [self._moves(n) for n in self._moments.values()]
        whole = (
            f"from,{self._percent(len(self._moments))}{{opacity:0}}{self._percent(len(self._moments), 0.01)},to{{opacity:1}}"
        )
        moves.append(f"@keyframes end{{{whole}}}.rh-m .end{{animation:end {self._length:.1f}s linear infinite}}")
        return f"{paper}@media(prefers-reduced-motion:no-preference){{{''.join(moves)}}}"

    def _moves(self, n: int) -> str:
        """Return the rules of moment n: what appears stays, its box is emphasised, and its caption is there meanwhile."""
        start, shown, end = self._percent(n), self._percent(n, 0.25), self._percent(n + 1)
        run = f"{self._length:.1f}s linear infinite"
        return (
            f"@keyframes m{n}{{from,{start}{{opacity:{UNSEEN}}}{shown},to{{opacity:1}}}}.rh-m .m{n}{{animation:m{n} {run}}}"
            f"@keyframes b{n}{{{start}{{{_CALM}}}{shown},{self._percent(n, 0.9)}{{{_EMPHASISED}}}{end}{{{_CALM}}}}}"
            f".rh-m .m{n} .b{{animation:b{n} {run}}}"
            f"@keyframes s{n}{{from,{start}{{opacity:0}}{self._percent(n, 0.01)},{self._percent(n, 0.99)}{{opacity:1}}"
            f"{end},to{{opacity:0}}}}.rh-m .s{n}{{animation:s{n} {run}}}"
        )

    def _percent(self, n: int, part: float = 0.0) -> str:
        return f"{100 * (n + part) * self._each / self._length:.3f}%"

    def _captions(self) -> str:
        """Return a caption and a piece of the bar for each moment."""
        wide, y, count = self._drawn.width - 24, self._drawn.height + 14, len(self._moments)
        parts: list[str] = []
        for frame, n in self._moments.items():
            step = self._p.schedule.steps[frame - 1]
            back = " back" if step.leg in (Leg.BACKWARD, Leg.RETURN) or leg_of(step.node.place) is Leg.BACKWARD else ""
            words = f"{n + 1} of {count}: {step.node.figure.text}"
            parts.append(f'<text class="say s{n}" x="12" y="{y:.1f}">{escape(words)}</text>')
            place = f'x="{12 + wide * n / count:.1f}" y="{y + 5:.1f}" width="{wide / count:.1f}" height="3"'
            parts.append(f'<rect class="bar{back} m{n}" {place}/>')
        parts.append(f'<text class="end" x="12" y="{y:.1f}">The whole pass: blue forward, ochre back.</text>')
        return "".join(parts)
