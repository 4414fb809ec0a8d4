"""An open exercise in a ``%%lambda`` cell is reported as in any other cell."""

import pytest

from rh_kernel.ad.language.parsing_items import item
from rh_kernel.source.diagnostic import Rejected
from rh_kernel.source.span import Source, Span
from rh_kernel.syntax.errors import CodeMissing
from rh_kernel.syntax.parsing.tokens import STUB


@pytest.mark.parametrize("text", [f"fun f(x : Real) : Real =\n  # YOUR CODE HERE\n  {STUB}", STUB, f"f({STUB}, {STUB})"])
def test_an_open_exercise_is_no_unknown_name(text: str):
    with pytest.raises(Rejected) as refused:
        item(Span(Source("test", text), 0, len(text)))
    diagnostics = refused.value.diagnostics
    assert [type(d) for d in diagnostics] == [CodeMissing] * text.count(STUB)
    assert all(d.span is not None and d.span.text == STUB for d in diagnostics)


def test_a_name_that_only_begins_like_one_is_a_name():
    text = f"fun f({STUB}X : Real) : Real = {STUB}X"
    assert item(Span(Source("test", text), 0, len(text))) is not None
