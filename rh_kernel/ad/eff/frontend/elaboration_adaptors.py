"""Adaptors of ``%%eff`` cells to core: names of instances to their places."""

from rh_kernel.ad.eff.core import Adaptor
from rh_kernel.ad.eff.frontend.resolving import Scope, reject_twice, unknown
from rh_kernel.ad.eff.frontend.surface import AdaptorExpr


def elaborate_adaptor(written: AdaptorExpr, scope: Scope) -> Adaptor:
    """Which instances of an effect around are those inside: counted from the innermost one, as the core does."""
    effect = scope.effect(written.effect)
    if written.around is None:
        return Adaptor(effect, span=written.span)
    reject_twice(written.around, "give each instance a different name")
    places = {name.text: len(written.around) - 1 - i for i, name in enumerate(written.around)}
    kept: list[int] = []
    for name in reversed(written.inside):
        if name.text not in places:
            raise unknown(name, places, "name the instances on the left of the arrow")
        kept.append(places[name.text])
    return Adaptor(effect, len(written.around), tuple(kept), span=written.span)
