"""Everyone who can tell the gradient of a Gaussian mixture: the same program in each library, given a mixture beforehand."""

import os
from collections.abc import Callable, Iterator, Mapping
from dataclasses import replace
from importlib import import_module
from importlib.util import find_spec
from types import MappingProxyType
from typing import Any, TypeAlias

import numpy as np

from rh_kernel.ad.eff.core import Apply, Computation, Constructed, Force, Global, Literal, Value
from rh_kernel.ad.eff.loading import program
from rh_kernel.ad.eff.machine.compiler.program import Program
from rh_kernel.ad.eff.machine.running import run_in_slices
from rh_kernel.ad.eff.machine.tensor_values import Tensor
from rh_kernel.ad.eff.typing.checking import check_item
from rh_kernel.source.trampoline import exhaust
from tests.benchmarks.effects_gmm import Array, Mixture, below, constant, gradient, objective
from tests.benchmarks.peers.peer import Unavailable

Gradient: TypeAlias = tuple[Array, Array, Array]
Run: TypeAlias = Callable[[], Gradient]
"""The gradient with respect to ``α``, ``μ`` and ``icf``, recomputed."""

OURS, HAND, TORCH, ADBENCH, JIT, JAX, DIFFERENCES = (
    "rh, effects and handlers",
    "NumPy by hand",
    "PyTorch, eager",
    "PyTorch, eager, ADBench's way",
    "JAX, jit",
    "JAX, no jit",
    "finite differences",
)
MOST_DIFFERENCES = 350
"""Variables up to which finite differences are waited for."""
MOST_COLUMNS = 7000
"""Columns of all L up to which ADBench's way is waited for."""


def ours(of: Mixture) -> Run:
    """``gmm_gradient`` of the library: stateful reverse mode under evaluation; a function is compiled when it is first used."""
    definitions = program("gmm")
    M: Computation = Force(Global("gmm_gradient"))
    for value in (Tensor(of.x), of.gamma, of.m, *map(Tensor, of.variables)):
        M = Apply(M, Literal(value))
    M, kept = check_item(M, definitions).term, Program(definitions)

    def run() -> Gradient:
        alphas, means, icf = _arrays(exhaust(run_in_slices(M, kept)).value)
        return alphas, means, icf

    return run


def _arrays(V: Value | None) -> Iterator[Array]:
    """Those of a list of tensors."""
    while isinstance(V, Constructed) and V.fields:
        first, V = V.fields
        assert isinstance(first, Literal)
        assert isinstance(first.value, Tensor)
        yield first.value.array


def by_hand(of: Mixture) -> Run:
    """Derived on paper."""
    return lambda: gradient(of)


def torch_eager(of: Mixture) -> Run:
    """Batched, with broadcasting, and all L filled at once."""
    torch = _torch()

    def lower(icf: Any, d: int) -> Any:
        rows, columns = [torch.from_numpy(places) for places in below(d)]
        made = torch.zeros((len(icf), d, d), dtype=icf.dtype)
        made[:, rows, columns] = icf[:, d:]
        return made

    return _torch_run(of, torch, lower)


def torch_as_adbench(of: Mixture) -> Run:
    """Each L column by column, one after the other, as in ADBench's programs for eager systems and in listing A.37."""
    if len(of.alphas) * of.x.shape[1] > MOST_COLUMNS:
        raise Unavailable("takes too long")
    torch = _torch()

    def of_one(row: Any, d: int) -> Any:
        columns: list[Any] = []
        start = d
        for i in range(d):
            end = start + d - i - 1
            columns.append(torch.cat([torch.zeros(i + 1, dtype=row.dtype), row[start:end]]))
            start = end
        return torch.stack(columns, -1)

    return _torch_run(of, torch, lambda icf, d: torch.stack([of_one(row, d) for row in icf]))


def _torch() -> Any:
    if find_spec("torch") is None:
        raise Unavailable("not installed")
    torch: Any = import_module("torch")
    torch.set_num_threads(int(os.environ.get("OMP_NUM_THREADS", "1")))
    return torch


def _torch_run(of: Mixture, torch: Any, lower: Callable[[Any, int], Any]) -> Run:
    x = torch.tensor(of.x)
    n, d = of.x.shape
    fixed = constant(n, d, len(of.alphas), of.gamma, of.m)

    def value(alphas: Any, means: Any, icf: Any) -> Any:
        q = icf[:, :d]
        roots = torch.exp(q)
        centred = x - means[:, None]
        whitened = roots[:, None] * centred + torch.matmul(centred, lower(icf, d).transpose(1, 2))
        inner = (alphas + q.sum(1))[:, None] - 0.5 * (whitened**2).sum(2)
        prior = 0.5 * of.gamma**2 * ((roots**2).sum() + (icf[:, d:] ** 2).sum()) - of.m * q.sum()
        return torch.logsumexp(inner, 0).sum() - n * torch.logsumexp(alphas, 0) + prior + fixed

    def run() -> Gradient:
        variables = [torch.tensor(a, requires_grad=True) for a in of.variables]
        alphas, means, icf = [g.numpy() for g in torch.autograd.grad(value(*variables), variables)]
        return alphas, means, icf

    return run


def jax_jit(of: Mixture) -> Run:
    """Compiled as a whole; how long that takes does not count."""
    jax, by_variables, variables = _jax(of)
    return _jax_run(jax.jit(by_variables), variables)


def jax_plain(of: Mixture) -> Run:
    """One operation after the other."""
    _, by_variables, variables = _jax(of)
    return _jax_run(by_variables, variables)


def _jax_run(by_variables: Callable[..., Any], variables: tuple[Any, ...]) -> Run:
    def run() -> Gradient:
        alphas, means, icf = [np.asarray(g) for g in by_variables(*variables)]
        return alphas, means, icf

    return run


def _jax(of: Mixture) -> tuple[Any, Callable[..., Any], tuple[Any, ...]]:
    if find_spec("jax") is None:
        raise Unavailable("not installed")
    os.environ.setdefault("JAX_PLATFORMS", "cpu")
    jax: Any = import_module("jax")
    jax.config.update("jax_enable_x64", True)
    jnp: Any = import_module("jax.numpy")
    x = jnp.array(of.x)
    n, d = of.x.shape
    fixed = constant(n, d, len(of.alphas), of.gamma, of.m)
    rows, columns = below(d)

    def value(alphas: Any, means: Any, icf: Any) -> Any:
        q = icf[:, :d]
        roots = jnp.exp(q)
        centred = x - means[:, None]
        lower = jnp.zeros((len(icf), d, d)).at[:, rows, columns].set(icf[:, d:])
        whitened = roots[:, None] * centred + centred @ lower.swapaxes(1, 2)
        inner = (alphas + q.sum(1))[:, None] - 0.5 * (whitened**2).sum(2)
        prior = 0.5 * of.gamma**2 * ((roots**2).sum() + (icf[:, d:] ** 2).sum()) - of.m * q.sum()
        lse: Any = jax.scipy.special.logsumexp
        return lse(inner, 0).sum() - n * lse(alphas) + prior + fixed

    return jax, jax.grad(value, argnums=(0, 1, 2)), tuple([jnp.array(a) for a in of.variables])


def differences(of: Mixture) -> Run:
    """Central differences of the objective in NumPy."""
    if of.count > MOST_DIFFERENCES:
        raise Unavailable("takes too long")

    def by(name: str, a: Array) -> Array:
        found = np.zeros(a.shape)
        for place in np.ndindex(*a.shape):
            step = 6e-6 * max(1.0, abs(a[place]))
            above, under = a.copy(), a.copy()
            above[place] += step
            under[place] -= step
            found[place] = (objective(replace(of, **{name: above})) - objective(replace(of, **{name: under}))) / (2 * step)
        return found

    return lambda: (by("alphas", of.alphas), by("means", of.means), by("icf", of.icf))


OTHERS: Mapping[str, Callable[[Mixture], Run]] = MappingProxyType(
    {
        HAND: by_hand,
        TORCH: torch_eager,
        ADBENCH: torch_as_adbench,
        JIT: jax_jit,
        JAX: jax_plain,
        DIFFERENCES: differences,
    }
)
"""All but ours."""
TOLERANCE = {DIFFERENCES: 1e-6}
"""How far from the gradient by hand each may be, in proportion to the largest entry; the others 1e-10."""
EVERYONE: Mapping[str, Callable[[Mixture], Run]] = MappingProxyType({OURS: ours, **OTHERS})
"""Ours comes first."""
