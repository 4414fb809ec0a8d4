"""A scope is the list of what was bound, and to find a name in it takes few looks however long it is."""

from hypothesis import given
from hypothesis import strategies as st

from rh_kernel.typing.scope import RECENT, Scope
from tests.counting import calls

EMPTY: Scope[int] = Scope()
NAMES = st.lists(st.sampled_from("abcdefgh"), max_size=150)


def bound(names: list[str]) -> Scope[int]:
    """The scope of these names; each means its position."""
    scope = EMPTY
    for position, name in enumerate(names):
        scope = scope.bind(name, position)
    return scope


@given(NAMES)
def test_the_nearest_of_a_name_is_found(names: list[str]) -> None:
    scope = bound(names)
    assert scope.count == len(names)
    for name in "abcdefghi":
        positions = [i for i, x in enumerate(names) if x == name]
        assert scope.find(name) == ((positions[-1], positions[-1]) if positions else None)


@given(NAMES, NAMES, NAMES)
def test_what_is_bound_later_changes_no_scope(names: list[str], some: list[str], others: list[str]) -> None:
    scope = bound(names)
    seen = scope.visible()
    for branch in (some, others):
        inner = scope
        for name in branch:
            inner = inner.bind(name, -1)
    assert scope.visible() == seen == bound(names).visible()


@given(NAMES)
def test_the_nearest_of_each_name_is_visible_in_order(names: list[str]) -> None:
    last = {name: position for position, name in enumerate(names)}
    assert bound(names).visible() == [(i, i) for i in sorted(last.values())]


def test_a_scope_is_never_copied_as_a_whole() -> None:
    blocks = [bound([f"x{i}" for i in range(count)]).blocks for count in (RECENT, 1000, 4000)]
    for block in blocks:
        sizes: list[int] = []
        while block is not None:
            sizes.append(block.count)
            block = block.before
        assert len(sizes) <= 12
        assert sizes == sorted(set(sizes))


def test_binding_takes_about_as_long_however_much_is_bound() -> None:
    few, many = (calls(lambda n=n: bound([f"x{i}" for i in range(n)])) for n in (1000, 4000))
    assert many <= 4.5 * few
