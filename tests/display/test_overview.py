"""The overview of ``%help``: every directive and function symbol is in it, in a table that wraps between words."""

from pathlib import Path

from rh_kernel.display.registry import bundle, text
from rh_kernel.primitives.table import SYMBOLS
from rh_kernel.session.directives.registry import all_directives
from rh_kernel.session.results import Overview
from rh_kernel.session.session import Session
from tests.display.pages import assert_harmless
from tests.session.cells import run


def test_the_overview_has_all_directives_and_symbols(tmp_path: Path) -> None:
    (found,), _ = run(Session.start(tmp_path), "%help")
    assert isinstance(found, Overview)
    page = assert_harmless(bundle(found)["text/html"])
    for shown in (page.text, text(found)):
        assert all(directive.call in shown and directive.help in shown for directive in all_directives().values())
    assert set(SYMBOLS) <= set(text(found).replace(",", " ").split())
    titles = {attributes["title"] for _, attributes in page.elements if "title" in attributes}
    assert titles == {f.signatures[0] for f in SYMBOLS.values()}
    assert "pre" not in page.tags
