"""Completion where a location or a family of locations can stand."""

from pathlib import Path

import pytest

from rh_kernel.kernel.completion.completing import completions
from rh_kernel.session.session import Session
from tests.session.cells import run

DECLARED = """
loc ws[2] : Real(2, 2) = eye
loc w : Real(2, 2) = eye
op FC[l : Loc(m, n)] : Real(n) -> Real(m)
op Deep[vs : Loc(d, d)[k]] : Real(d) -> Real(d)
"""


@pytest.mark.parametrize(
    ("text", "expected"),
    [("FC[", ["w", "ws["]), ("Deep[", ["ws"]), ("%heap w", ["ws", "ws[0]", "ws[1]"]), ("%heap ws[", ["ws[0]", "ws[1]"])],
)
def test_members_and_families_are_completed_where_they_fit(text: str, expected: list[str]) -> None:
    session = run(Session.start(Path()), DECLARED)[1]
    found = [c.text for c in completions(session, text, len(text))[1]]
    assert found[: len(expected)] == expected
