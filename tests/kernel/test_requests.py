"""Validation of requests."""

from __future__ import annotations

import json
from contextlib import suppress
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from rh_kernel.kernel.requests import Malformed, well_formed

TEXTS = st.text(st.characters(codec="utf-8"))
ANY = st.recursive(
    st.none() | st.booleans() | st.integers() | TEXTS,
    lambda parts: st.lists(parts, max_size=3) | st.dictionaries(TEXTS, parts, max_size=3),
    max_leaves=6,
)


@given(st.dictionaries(TEXTS, ANY))
def test_what_is_well_formed_stays_as_it_is(content: dict[str, Any]) -> None:
    assert well_formed("comm_msg", content) == content


@given(st.text(), st.dictionaries(st.text(), st.text()))
def test_whatever_a_browser_sends_can_be_sent_on(code: str, expressions: dict[str, str]) -> None:
    content = well_formed("execute_request", {"code": code, "user_expressions": expressions})
    assert json.dumps(content, ensure_ascii=False).encode()


@given(st.sampled_from(["execute", "complete", "inspect", "is_complete", "history"]), ANY)
def test_a_request_is_well_formed_or_it_is_said_what_is_wrong(name: str, content: Any) -> None:
    with suppress(Malformed):
        found = well_formed(f"{name}_request", content)
        assert isinstance(found.get("code", found.get("hist_access_type")), str)


def test_what_is_wrong_is_said() -> None:
    with pytest.raises(Malformed, match="`cursor_pos` is to be int; it is missing"):
        well_formed("complete_request", {"code": "x"})
    with pytest.raises(Malformed, match="`code` is to be str; it is int"):
        well_formed("execute_request", {"code": 1})
    with pytest.raises(Malformed, match="are texts"):
        well_formed("execute_request", {"code": "", "user_expressions": {"a": 1}})
