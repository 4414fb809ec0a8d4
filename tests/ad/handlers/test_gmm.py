"""Tensors and Gaussian mixtures (Sigal 2024, listings A.35 to A.37): O37, random mixtures, and each primitive's derivative."""

from collections.abc import Sequence
from dataclasses import replace
from functools import cache

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from rh_kernel.ad.eff import core, loading
from rh_kernel.ad.eff.definitions import Definitions
from rh_kernel.ad.eff.machine.compiler.program import Program
from rh_kernel.ad.eff.machine.running import run, run_in_slices
from rh_kernel.ad.eff.machine.tensor_values import Tensor
from rh_kernel.ad.eff.typing.checking import check_item
from rh_kernel.source.diagnostic import Stuck
from rh_kernel.source.trampoline import exhaust
from tests.benchmarks.effects_gmm import Array, Mixture, drawn, gradient, objective
from tests.tiers import law

O37 = Mixture(
    np.array([0.1, -0.2]),
    np.array([[0.5, -0.3], [-0.7, 0.2]]),
    np.array([[0.1, -0.1, 0.3], [0.2, 0.0, -0.4]]),
    np.array([[1.0, 0.5], [-0.5, 0.25], [0.0, -1.0]]),
)

SECOND_ORDER = """\
fun inner_product vs gs = match (vs, gs)
  | (v :: vs, g :: gs) -> plus_s (total_t (times_t (given_t v) g)) (inner_product vs gs)
  | _ -> number 0.0
fun hessian_times x gamma m vs ts =
  handle grad_t {us -> inner_product vs (grad_t {zs -> gmm_objective x gamma m zs} us)} ts with evaluate_t
"""


@cache
def declared(text: str = "") -> Definitions:
    """The library's programs of tensors, and more declarations."""
    return loading.declared(text, loading.program("gmm"))


def array(*entries: object) -> Array:
    return np.array(entries, np.float64)


@cache
def compiled(text: str = "") -> Program:
    """The compiled programs."""
    return Program(declared(text))


def list_of(*arrays: Array) -> core.Value:
    """A list of tensors as a value."""
    made: core.Value = core.Constructed("Nil", ())
    for a in reversed(arrays):
        made = core.Constructed("Cons", (core.Literal(Tensor(a)), made))
    return made


def applied(name: str, *arguments: object, text: str = "") -> list[Array]:
    """The result of a function: a tensor, a number, or a list of tensors."""
    found = exhaust(run_in_slices(application(name, *arguments, text=text), compiled(text))).value
    assert found is not None
    return list(arrays(found))


def application(name: str, *arguments: object, text: str = "") -> core.Computation:
    """A declared function applied to arrays, lists of arrays, and numbers; checked."""
    M: core.Computation = core.Force(core.Global(name))
    for V in arguments:
        match V:
            case np.ndarray():
                M = core.Apply(M, core.Literal(Tensor(V)))
            case float() | int():
                M = core.Apply(M, core.Literal(V))
            case list():
                M = core.Apply(M, list_of(*V))
            case _:
                raise AssertionError(V)
    return check_item(M, declared(text)).term


def arrays(V: core.Value) -> Sequence[Array]:
    match V:
        case core.Literal(Tensor(array=a)):
            return [a]
        case core.Literal(float(r)):
            return [np.array(r)]
        case core.Constructed(_, ()):
            return []
        case core.Constructed(_, (first, rest)):
            return [*arrays(first), *arrays(rest)]
        case _:
            raise AssertionError(V)


def close(found: Sequence[Array], expected: Sequence[Array], error: float = 1e-11) -> None:
    """The same shapes, and the same entries but for rounding."""
    assert [a.shape for a in found] == [np.shape(b) for b in expected]
    for a, b in zip(found, expected, strict=True):
        assert a == pytest.approx(b, rel=error, abs=error)


def test_o37_the_objective_of_a_tiny_mixture() -> None:
    """O37"""
    of = O37
    (found,) = applied("gmm", of.x, of.gamma, of.m, *of.variables)
    assert found == pytest.approx(0.0670785583516231, abs=1e-14)


def test_o37_the_gradient_of_a_tiny_mixture() -> None:
    """O37"""
    of = O37
    found = applied("gmm_gradient", of.x, of.gamma, of.m, *of.variables)
    expected = [
        array(0.262047114882, -0.262047114882),
        array([-0.325107880213, 0.213466419393], [0.98494871278, -0.442172827921]),
        array([2.25468416944, 1.852261356185, -0.293933365052], [1.671857428213, 1.588674764741, -0.045605705518]),
    ]
    close(found, expected, 1e-11)


@law(25)
@given(st.integers(1, 4), st.integers(1, 4), st.integers(1, 4), st.floats(0.1, 2), st.integers(0, 3), st.integers(0, 999))
def test_the_gradient_of_a_mixture_is_that_by_hand(d: int, k: int, n: int, gamma: float, m: int, seed: int) -> None:
    """Also for one point, one component or one dimension, where the listing fails because Owl drops such axes."""
    of = replace(drawn(d, k, n, seed), gamma=gamma, m=m)
    close(applied("gmm", of.x, gamma, m, *of.variables), [np.array(objective(of))])
    close(applied("gmm_gradient", of.x, gamma, m, *of.variables), gradient(of))


def test_the_number_of_operations_is_independent_of_points_and_components() -> None:
    """x is a constant and all components are handled at once; in the listing there are about 3·N + 3·D·K operations."""

    def operations(d: int, k: int, n: int) -> int:
        of = drawn(d, k, n)
        M = application("gmm_gradient", of.x, of.gamma, of.m, *of.variables)
        counts = run(M, declared(), counting=True).counts
        assert counts is not None
        return counts.handled_by("evaluate_t")

    assert operations(3, 2, 4) == operations(3, 20, 400)
    assert operations(4, 2, 4) - operations(3, 2, 4) == operations(9, 2, 4) - operations(8, 2, 4) == 3


@pytest.mark.parametrize(("d", "k", "n"), [(2, 3, 4), (1, 1, 1), (1, 2, 3), (3, 1, 2)])
def test_reverse_mode_of_reverse_mode_is_the_hessian(d: int, k: int, n: int) -> None:
    """``∂⟨v, ∇f(z)⟩/∂z`` against differences of the gradient by hand: what reverse mode does is smooth itself."""
    of, step = drawn(d, k, n), 1e-5
    direction = drawn(d, k, n, seed=7)
    found = applied("hessian_times", of.x, 1.0, 0, list(direction.variables), list(of.variables), text=SECOND_ORDER)

    def moved(step: float) -> Mixture:
        alphas, means, icf = [a + step * v for a, v in zip(of.variables, direction.variables, strict=True)]
        return Mixture(alphas, means, icf, of.x)

    above, below = gradient(moved(step)), gradient(moved(-step))
    close(found, [(a - b) / (2 * step) for a, b in zip(above, below, strict=True)], 1e-6)


PRIMITIVES = {
    "plus_t a b": [(2, 3), (2, 3)],
    "minus_t a b": [(2, 3), (2, 3)],
    "times_t a b": [(2, 3), (2, 3)],
    "times_t a a": [(2, 3), (1,)],
    "over_t a b": [(2, 3), (2, 3)],
    "product_t a b": [(2, 3), (3, 4)],
    "product_t a (swapped b)": [(5, 2, 3), (5, 4, 3)],
    "place_t 1 1 a b": [(2, 4), (2, 2)],
    "reshape_t [3, 2] a": [(2, 3), (1,)],
    "part_t 1 1 3 a": [(2, 4), (1,)],
    "part_t 0 1 1 a": [(2, 4), (1,)],
    "transpose_t [2, 0, 1] a": [(2, 3, 4), (1,)],
    "repeat_t 1 3 a": [(2, 4), (1,)],
    "sum_t 1 a": [(2, 4), (1,)],
    "exp_t a": [(2, 3), (1,)],
    "negate_t a": [(2, 3), (1,)],
    "power_t 3.0 a": [(2, 3), (1,)],
    "power_t (-1.5) (exp_t a)": [(2, 3), (1,)],
    "log_sum_exp_t 0 a": [(4, 2), (1,)],
    "softmax_t 1 a": [(2, 3), (1,)],
    "scale_t (total_t b) a": [(2, 3), (2,)],
    "lower_t a (total_t b)": [(2, 3), (2,)],
    "concatenate_t 1 [a, zeros_t [2, 1], b, a]": [(2, 1), (2, 2)],
    "stack_t 1 [a, b, a]": [(2, 3), (2, 3)],
    "item 1 (split_t 1 [1, 2, 1] a)": [(2, 4), (1,)],
    "concatenate_t 1 (split_t 1 [1, 3] (times_t a a))": [(2, 4), (1,)],
    "scale_t (log_s (times_s (total_t (exp_t a)) (number 2.0))) b": [(2,), (3,)],
    "scale_t (over_s (total_t a) (plus_s (number 9.0) (total_t b))) b": [(2,), (3,)],
    "scale_t (minus_s (negate_s (total_t a)) (total_t a)) b": [(2,), (3,)],
}
"""Expressions in tensors a and b of these shapes."""


@pytest.mark.parametrize("primitive", PRIMITIVES)
def test_each_primitive_has_the_derivative_that_differences_have(primitive: str) -> None:
    """The derivative of ``⟨w, f(a, b)⟩`` for random w."""
    text = f"""\
fun weighted ts = match ts | [] -> number 0.0 | _ :: [] -> number 0.0 | a :: b :: _ ->
  let y = {primitive} in
  let w = given_t (tensor_normal 5 (shape_t y)) in
  total_t (times_t w (times_t y y))
fun value_of ts = handle weighted ts with evaluate_t
fun derivative ts = handle grad_t weighted ts with evaluate_t
"""
    chance = np.random.default_rng(3)
    at = [chance.normal(size=shape) for shape in PRIMITIVES[primitive]]
    close(applied("derivative", at, text=text), differences(text, at), 1e-7)


def differences(text: str, at: list[Array]) -> list[Array]:
    found = [np.zeros(a.shape) for a in at]
    for a, to in zip(at, found, strict=True):
        for place in np.ndindex(*a.shape):
            kept, ends = a[place], list[float]()
            for step in (1e-5, -1e-5):
                a[place] = kept + step
                ends.append(float(applied("value_of", [b.copy() for b in at], text=text)[0]))
            a[place] = kept
            to[place] = (ends[0] - ends[1]) / 2e-5
    return found


def test_an_unused_argument_has_the_derivative_zero() -> None:
    text = """\
fun first ts = match ts | a :: _ -> total_t a | [] -> number 0.0
fun none ts = number 3.0
fun gradient_of_first ts = handle grad_t first ts with evaluate_t
fun gradient_of_none ts = handle grad_t none ts with evaluate_t
"""
    at = [np.ones((2, 3)), np.ones(4)]
    close(applied("gradient_of_first", at, text=text), [np.ones((2, 3)), np.zeros(4)])
    close(applied("gradient_of_none", at, text=text), [np.zeros((2, 3)), np.zeros(4)])


def test_shapes_that_differ_are_never_added() -> None:
    """In listing A.36, a cotangent of another shape is broadcast silently."""
    text = "fun sum_of ts = match ts | [a, b] -> total_t (plus_t a b) | _ -> number 0.0\n"
    text += "fun go ts = handle grad_t sum_of ts with evaluate_t\n"
    with pytest.raises(Stuck) as stuck:
        applied("go", [np.ones((2, 3)), np.ones(3)], text=text)
    (diagnostic,) = stuck.value.diagnostics
    assert diagnostic.code == "RH540"
    assert diagnostic.message == "tensor_plus: 2 × 3 and 3 are not the same"
    assert diagnostic.expected == "two tensors of the same shape"
    assert diagnostic.span is not None
