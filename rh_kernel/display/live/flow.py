"""The view of a recorded training run in a page: drawings of the nets and all sizes, which the page plays by itself."""

import numpy as np

from rh_kernel.denotational.drawing.sketch import sketch
from rh_kernel.display.data import Json, Record
from rh_kernel.display.diagrams.choice import chosen
from rh_kernel.display.diagrams.geometry import geometry
from rh_kernel.display.flow.text import flow_title, lesson_file, lesson_text, summary
from rh_kernel.display.flow.tints import MOST_NETS, measured_boxes, shown_quantity, tint_scale
from rh_kernel.display.live.view import Unanswerable
from rh_kernel.display.text import visible
from rh_kernel.session.flow.records import QUANTITIES, FlowMade, FlowNet


class FlowView:
    """The view of one recording."""

    kind = "flow"

    def __init__(self, made: FlowMade) -> None:
        self._made = made

    def opening(self) -> Record:
        """Return the frames, the sizes by quantity, frame and box, the scales, and a drawing of each net.

        A drawing is ``None`` if the net is too large; ``measured`` lists the positions of the measured boxes in each drawn box.
        A size is ``None`` where there is none, and -1 if it is not finite.
        """
        made = self._made
        scales = [tint_scale(made, quantity) for quantity in QUANTITIES]
        return {
            "title": visible(flow_title(made)),
            "summary": visible(summary(made)),
            "batches": made.batches,
            "epochs": made.epochs,
            "frames": [[frame.batch, frame.epoch, [*frame.samples]] for frame in made.frames],
            "boxes": [visible(box.label) for box in made.boxes],
            "weights": [[visible(name) for name in box.locations] for box in made.boxes],
            "sizes": [[_sizes(made.sizes[frame, q]) for frame in range(len(made.frames))] for q in range(len(QUANTITIES))],
            "scales": [None if scale is None else [scale.low, scale.high] for scale in scales],
            "shown": QUANTITIES.index(shown_quantity(made)),
            "nets": [_net(made, net) for net in made.nets[:MOST_NETS]],
            "findings": [
                {
                    "text": visible(finding.text),
                    "boxes": [*finding.boxes],
                    "frame": finding.frame,
                    "quantity": QUANTITIES.index(finding.quantity),
                    "lesson": lesson_text(finding),
                    "file": lesson_file(finding),
                }
                for finding in made.findings
            ],
        }

    def answer(self, question: Record) -> Record:
        """Raise ``Unanswerable``: the page has everything."""
        raise Unanswerable("the view of a recorded training run asks nothing")


def _sizes(sizes: np.ndarray) -> list[Json]:
    return [None if np.isnan(x) else -1.0 if np.isinf(x) else float(f"{float(x):.3g}") for x in sizes]


def _net(made: FlowMade, net: FlowNet) -> Record:
    drawn = chosen(sketch(net.diagram))
    if drawn is None:
        return {"drawing": None, "measured": []}
    measured: list[Json] = [[box, [*at]] for box, at in measured_boxes(made, net, drawn).items() if at]
    frames: list[Json] = [
        {"x": f.x, "y": f.y, "w": f.width, "h": f.height, "label": visible(f.title)} for f in drawn.drawing.frames
    ]
    return {"drawing": {**geometry(drawn), "frames": frames}, "measured": measured}
