"""The declarations that random programs use, and the definitions of a text (LANGUAGE §3)."""

from rh_kernel.source.span import Source
from rh_kernel.syntax import surface_items as items
from rh_kernel.syntax.parsing.parser import parse
from rh_kernel.typing.definitions import BUILT_IN, Definitions, FunDefinition, LocFamilyDefinition
from rh_kernel.typing.elaboration.declarations import declare

DECLARED = """
op FC[l : Loc(m, n)] : Real(n) -> Real(m)
op Layer : Real(n) -> Real(n)
op Shift[a : Real(n)] : Real(n) -> Real(n)
op Choose[p : Dim] : Real(n) -> Real(p)
op Mix : Real(n) * Real(n) -> Real(n)
op Split : Real(n) -> Real(n) * Real(1)
op Tied[l : Loc(m, n), r : Loc(n, m)] : Real(n) -> Real(m)
op Dense[l : Loc(i, j)] : Real(j) -> Real(i)
op Tick : 1 -> Real(1)
op Both : Real(n) -> Real(n) * Real(n)
fun sq(x : Real(n)) : Real(n) = x * tanh(x)
fun through(x : Real(n)) : Real(n) = sin(x) with rd(w, x) = w + w
fun stopped(x : Real(n)) : Real(n) = 0 with rd(w, x) = w
fun gated(x : Real(n), y : Real(n)) : Real(n) = let z <- tanh(y) in x * z + y
"""
SIZES = (1, 2, 3)
DECLARED += "".join(f"loc b{n} : Real({n}) = zeros\n" for n in SIZES)
DECLARED += "loc vs[3] : Real(2) = zeros\nloc ms[3] : Real(2, 2) = zeros\n"
DECLARED += "".join(f"loc w{m}{n} : Real({m}, {n}) = zeros\n" for m in SIZES for n in SIZES)


def declared(text: str) -> Definitions:
    """Return the definitions of a text that consists of declarations."""
    known = BUILT_IN
    for item in parse(Source("declarations", text)):
        assert isinstance(item, items.Declaration)
        known = known.with_(declare(known, item), None)
    return known


DEFINITIONS = declared(DECLARED)
LOCATIONS = tuple(DEFINITIONS.locations().values())
LOCATION_FAMILIES = tuple(
    d.definition.family for d in DEFINITIONS.named.values() if isinstance(d.definition, LocFamilyDefinition)
)
FUNCTIONS = tuple(d.definition for d in DEFINITIONS.named.values() if isinstance(d.definition, FunDefinition))
