"""Programs that would get stuck for their shapes are rejected: each of these was once accepted, and then failed as it ran."""

import pytest

from rh_kernel.source.diagnostic import Rejected
from rh_kernel.source.span import Source
from rh_kernel.syntax.parsing.parser import parse_expression
from rh_kernel.typing.definitions import BUILT_IN
from rh_kernel.typing.elaboration.items import elaborate_evaluation
from tests.declarations import declared

SIGNATURE = declared("""
loc w : Real(2, 3) = zeros
op Choose[p : Dim] : Real(n) -> Real(p)
op Shift[a : Real(n)] : Real(n) -> Real(n)
""")


def rejected(text: str) -> str:
    """The code of the diagnostic about a program."""
    with pytest.raises(Rejected) as raised:
        elaborate_evaluation(SIGNATURE, parse_expression(Source("program", text)))
    return raised.value.diagnostics[0].code


def test_the_index_of_an_inner_clause_is_another_than_that_of_the_clause_around_it() -> None:
    assert (
        rejected("""
      rev handle ([1.0, 2.0]) <x>. Choose[2](x) with {
        return x -> return x
        Choose[p](x) ->
          handle let y <= Choose[3]([1.0]) in return fill[p](0.5) with {
            return y -> return (y, ())
            Choose[p](x), k -> return (fill[p](0.5), ())
          }
          | y, z -> return fill[n](0.5)
      }""")
        == "RH102"
    )


def test_the_index_of_a_clause_is_another_than_a_dimension_around_it() -> None:
    assert (
        rejected("""
      handle Shift[[1.0, 2.0]]([1.0, 2.0]) with {
        return x -> return x
        Shift[a](x), k ->
          let r <= handle let y <= Choose[3]([0.5]) in return sum(y) with {
            return y -> return y
            Choose[n](z), k -> k(a)
          } in k(x)
      }""")
        == "RH102"
    )


def test_the_index_of_a_clause_is_another_than_the_dimensions_of_its_operation() -> None:
    assert (
        rejected("""
      handle Choose[3]([1.0, 2.0]) with { return x -> return x ; Choose[n](x), k -> k(x) }""")
        == "RH102"
    )


def test_one_name_cannot_stand_for_two_indices_that_clash_with_what_is_around() -> None:
    two = declared("op Two[p : Dim, q : Dim] : Real(p) -> Real(q)")
    text = "handle Two[1, 2](0.5) with { return x -> return x ; Two[p, p](x), k -> k(x) }"
    with pytest.raises(Rejected):
        elaborate_evaluation(two, parse_expression(Source("program", text)))
    swapped = "handle Two[1, 2](0.5) with { return x -> return x ; Two[q, p](x), k -> k(fill[p](0.5)) }"
    elaborate_evaluation(two, parse_expression(Source("program", swapped)))


def test_a_reshape_of_any_shape_there_is_keeps_its_entries() -> None:
    assert (
        rejected("""
      handle Put[w]([[1, 2, 3], [4, 5, 6]]) with {
        return x -> return x
        Put[l](x), k -> let y <= return reshape[2](x) in k(())
      }""")
        == "RH127"
    )


def test_a_reshape_of_a_shape_that_nothing_tells_keeps_its_entries() -> None:
    assert rejected("let f <- 0 in reshape[2](f)") == "RH127"


def test_get_and_put_are_there_without_being_declared() -> None:
    assert {"Get", "Put"} <= set(BUILT_IN.named)
