"""``RH`` (RH Fig. 7, 8): the numbers of back-propagation, the sequence of Fig. 8, and the measure of Def. 5.7."""

from collections.abc import Callable

import numpy as np
import pytest

from rh_kernel.operational.binders import CommandAtDepth, TermAtDepth, bind, fixed, plus, returned
from rh_kernel.operational.contexts import Subject
from rh_kernel.operational.heap import Heap
from rh_kernel.operational.trace import run, steps
from rh_kernel.paper import Rule
from rh_kernel.primitives.values import materialise, to_array
from rh_kernel.syntax.core import (
    RH,
    Array,
    Bind,
    Bound,
    Call,
    Command,
    Const,
    Handle,
    If,
    IfCommand,
    Let,
    Map,
    OrdinaryHandler,
    Perform,
    Plus,
    Proj,
    R,
    Rd,
    Repeat,
    Resume,
    Return,
    ReverseHandler,
    RevHandle,
    Scan,
    Tuple,
    Zero,
)
from rh_kernel.syntax.sequences import rounds
from rh_kernel.syntax.signature import Location
from rh_kernel.syntax.types import SCALAR, Real, real
from rh_kernel.syntax.values import constant
from tests.operational.nets import (
    fc,
    handle,
    infer,
    location,
    mlp,
    sgd,
    sigmoid,
    sizes,
    trained,
    weights,
)
from tests.operational.programs import COMMANDS, E0, E1, HEAP, R0, R1, W0, W1, residual

ALPHA = 0.1


def shown(P: Command, heap: Heap) -> list[Rule]:
    return [step.rule for step in steps(P, heap)]


@pytest.mark.parametrize("seed", range(5))
def test_example_4_1_one_step_of_gradient_descent(seed: int) -> None:
    draw = np.random.default_rng(seed)
    v, t = draw.normal(size=2), draw.normal(size=1)
    heap = weights(seed, W0, W1)
    m0, m1 = heap[W0], heap[W1]
    s = m0 @ v
    v1 = s * sigmoid(s)
    e = ALPHA * (m1 @ v1 - t)
    u = m1.T @ e
    below = u * (sigmoid(s) + s * sigmoid(s) * (1 - sigmoid(s)))

    result = run(trained(lambda x: mlp(W0, W1, x), constant(v), sgd(ALPHA, constant(t), SCALAR)), heap)

    np.testing.assert_allclose(to_array(result.value), m0.T @ below, rtol=0, atol=1e-12)
    np.testing.assert_allclose(result.heap[W0], m0 - np.outer(below, v), rtol=0, atol=1e-12)
    np.testing.assert_allclose(result.heap[W1], m1 - np.outer(e, v1), rtol=0, atol=1e-12)


def test_fig_8_the_sequence_of_reductions() -> None:
    of_fig_7 = [rule for rule in shown(COMMANDS["mlp"], HEAP) if rule.value.startswith("R") and "-" not in rule.value[:2]]
    assert of_fig_7 == [
        Rule.REV_HANDLE,
        Rule.RH_OP,
        Rule.RH_LET,
        Rule.RH_TERM,
        Rule.RH_LET,
        Rule.RH_OP,
        Rule.RH_LET,
        Rule.RH_RETURN,
        Rule.RD,
        Rule.RD,
    ]


def test_fig_8_weights_are_read_on_the_way_down_and_written_on_the_way_up() -> None:
    touched = [(step.rule, _location(step.redex)) for step in steps(COMMANDS["mlp"], HEAP) if step.rule in (Rule.GET, Rule.PUT)]
    assert touched == [(Rule.GET, W0), (Rule.GET, W1), (Rule.PUT, W1), (Rule.PUT, W0)]


def test_fig_8_the_context_grows_in_front_and_keeps_the_names() -> None:
    contexts = [step.redex.scope.hints for step in steps(COMMANDS["mlp"], HEAP) if isinstance(step.redex, RH)]
    assert contexts == [
        ("x_in",),
        *[("z_hid", "x_in")] * 2,
        *[("x_hid", "z_hid", "x_in")] * 2,
        *[("z_out", "x_hid", "z_hid", "x_in")] * 2,
    ]


def test_fig_8_the_first_equation() -> None:
    """``let ⟨y, z'⟩ ⇐ Q^f[v/x] in let ⟨y', x'⟩ ⇐ RH^⟨y, v⟩(⟨y, x_in⟩. let z_hid ⇐ ⌊y⌋ in …) in …``"""
    *_, unfolded = (step.contractum for step, _ in zip(steps(COMMANDS["mlp"], HEAP), range(2), strict=False))
    match unfolded:
        case Bind(Bind(), scope):
            assert scope.hints == ("p",)
        case _:
            raise AssertionError(unfolded)
    form = _forms(unfolded)[0]
    assert form.values == Tuple((Bound(1), constant([0.3, -0.7])))
    assert isinstance(form.scope.body, Bind)
    assert form.scope.body.bound == Return(Bound(1))


# -- gradients -----------------------------------------------------------------------------------------------------------------


def loss(net: Callable[[TermAtDepth], CommandAtDepth], x: Array, t: Array, A: Real, heap: Heap) -> float:
    """``α |net(x) − t|² / 2``, where the net is run by the ordinary handler of §2.2.1."""
    y = to_array(run(handle(net(fixed(constant(x))), infer(A))(0), heap).value)
    return ALPHA * float(np.sum((y - t) ** 2)) / 2


def difference(f: Callable[[Array], float], x: Array, h: float = 1e-5) -> Array:
    gradient = np.zeros_like(x)
    for i in np.ndindex(*x.shape):
        e = np.zeros_like(x)
        e[i] = h
        gradient[i] = (f(x + e) - f(x - e)) / (2 * h)
    return gradient


def perceptron(x: TermAtDepth) -> CommandAtDepth:
    return mlp(W0, W1, x)


D0, D1, D2 = location("d0", 3, 2), location("d1", 3, 3), location("d2", 2, 3)


def skipping(x: TermAtDepth) -> CommandAtDepth:
    """Two skip connections: what is bound first is used last."""
    return bind(
        fc(D0, x),
        "a",
        lambda a: bind(
            bind(fc(D1, a), "b", lambda b: returned(plus(b, a))),
            "c",
            lambda c: bind(fc(D2, plus(c, a)), "d", lambda d: returned(plus(d, x))),
        ),
    )


@pytest.mark.parametrize(
    ("net", "A", "used"),
    [
        (perceptron, SCALAR, (W0, W1)),
        (residual, real(2), (R0, R1)),
        (skipping, real(2), (D0, D1, D2)),
    ],
    ids=["mlp", "residual", "skipping"],
)
def test_a_gradient_descent_handler_descends_the_gradient(
    net: Callable[[TermAtDepth], CommandAtDepth], A: Real, used: tuple[Location, ...]
) -> None:
    heap = weights(11, *used)
    x, t = np.array([0.4, -1.1]), np.full(sizes_of(A), 0.25)
    result = run(trained(net, constant(x), sgd(ALPHA, constant(t), A)), heap)

    np.testing.assert_allclose(to_array(result.value), difference(lambda x: loss(net, x, t, A, heap), x), atol=1e-8)
    for at in used:
        gradient = difference(lambda w, at=at: loss(net, x, t, A, heap.put(at, w)), heap[at])
        np.testing.assert_allclose(heap[at] - result.heap[at], gradient, atol=1e-8)


def sizes_of(A: Real) -> tuple[int, ...]:
    return sizes(Location("", A.shape))


def test_example_4_3_nested_handlers_train_the_autoencoder() -> None:
    v = np.array([0.1, -0.2, 0.3, 0.4])
    e0, e1 = HEAP[E0], HEAP[E1]
    gradient = ALPHA * (e1 @ e0 @ v - v)

    result = run(COMMANDS["autoencoder"], HEAP)

    np.testing.assert_allclose(result.heap[E1], e1 - np.outer(gradient, e0 @ v), atol=1e-12)
    np.testing.assert_allclose(result.heap[E0], e0 - np.outer(e1.T @ gradient, v), atol=1e-12)
    np.testing.assert_allclose(to_array(result.value), e0.T @ e1.T @ gradient, atol=1e-12)


def test_a_nested_form_is_unfolded_before_the_one_around_it() -> None:
    for step in steps(COMMANDS["autoencoder"], HEAP):
        if isinstance(step.redex, RH):
            assert not isinstance(_head(step.redex), RH)


def test_an_operation_without_a_clause_is_forwarded_and_its_cotangent_is_zero() -> None:
    result = run(COMMANDS["forwarded"], HEAP)
    assert materialise(result.value) == constant([0.0, 0.0])
    assert result.heap == HEAP
    assert shown(COMMANDS["forwarded"], HEAP).count(Rule.H_OP) == 2


def test_several_variables_share_the_cotangent_of_their_sum() -> None:
    match run(COMMANDS["two variables"], HEAP).value:
        case Tuple((Const() as a, Const() as b)):
            assert a == b
        case V:
            raise AssertionError(V)


def test_no_variable_at_all() -> None:
    result = run(COMMANDS["no variable"], HEAP)
    assert result.value == constant([])
    assert result.heap == run(COMMANDS["mlp"], HEAP).heap


def test_a_variable_of_product_type_is_taken_apart() -> None:
    zeros = constant([0.0, 0.0])
    assert materialise(run(COMMANDS["nested pair"], HEAP).value) == Tuple((zeros, zeros))


def test_an_ordinary_handler_inside_gives_the_derivative_of_what_it_computes() -> None:
    """The identity handler returns the output itself as the cotangent, so the result is ``½ |f|²`` differentiated."""
    x = np.array([0.3, -0.7])

    def f(x: Array) -> float:
        y = to_array(run(handle(mlp(W0, W1, fixed(constant(x))), infer(SCALAR))(0), HEAP).value)
        return float(np.sum(y**2)) / 2

    # Get is forwarded with a zero cotangent, so x has its whole influence through the pure part.
    np.testing.assert_allclose(to_array(run(COMMANDS["handled inside"], HEAP).value), difference(f, x), atol=1e-8)


def test_a_handler_without_a_clause_changes_nothing() -> None:
    assert run(COMMANDS["passed inside"], HEAP).heap == run(COMMANDS["mlp"], HEAP).heap


# -- the measure of Def. 5.7 ---------------------------------------------------------------------------------------------------


def depth(M: Subject | ReverseHandler | OrdinaryHandler) -> int:
    """Fig. 4; an unfolded form has the depth of what it is about (Lemma 5.8)."""
    match M:
        case Return() | Perform() | Resume():
            return 0
        case Bind(P, scope):
            return max(depth(P), depth(scope.body))
        case Repeat(scope=scope):
            return depth(scope.body)
        case Handle(P, H):
            return max(depth(P), depth(H))
        case IfCommand(_, _, P, Q):
            return max(depth(P), depth(Q))
        case RevHandle(_, scope, H):
            return 1 + max(depth(scope.body), depth(H))
        case RH(_, scope, H):
            return max(depth(scope.body), depth(H))
        case ReverseHandler(_, returns, clauses):
            inner = [scope for c in clauses for scope in (c.forward, c.backward)]
            return max(depth(scope.body) for scope in (returns, *inner))
        case OrdinaryHandler(_, _, returns, clauses):
            return max(depth(scope.body) for scope in (returns, *(c.scope for c in clauses)))
        case _:
            return 0


def size(M: Subject) -> int:
    """Fig. 5, with 2 for a constant: the equation for terms puts a variable where a constant was."""
    match M:
        case Bound():
            return 1
        case Const() | Zero():
            return 2
        case Call(_, N) | Proj(_, _, N):
            return 1 + size(N)
        case Plus(N, L):
            return 1 + size(N) + size(L)
        case Tuple(items):
            return 1 + sum(map(size, items))
        case Let(N, scope) | Bind(N, scope):
            return 1 + size(N) + size(scope.body)
        case Rd(W, scope, N) | R(W, scope, N):
            return 1 + size(W) + size(scope.body) + size(N)
        case Map(N, scope, source) | Scan(N, scope, source):
            return size(N) + rounds(source) * size(scope.body) + 60 * (rounds(source) + 1)
        case If(_, N, L, M) | IfCommand(_, N, L, M):
            return 1 + size(N) + size(L) + size(M)
        case Return(N):
            return size(N)
        case Perform(_, N) | Resume(_, _, N):
            return 2 + size(N)
        case Handle(P, _):
            return 1 + size(P)
        case Repeat(first=k, count=n, start=N, scope=scope):
            return 2 + size(N) + ((n.constant or 0) - k) * (2 + size(scope.body))
        case RevHandle(N, scope, _):
            return 2 + size(N) + size(scope.body)
        case RH(N, scope, _):
            return 1 + size(N) + size(scope.body)


NESTED = [name for name, P in COMMANDS.items() if Rule.RH_RETURN in shown(P, HEAP)]


@pytest.mark.parametrize("name", NESTED)
def test_lemma_5_11_no_step_makes_a_command_deeper(name: str) -> None:
    for step in steps(COMMANDS[name], HEAP):
        assert depth(step.before) >= depth(step.after)
        if step.rule is Rule.REV_HANDLE:
            assert depth(step.redex) > depth(step.contractum)


@pytest.mark.parametrize("name", NESTED)
def test_def_5_7_each_equation_recurs_on_something_smaller(name: str) -> None:
    for step in steps(COMMANDS[name], HEAP):
        if not isinstance(step.redex, RH):
            continue
        below = [form for form in _forms(step.contractum) if form.handler == step.redex.handler]
        for form in below:
            assert (depth(form), size(form.scope.body)) < (depth(step.redex), size(step.redex.scope.body))


def _forms(M: Subject) -> list[RH]:
    """The unfolded forms in M that are not inside another one."""
    match M:
        case RH():
            return [M]
        case Bind(P, scope):
            return [*_forms(P), *_forms(scope.body)]
        case Handle(P, _):
            return _forms(P)
        case IfCommand(_, _, P, Q):
            return [*_forms(P), *_forms(Q)]
        case _:
            return []


def _head(form: RH) -> Subject:
    M: Subject = form.scope.body
    while isinstance(M, Bind | Handle):
        M = M.bound if isinstance(M, Bind) else M.command
    return M


def _location(M: Subject) -> object:
    assert isinstance(M, Perform)
    return M.operation.indices[0]
