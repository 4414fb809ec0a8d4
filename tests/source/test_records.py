"""Records behave like frozen dataclasses: construction, equality, ``repr`` and inheritance."""

from dataclasses import dataclass, field, fields, replace

import pytest
from hypothesis import given
from hypothesis import strategies as st

from rh_kernel.source.records import frozen, frozen_kw_only


@frozen
class Point:
    """Two numbers, and a note that is not compared"""

    x: int
    y: int = 0
    note: str = field(default="", compare=False, repr=False)


@dataclass(frozen=True, slots=True)
class Like:
    """The same as a dataclass"""

    x: int
    y: int = 0
    note: str = field(default="", compare=False, repr=False)


@frozen
class Higher(Point):
    """A subclass with one more number"""

    z: int = 0


@frozen
class Empty:
    """Without fields"""


@frozen_kw_only
class Named:
    """With keyword-only fields"""

    name: str = "a"


numbers = st.integers(0, 2)
arguments = st.tuples(numbers, numbers, st.sampled_from("ab"))


@given(arguments, arguments)
def test_records_are_compared_as_dataclasses_are(one: tuple[int, int, str], other: tuple[int, int, str]) -> None:
    assert (Point(*one) == Point(*other)) == (Like(*one) == Like(*other))
    if Point(*one) == Point(*other):
        assert hash(Point(*one)) == hash(Point(*other))
    assert repr(Point(*one)) == repr(Like(*one)).replace("Like", "Point")


def test_records_of_two_kinds_are_never_equal() -> None:
    assert Higher(1, 2) != Point(1, 2)
    assert Point(1, 2) != (1, 2)
    assert Empty() == Empty()
    assert len({Empty(), Empty(), Named(), Named(name="b")}) == 3


def test_records_are_taken_apart_and_changed() -> None:
    match Higher(1, 2, z=3):
        case Higher(x, y, _, z):
            assert (x, y, z) == (1, 2, 3)
    assert replace(Point(1, 2), y=5) == Point(1, 5)
    assert [f.name for f in fields(Higher)] == ["x", "y", "note", "z"]


def test_records_have_no_other_attributes() -> None:
    assert not hasattr(Higher(1), "__dict__")


def test_a_dataclass_may_inherit_from_a_record() -> None:
    @dataclass(frozen=True)
    class Watched(Named):
        more: int = field(default=0, kw_only=True)

    assert Watched(more=2) == Watched(more=2, name="a")
    with pytest.raises(TypeError, match="Python watches over"):

        @frozen_kw_only
        class Below(Watched):
            pass
