"""Who is compared, and the names that the tables and the goals have for them."""

from tests.benchmarks.peers import c_floor, hips_autograd, jax_jit, ours, pytorch
from tests.benchmarks.peers.by_hand import ByHand
from tests.benchmarks.peers.peer import Peer

HAND = "NumPy by hand"
FLOOR = "C floor"
OURS, OURS_IN_ONE_CALL = "rh", "rh train"
NATIVE, NATIVE_IN_ONE_CALL = "rh native", "rh native train"
EAGER, TUNED, LAYER, COMPILED = "torch eager", "torch tuned", "torch layer", "torch.compile"
JIT, SCAN, WINDOWS = "jax jit", "jax scan over layers", "jax sums of windows"
LOOP, LOOP_SCAN, LOOP_WINDOWS = "jax steps in jit", "jax steps in jit, scan", "jax steps in jit, windows"
AUTOGRAD = "autograd"

TORCH = (EAGER, TUNED, LAYER)
JAX = (JIT, SCAN, WINDOWS)
JAX_IN_ONE_CALL = (LOOP, LOOP_SCAN, LOOP_WINDOWS)

EVERYONE: tuple[Peer, ...] = (
    Peer(OURS, ours.StepByStep),
    Peer(NATIVE, ours.native_steps),
    Peer(OURS_IN_ONE_CALL, ours.InOneCall),
    Peer(NATIVE_IN_ONE_CALL, ours.native_in_one_call),
    Peer(HAND, ByHand),
    Peer(FLOOR, c_floor.Floor),
    Peer(EAGER, pytorch.Eager),
    Peer(TUNED, pytorch.Tuned),
    Peer(LAYER, pytorch.Layer),
    Peer(COMPILED, pytorch.Compiled, on_demand=True),
    Peer(JIT, jax_jit.Jit),
    Peer(SCAN, jax_jit.scan),
    Peer(WINDOWS, jax_jit.windows),
    Peer(LOOP, jax_jit.loop),
    Peer(LOOP_SCAN, jax_jit.loop_of_scan),
    Peer(LOOP_WINDOWS, jax_jit.loop_of_windows),
    Peer(AUTOGRAD, hips_autograd.Autograd),
)


def chosen(names: tuple[str, ...], *, on_demand: bool = False) -> tuple[Peer, ...]:
    """The peers of those names, or all of them; those on demand only if they are asked for."""
    return tuple([p for p in EVERYONE if (p.name in names if names else on_demand or not p.on_demand)])
