"""Each function of the prelude is within a few units in the last place of the true one, and right where there is none."""

import numpy as np
import pytest

from rh_kernel.arrays.native import Native, available
from rh_kernel.arrays.planning.planner import planned
from rh_kernel.loops.ir import Input, Instruction, Map, Plan, Precision, Scratch, Store, View
from rh_kernel.loops.scalars import SCALAR_OPS, ScalarOp
from rh_kernel.primitives.table import SYMBOLS
from rh_kernel.syntax.core import Array
from tests.arrays.native.plans import UNARY
from tests.arrays.plans import DEFINITIONS
from tests.arrays.written import applied
from tests.primitives.instances import FAMILIES

UNITS = 8
"""How many units in the last place a value may be off."""

SPECIAL = (0.0, -0.0, np.inf, -np.inf, np.nan, 1e-300, 0.5, 1.5, 2.5, -708.0, -709.0, -746.0, 709.0, 710.0, 88.5, 89.0, -87.5)


def others() -> list[ScalarOp]:
    """The operations of one number that records of symbols have for their own."""
    plans = [planned(applied(f), 1) for f in FAMILIES if SYMBOLS[f.name].lowering]
    bodies = [step.body for plan in plans for step in plan.steps if isinstance(step, Map)]
    used = {line.function for body in bodies for line in body if isinstance(line, Instruction)}
    return sorted([f for f in used - set(SCALAR_OPS) if f.arity == 1], key=lambda f: f.name)


OTHERS = others()


def computed(function: ScalarOp, x: Array, precision: Precision) -> Array:
    """The function of all numbers by one loop."""
    n = len(x)
    given, result = View(0, 0, (n,), (1,)), View(1, 0, (n,), (1,))
    step = Map((n,), (given,), (Instruction(function, (0,)),), (Store(result, 1),))
    plan = Plan(precision, None, ((n,),), (Input(0, n), Scratch(0, n)), n, (step,), result, ())
    runner = Native().runner(plan, {})
    runner.step(x)
    found = runner.result()
    assert not isinstance(found, tuple)
    return found


@pytest.mark.skipif(not available(), reason="there is no C compiler")
@pytest.mark.parametrize("precision", ["float64", "float32"])
@pytest.mark.parametrize("function", [*UNARY, *OTHERS], ids=lambda function: function.name)
def test_functions_are_exact_to_a_few_units(function: ScalarOp, precision: Precision) -> None:
    rng = np.random.default_rng(0)
    bound = 750 if precision == "float64" else 100
    parts = [rng.uniform(-bound, bound, 5000), rng.normal(size=5000), 1e-6 * rng.normal(size=200), np.array(SPECIAL)]
    x = np.concatenate(parts).astype(precision)
    found = computed(function, x, precision)
    with np.errstate(all="ignore"):
        # One precision up: what is true to the last place here.
        wide = x.astype(np.longdouble if precision == "float64" else np.float64)
        exact = DEFINITIONS.get(function, function.function(np))(wide).astype(precision)
    normal = np.isfinite(exact) & (np.abs(exact) >= np.finfo(precision).tiny)
    distance = np.abs(found[normal] - exact[normal]) / np.spacing(np.abs(exact[normal]))
    assert distance.max() <= UNITS
    np.testing.assert_allclose(found[~normal], exact[~normal], rtol=0, atol=float(np.finfo(precision).tiny))
