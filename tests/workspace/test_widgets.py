"""Widgets of cells are closed when a cell is run again, and their number is limited."""

from __future__ import annotations

from typing import Any

from rh_kernel.session.results import Result, Shown
from rh_kernel.session.session import execute
from rh_kernel.source.span import Source
from rh_kernel.workspace.widgets import MAX_OPEN, Widgets
from rh_kernel.workspace.workspace import Workspace


def traced() -> Result:
    (event,) = [e for e in execute(Workspace().session, Source("cell", "%trace return 1 + 2")) if isinstance(e, Shown)]
    return event.result


def shown(widgets: Widgets, cell: str, result: Result) -> str:
    """Show a result and return the number of its widget."""
    view: Any = widgets.outputs(cell, result, {"text/plain": "", "text/html": ""})[0]
    return next(data["model_id"] for data in view.values() if isinstance(data, dict))


def alive() -> set[str]:
    from ipywidgets.widgets import widget

    return set(vars(widget)["_instances"])


def test_a_cell_keeps_the_newest_of_its_widgets() -> None:
    widgets, result = Widgets(), traced()
    widgets.clear("a")
    made = [shown(widgets, "a", result) for _ in range(MAX_OPEN + 2)]
    assert alive() >= set(made[2:])
    assert not alive() & set(made[:2])
    widgets.clear("a")
    assert not alive() & set(made)


def test_all_cells_together_keep_so_many() -> None:
    widgets, result, before = Widgets(), traced(), alive()
    made: list[str] = []
    for number in range(MAX_OPEN + 20):
        widgets.clear(f"{number}")
        made.append(shown(widgets, f"{number}", result))
    assert alive() & set(made) == set(made[20:])
    assert len(alive() - before) == 2 * MAX_OPEN, "each has a layout, and no layout is left of the others"
    for number in range(MAX_OPEN + 20):
        widgets.clear(f"{number}")
    assert alive() == before


def test_widgets_go_with_the_outputs_that_show_them() -> None:
    widgets, result = Widgets(), traced()
    kept, first = shown(widgets, "a", result), shown(widgets, "b", result)
    widgets.clear("b")
    assert alive() & {kept, first} == {kept}
    second = shown(widgets, "b", result)
    widgets.clear("b", wait=True)
    assert alive() >= {kept, second}
    third = shown(widgets, "b", result)
    assert alive() & {kept, second, third} == {kept, third}


def test_one_that_was_closed_otherwise_makes_space() -> None:
    widgets, result = Widgets(), traced()
    made = [shown(widgets, "a", result) for _ in range(MAX_OPEN)]
    from ipywidgets.widgets import widget

    vars(widget)["_instances"][made[-1]].close()
    made.append(shown(widgets, "a", result))
    assert alive() & set(made) == set(made) - {made[-2]}


def test_what_is_shown_beside_all_cells_is_shown_too() -> None:
    widgets = Widgets()
    made = shown(widgets, "no cell", traced())
    assert made in alive()
    widgets.clear("no cell")
    assert made not in alive()
