"""RH Def. 3.1: a family of function symbols has one member for each choice of its variables."""

import pytest

from rh_kernel.primitives.schemes import arguments, extent, instantiate, rank, size_of
from rh_kernel.primitives.structural import RESHAPE
from rh_kernel.primitives.table import SYMBOLS
from rh_kernel.syntax.core import Primitive
from rh_kernel.syntax.dimensions import dim
from rh_kernel.syntax.types import SCALAR, Product, ShapeMeta, ShapeVar, real

VECTOR = (dim(3),)
MATRIX = (dim(2), dim("n"))


def test_an_instance_has_the_types_of_its_scheme() -> None:
    assert instantiate("scale", SYMBOLS["scale"].schemes[0], (MATRIX,)) == Primitive(
        "scale", (MATRIX,), Product((SCALAR, real(2, "n"))), real(2, "n")
    )
    vector, matrix = SYMBOLS["matmul"].schemes
    f = instantiate("matmul", vector, (dim(2), dim(3)))
    assert (f.domain, f.codomain) == (Product((real(2, 3), real(3))), real(2))
    g = instantiate("matmul", matrix, (dim(2), dim(3), dim(4)))
    assert (g.domain, g.codomain) == (Product((real(2, 3), real(3, 4))), real(2, 4))


@pytest.mark.parametrize("name", sorted(SYMBOLS))
def test_the_explicit_variables_are_variables_and_come_first(name: str) -> None:
    for scheme in SYMBOLS[name].schemes:
        assert scheme.variables[: len(scheme.explicit)] == scheme.explicit
        assert not any(isinstance(v, ShapeVar) for v in scheme.explicit[:-1])


def test_what_an_argument_leaves_open_is_explicit() -> None:
    assert {name for name, row in SYMBOLS.items() if row.schemes[0].explicit} >= {"fill", "reshape", "broadcast_rows"}


def test_signatures_are_written_as_in_the_language() -> None:
    assert SYMBOLS["reshape"].signatures == ("reshape[s…] : Real(t…) → Real(s…)",)
    assert SYMBOLS["broadcast_rows"].signatures == ("broadcast_rows[m] : Real(n) → Real(m, n)",)
    assert SYMBOLS["matmul"].signatures[0] == "matmul : Real(m, n) × Real(n) → Real(m)"


def test_a_reshape_keeps_the_number_of_entries() -> None:
    m, n = dim("m"), dim("n")
    assert instantiate("reshape", RESHAPE, ((m * n,), (m, n))).codomain == real(m * n)
    with pytest.raises(ValueError, match="6 entries are not 4"):
        instantiate("reshape", RESHAPE, ((dim(2), dim(3)), (dim(4),)))


def test_a_value_of_the_wrong_kind_is_refused() -> None:
    for at in ((dim(2),), (VECTOR, VECTOR), ()):
        with pytest.raises(ValueError, match=r"cannot stand for s|zip\(\) argument"):
            instantiate("exp", SYMBOLS["exp"].schemes[0], at)


def test_a_shape_holds_the_product_of_its_axes() -> None:
    assert size_of((dim("m"), dim(2), dim("n"))) == dim("n") * dim("m") + dim("m") * dim("n")
    assert size_of(()) == dim(1)
    assert size_of(ShapeVar("s")) is None
    assert size_of(ShapeMeta(0)) is None


def test_what_is_known_of_an_instance() -> None:
    f = instantiate("scale", SYMBOLS["scale"].schemes[0], (MATRIX,))
    assert arguments(f) == (SCALAR, real(2, "n"))
    assert arguments(instantiate("exp", SYMBOLS["exp"].schemes[0], (VECTOR,))) == (real(3),)
    assert rank(real(2, "n")) == 2
    assert extent(real(2, 3)) == (2, 3)
    with pytest.raises(ValueError, match="not known"):
        extent(f.codomain)
    with pytest.raises(ValueError, match="not known"):
        rank(f.domain)
