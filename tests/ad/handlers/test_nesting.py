"""§4.5: every differentiator within every other one."""

from collections.abc import Mapping
from dataclasses import dataclass

import pytest

from tests.ad.handlers.programs import value


@dataclass(frozen=True, slots=True)
class Differentiator:
    """A program with a hole for what is differentiated, for the point and for the variable; and how often it differentiates."""

    text: str
    order: int = 1


DIFFERENTIATORS: Mapping[str, Differentiator] = {
    "forward": Differentiator("d {X -> BODY} POINT"),
    "continuation": Differentiator("dc {X -> BODY} POINT"),
    "stateful": Differentiator("grad {X -> BODY} POINT"),
    "taped": Differentiator("dt {X -> BODY} POINT"),
    "checkpointed": Differentiator("gradc {X -> BODY} POINT"),
    "higher-order": Differentiator("gradh {X -> BODY} POINT"),
    "higher-order checkpointed": Differentiator("gradhc {X -> BODY} POINT"),
    "second": Differentiator("dd {X -> BODY} POINT", 2),
    "hessian": Differentiator("curved {X -> BODY} POINT", 2),
}

CURVED = """
fun curved f x = match hessian {zs -> match zs | [z] -> f z | _ -> c 0} [x] | [[Just h]] -> h | _ -> c 0
"""

FOURTH: Mapping[str, str] = {
    "checkpointed": "checkpoint {t Y (checkpoint {t Y (t Y Y)})}",
    "higher-order": "let f = abs {z -> t z z} in app f (app f Y)",
    "higher-order checkpointed": "let f = abs {z -> t z z} in app f (app f Y)",
}
"""x⁴ with what only some modes can handle; elsewhere it is three products."""

DERIVATIVES = {2: 48, 3: 48, 4: 24}
"""(x⁴)″ = 12x², (x⁴)‴ = 24x and 24, at 2"""


def nested(outer: str, inner: str) -> str:
    """The derivative of the derivative of x⁴ at 2."""
    a, b = DIFFERENTIATORS[outer].text, DIFFERENTIATORS[inner].text
    body = FOURTH.get(inner, "t Y (t Y (t Y Y))").replace("Y", "y")
    within = b.replace("X", "y").replace("BODY", body).replace("POINT", "x")
    return f"handle {a.replace('X', 'x').replace('BODY', within).replace('POINT', '2')} with evaluate"


@pytest.mark.parametrize("inner", DIFFERENTIATORS)
@pytest.mark.parametrize("outer", DIFFERENTIATORS)
def test_every_differentiator_within_every_other_one(outer: str, inner: str) -> None:
    """81 ordered pairs"""
    order = DIFFERENTIATORS[outer].order + DIFFERENTIATORS[inner].order
    assert value(nested(outer, inner), CURVED) == pytest.approx(DERIVATIVES[order], rel=1e-12)
