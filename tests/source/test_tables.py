"""A table behaves like a dictionary of the same entries, whatever tables extend it."""

from collections.abc import Mapping

from hypothesis import given
from hypothesis import strategies as st

from rh_kernel.source.tables import Table, table

keys = st.sampled_from("abcdef")
additions = st.lists(st.tuples(st.integers(0, 10), keys, st.integers(0, 3)), max_size=12)


@given(st.dictionaries(keys, st.integers(0, 3)), additions)
def test_a_table_is_what_was_put_into_it(start: dict[str, int], added: list[tuple[int, str, int]]) -> None:
    """Extend any of the tables so far; all others remain unchanged."""
    grown: list[tuple[Table[str, int], dict[str, int]]] = [(table(start), start)]
    for which, key, value in added:
        one, meant = grown[which % len(grown)]
        grown.append((one.with_(key, value), {**meant, key: value}))
    for one, meant in grown:
        assert list(one.items()) == list(meant.items())
        assert len(one) == len(meant)
        for key in "abcdef":
            assert one.get(key) == meant.get(key)
            assert (key in one) == (key in meant)
            assert _found(one, key) == _found(meant, key)


def _found(entries: Mapping[str, int], key: str) -> int | None:
    try:
        return entries[key]
    except KeyError:
        return None


class Counted:
    """A key that counts the calls of ``__hash__``"""

    def __init__(self) -> None:
        self.asked = 0

    def __hash__(self) -> int:
        self.asked += 1
        return id(self)


def test_a_table_that_grows_copies_nothing() -> None:
    """Insertion does not visit the existing entries."""
    present = [Counted() for _ in range(100)]
    grown = table(dict.fromkeys(present, 0))
    before = [key.asked for key in present]
    for _ in range(10):
        grown = grown.with_(Counted(), 1)
    assert [key.asked for key in present] == before
    assert len(grown) == 110
