"""The function symbol ``softsign(x) = x / (1 + |x|)``, entry by entry: ``rd[softsign](w, x) = w / (1 + |x|)²``."""

from rh_kernel.loops import scalars
from rh_kernel.loops.builder import call
from rh_kernel.primitives.entrywise import abs_, recip, square
from rh_kernel.primitives.formulas import Typed, let, number
from rh_kernel.primitives.structural import fill
from rh_kernel.primitives.symbol import Family, FunctionSymbol, entrywise


def _derivative(w: Typed, x: Typed) -> Typed:
    return let("y", recip(fill[x.shape](number(1)) + abs_(x)), lambda y, w, x: w * square(y), w, x)


softsign: FunctionSymbol = entrywise(
    "softsign",
    doc="x divided by 1 plus its absolute value",
    formula="x / (1 + |x|)",
    example="softsign([1, -3])",
    value=call(scalars.DIV, 0, call(scalars.ADD, 1.0, call(scalars.ABS, 0))),
    derivative=_derivative,
)

ACTIVATIONS = Family("Activations", (softsign,))
