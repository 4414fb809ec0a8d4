"""What is settled is what it was after anything is put in the place of unknowns and variables."""

from hypothesis import given
from hypothesis import strategies as st

from rh_kernel.syntax.binding import Static, solutions, specialise
from rh_kernel.syntax.builtin import GET
from rh_kernel.syntax.core import Bind, Bound, Call, Let, Operation, Perform, Primitive, Return, Scope, Tuple, Zero
from rh_kernel.syntax.dimensions import Dim, DimMeta, dim
from rh_kernel.syntax.groundness import is_ground
from rh_kernel.syntax.rebuild import rebuild
from rh_kernel.syntax.signature import Location, LocationVar
from rh_kernel.syntax.types import SCALAR, UNIT, Real, Shape, ShapeMeta, Type, TypeMeta, real
from tests.strategies import contexts, terms, types


def no_dim(meta: DimMeta) -> Dim:
    raise AssertionError(meta)


def no_shape(meta: ShapeMeta) -> Shape:
    raise AssertionError(meta)


def no_type(meta: TypeMeta) -> Type:
    raise AssertionError(meta)


@given(st.data())
def test_nothing_is_left_to_replace(data: st.DataObject) -> None:
    M = data.draw(terms(data.draw(contexts()), data.draw(types())))
    if is_ground(M):
        assert rebuild(M, 0, solutions(no_dim, no_shape, no_type)) is M
        assert specialise(M, Static({"n": dim(7)}, {"s": (dim(7),)}, {})) is M


def test_each_place_where_something_can_be_open() -> None:
    unknown = Real((dim(DimMeta(1)),))
    known = Primitive("sin", ((dim(1),),), SCALAR, SCALAR)
    slot = Location("w", (dim(2),))
    get = Operation(GET, (slot,), ((dim(2),),), UNIT, real(2))
    assert is_ground(Let(Call(known, Bound(0)), Scope(("x",), Tuple((Bound(0), Zero(SCALAR))))))
    assert is_ground(Bind(Perform(get, Zero(UNIT)), Scope(("w",), Return(Bound(0)))))
    for A in (unknown, Real(ShapeMeta(1)), TypeMeta(1), real("n")):
        assert not is_ground(Return(Zero(A)))
        assert not is_ground(Call(Primitive("sin", known.at, SCALAR, A), Bound(0)))
        assert not is_ground(Perform(Operation(GET, (slot,), get.at, UNIT, A), Zero(UNIT)))
    assert not is_ground(Call(Primitive("sin", (dim(DimMeta(1)),), SCALAR, SCALAR), Bound(0)))
    assert not is_ground(Perform(Operation(GET, (LocationVar("l", (dim(2),)),), get.at, UNIT, real(2)), Zero(UNIT)))
