"""Decomposition of symbols into simpler ones, so that a function and its derivative share subterms: ``swish(x) = x · σ(x)``.

The value of ``swish`` and its derivative ``σ(x) + x σ(x) σ(−x)`` then share one exponential. In that sum, σ(−x) is computed as
1 − σ(x): the cancellation where σ(x) is close to 1 is below the last digit of the first term.
"""

from functools import lru_cache

import numpy as np

from rh_kernel.arrays.drafts import Draft
from rh_kernel.arrays.program import Loop, Operator, Program, Register
from rh_kernel.loops.ir import Extent
from rh_kernel.primitives.formulas import OF_ONE_SHAPE, Typed
from rh_kernel.primitives.schemes import instantiate
from rh_kernel.primitives.table import SYMBOLS
from rh_kernel.source.diagnostic import KernelBug
from rh_kernel.syntax.core import Bound, Call, Const, Plus, Primitive, Proj, Term, Tuple
from rh_kernel.syntax.dimensions import dim


def expanded(program: Program) -> Program:
    """Decompose symbols such as ``swish`` and ``gelu``. The results are the same up to rounding."""
    if not _has_rewritten(program):
        return program
    draft = Draft()
    new = draft.copy_given(program, [False] * len(program.inputs))
    for equation in program.equations:
        arguments = tuple([new[r] for r in equation.arguments])
        draft.span = equation.span
        new[equation.result] = _written(equation.operator, arguments, draft)
    return draft.finish(program, new, [(location, new[r]) for location, r in program.writes])


def _has_rewritten(program: Program) -> bool:
    return any(
        _has_rewritten(f.body) if isinstance(f, Loop) else isinstance(f, Primitive) and _is_rewritten(f)
        for f in {e.operator for e in program.equations}
    )


def _is_rewritten(f: Primitive) -> bool:
    """Whether f has a decomposition, or is ``sigmoid``, which occurs in the derivative of ``swish``."""
    return f.name == "sigmoid" or SYMBOLS[f.name].decomposition is not None


def _written(f: Operator, arguments: tuple[Register, ...], draft: Draft) -> Register:
    if isinstance(f, Loop):
        return draft.equation(Loop(f.rounds, expanded(f.body), f.backward), arguments)
    if not isinstance(f, Primitive):
        return draft.apply(f, arguments)
    decomposition = _decomposition(f)
    if decomposition is not None:
        return _evaluated(decomposition, arguments, draft)
    slope = _swish_slope(arguments, draft) or _swish_slope(arguments[::-1], draft) if f.name == "add" else None
    # The equations of the program are already simplified.
    return slope or draft.equation(f, arguments)


@lru_cache(maxsize=1024)
def _decomposition(f: Primitive) -> Term | None:
    """The decomposition of f applied to variable 0, or ``None``."""
    found = SYMBOLS[f.name].decomposition
    return None if found is None else found(Typed(Bound(0, "x"), f.domain)).term


def _evaluated(M: Term, arguments: tuple[Register, ...], draft: Draft) -> Register:
    """Add the equations of a decomposition, where variable 0 stands for the arguments, and return its register."""
    match M:
        case Bound():
            return arguments[0]
        case Proj(index, _, Bound()):
            return arguments[index - 1]
        case Const(array):
            return draft.constant(array)
        case Plus(left, right):
            return _call("add", (_evaluated(left, arguments, draft), _evaluated(right, arguments, draft)), draft)
        case Call(Primitive() as f, argument):
            given = argument.items if isinstance(argument, Tuple) else (argument,)
            return draft.apply(f, tuple([_evaluated(N, arguments, draft) for N in given]))
        case _:
            raise KernelBug(f"a decomposition consists of applications of symbols, but contains a {type(M).__name__}")


def _swish_slope(arguments: tuple[Register, ...], draft: Draft) -> Register | None:
    """Rewrite ``σ(x) + (x σ(x)) σ(−x)`` to ``σ(x) + (x σ(x)) (1 − σ(x))``, if the summands have that form."""
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
    return draft.apply(_symbol(name, draft.shapes[arguments[-1]]), arguments)


@lru_cache(maxsize=1024)
def _symbol(name: str, shape: Extent) -> Primitive:
    return instantiate(name, OF_ONE_SHAPE, (tuple([dim(n) for n in shape]),))
