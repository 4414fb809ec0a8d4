"""Symbols written with simpler ones, so that a function and its derivative share what both need: ``swish(x) = x · σ(x)``.

The value of ``swish`` and its slope ``σ(x) + x σ(x) σ(−x)`` then come from one exponential. In that sum σ(−x) may be 1 − σ(x):
what the difference loses where σ(x) is close to 1 is below the last digit of the first term.
"""

from functools import lru_cache

import numpy as np

from rh_kernel.arrays.optimise import Draft
from rh_kernel.arrays.program import Extent, Operator, Program, Register, leaves
from rh_kernel.primitives.entrywise import GELU_CUBIC, GELU_LINEAR
from rh_kernel.primitives.formulas import ENTRYWISE, OF_ONE_SHAPE, SCALE
from rh_kernel.primitives.schemes import instantiate
from rh_kernel.syntax.core import Primitive
from rh_kernel.syntax.dimensions import dim

_EXPANDED = frozenset({"swish", "gelu", "sigmoid"})
"""Where none of these is, nothing is written anew: the slope of ``swish`` has a ``sigmoid``."""


def expanded(program: Program) -> Program:
    """A program with the same results up to rounding, without ``swish`` and ``gelu``."""
    if not any(isinstance(f, Primitive) and f.name in _EXPANDED for f in {e.operator for e in program.equations}):
        return program
    draft = Draft()
    new = [0] * len(program.shapes)
    for tree in program.inputs:
        for r in leaves(tree):
            new[r] = draft.fresh(program.shapes[r], batched=program.batched[r])
    for r, array in program.constants:
        new[r] = draft.constant(array)
    for r, location in program.reads:
        new[r] = draft.read(location, program.shapes[r])
    for equation in program.equations:
        arguments = tuple([new[r] for r in equation.arguments])
        new[equation.result] = _written(equation.operator, arguments, draft)
    return draft.finish(program, new, [(location, new[r]) for location, r in program.writes])


def _written(f: Operator, arguments: tuple[Register, ...], draft: Draft) -> Register:
    if isinstance(f, Primitive):
        match f.name:
            case "swish":
                (x,) = arguments
                return _call("mul", (x, _call("sigmoid", (x,), draft)), draft)
            case "gelu":
                (x,) = arguments
                cube = _call("mul", (x, _call("square", (x,), draft)), draft)
                u = _call("add", (_scaled(GELU_LINEAR, x, draft), _scaled(GELU_CUBIC, cube, draft)), draft)
                return _call("mul", (x, _call("sigmoid", (u,), draft)), draft)
            case "add":
                return _swish_slope(arguments, draft) or _swish_slope(arguments[::-1], draft) or draft.equation(f, arguments)
            case _:
                pass
        # What the program applies is in its simplest form already.
        return draft.equation(f, arguments)
    return draft.apply(f, arguments)


def _swish_slope(arguments: tuple[Register, ...], draft: Draft) -> Register | None:
    """``σ(x) + (x σ(x)) σ(−x)``, if the two are that: with ``1 − σ(x)``."""
    s, product = arguments
    (x,) = _arguments("sigmoid", s, draft) or (None,)
    factors = _arguments("mul", product, draft)
    if x is None or factors is None:
        return None
    for y, t in (factors, factors[::-1]):
        (n,) = _arguments("sigmoid", t, draft) or (None,)
        if n is not None and _arguments("neg", n, draft) == (x,) and set(_arguments("mul", y, draft) or ()) == {x, s}:
            one = draft.constant(np.broadcast_to(np.ones(1), draft.shapes[s]))
            return _call("add", (s, _call("mul", (y, _call("sub", (one, s), draft)), draft)), draft)
    return None


def _arguments(name: str, r: Register, draft: Draft) -> tuple[Register, ...] | None:
    found = draft.definition(r)
    if found is None or not isinstance(found.operator, Primitive) or found.operator.name != name:
        return None
    return found.arguments


def _call(name: str, arguments: tuple[Register, ...], draft: Draft) -> Register:
    return draft.apply(_symbol(name, len(arguments), draft.shapes[arguments[-1]]), arguments)


@lru_cache(maxsize=1024)
def _symbol(name: str, arity: int, shape: Extent) -> Primitive:
    return instantiate(name, ENTRYWISE if arity == 1 else OF_ONE_SHAPE, (tuple([dim(n) for n in shape]),))


def _scaled(c: float, x: Register, draft: Draft) -> Register:
    f = instantiate("scale", SCALE, (tuple([dim(n) for n in draft.shapes[x]]),))
    return draft.apply(f, (draft.constant(np.array([c])), x))
