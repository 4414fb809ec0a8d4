"""`%limit seconds` while results are displayed: the display is interrupted, and the cell fails."""

import time
from pathlib import Path

import pytest

from rh_kernel.session.results import DeclarationMade, Event, Shown
from rh_kernel.source.span import Source
from rh_kernel.workspace.errors import Wrong
from rh_kernel.workspace.workspace import Workspace


def test_the_seconds_of_a_cell_are_looked_at_while_a_result_is_drawn() -> None:
    workspace = Workspace(Path(__file__).parent)
    workspace.run("const a = 1")
    workspace.run("%limit seconds 1")
    drawn: list[Event] = []

    def draw(event: Event) -> None:
        while isinstance(event, Shown) and isinstance(event.result, DeclarationMade) and len(drawn) < 1_000_000_000:
            drawn.append(event)

    with pytest.raises(Wrong) as wrong:
        workspace.take(Source("cell", "const b = 2"), draw)
    assert [d.code for d in wrong.value.diagnostics] == ["RH208"]
    assert 0 < len(drawn) < 1_000_000_000
    assert workspace.session.definitions.get("a") is not None
    assert workspace.session.definitions.get("b") is None


def test_what_is_drawn_after_the_cell_is_not_broken_off() -> None:
    workspace = Workspace(Path(__file__).parent)
    workspace.run("%limit seconds 1")
    shown: list[Event] = []
    workspace.take(Source("cell", "1 + 1"), shown.append)
    time.sleep(1.1)
    assert [e for e in shown if isinstance(e, Shown)]
