"""Validation of records of function symbols, for those of plug-ins and in tests."""

from collections.abc import Iterator

from rh_kernel.primitives.formulas import Typed
from rh_kernel.primitives.schemes import Scheme, arguments, instantiate
from rh_kernel.primitives.symbol import FunctionSymbol
from rh_kernel.syntax.core import Bound
from rh_kernel.syntax.dimensions import DimVar, dim
from rh_kernel.syntax.types import Product, Real


def _ranks(scheme: Scheme) -> tuple[int, ...]:
    """The numbers of axes of the arguments and the result; −1 for any."""
    types = (*(scheme.domain.factors if isinstance(scheme.domain, Product) else (scheme.domain,)), scheme.codomain)
    return tuple([len(A.shape) if isinstance(A, Real) and isinstance(A.shape, tuple) else -1 for A in types])


def missing(f: FunctionSymbol) -> Iterator[str]:
    """Yield a phrase for each missing or invalid field, e.g. ``no doc``; calls the derivative at the generic instances."""
    if not f.name.isidentifier():
        yield "the name is no identifier"
    for field, text in (("doc", f.doc), ("formula", f.formula), ("example", f.example)):
        if not text or "\n" in text:
            yield f"no {field} of one line"
    if len({(len(scheme.variables), _ranks(scheme)) for scheme in f.schemes}) != len(f.schemes) or not f.schemes:
        yield "schemes: none, or two with equally many variables and axes"
    if len(f.costs) not in (1, len(f.schemes)):
        yield "costs: neither one nor one for each scheme"
    if any(scheme.needs for scheme in f.schemes) and not f.test_sizes:
        yield "no test_sizes, although not all sizes are allowed"
    for scheme in f.schemes:
        g = instantiate(f.name, scheme, tuple([dim(v) if isinstance(v, DimVar) else v for v in scheme.variables]))
        if any(i not in range(len(arguments(g))) for i in f.linear_in):
            yield "linear_in: there is no such argument"
        try:
            found = f.derivative(g, Typed(Bound(1, "w"), g.codomain), Typed(Bound(0, "v"), g.domain))
        except Exception as failure:
            yield f"derivative: {type(failure).__name__}: {failure}"
        else:
            if found.type != g.domain:
                yield f"derivative: of type {found.type} and not {g.domain}"
