"""The view of ``%surface``."""

import numpy as np

from rh_kernel.display.data import Record, array, strict_json
from rh_kernel.display.live.surface import SurfaceView
from rh_kernel.display.registry import ResultView, as_html
from rh_kernel.display.training.surfaces import surface_html, surface_text
from rh_kernel.session.predictions import SurfaceShown
from rh_kernel.training.surfaces import GRID


def _record(shown: SurfaceShown) -> Record:
    surface, plane = shown.surface, shown.surface.plane
    box = np.stack([plane.low, plane.high])
    values = strict_json(array(surface.values.reshape(GRID, GRID, -1)))
    return {"kind": "surface", "axes": [*plane.axes], "box": array(box), "values": values}


SURFACE = ResultView(
    SurfaceShown,
    text=lambda shown: surface_text(shown.surface),
    rich=as_html(lambda shown: surface_html(shown.surface)),
    records=lambda shown: (_record(shown),),
    live=SurfaceView,
)
