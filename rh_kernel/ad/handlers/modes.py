"""The modes of differentiation in the thesis, each with its handlers and a driver in ``drivers.eff``."""

from dataclasses import dataclass

from rh_kernel.ad.handlers.translate import Encoding

_THESIS = "Sigal 2024, Automatic Differentiation via Effects and Handlers"


@dataclass(frozen=True, slots=True)
class Mode:
    """``driver f xs ws`` differentiates f by the mode; ``handlers`` are those of the mode, the outermost first."""

    name: str
    title: str
    source: str
    driver: str
    handlers: tuple[str, ...]
    encoding: Encoding = Encoding.PLAIN


FORWARD = Mode("effects:forward", "Forward mode handler", f"{_THESIS}, Listing 4.4", "forwards", ("diff",))
STATEFUL = Mode("effects:stateful", "Stateful reverse mode handler", f"{_THESIS}, Listing 4.5", "statefully", ("reverse",))
CONTINUATION = Mode(
    "effects:continuation", "Continuation reverse mode handler", f"{_THESIS}, Listing 4.7", "continuing", ("propagate",)
)
TAPED = Mode("effects:taped", "Taped reverse mode handler", f"{_THESIS}, Listing 4.8", "taping", ("incrementName", "record"))
SECOND = Mode("effects:second", "Second derivative forward mode handler", f"{_THESIS}, Listing 5.1", "secondly", ("diff2",))
HESSIAN = Mode(
    "effects:hessian",
    "Hessian reverse mode handler",
    f"{_THESIS}, Listing A.22",
    "tagging",
    ("incrementName", "reverseHessian"),
)
CHECKPOINTED = Mode(
    "effects:checkpointed",
    "Checkpointed reverse mode handler",
    f"{_THESIS}, Listing 5.2",
    "checkpointing",
    ("reversec", "evaluatet"),
    Encoding.CHECKPOINTS,
)
HIGHER_ORDER = Mode(
    "effects:higher-order",
    "Higher-order reverse mode handler",
    f"{_THESIS}, Listing 5.3",
    "higherOrder",
    ("reverseh",),
    Encoding.FUNCTIONS,
)
HIGHER_ORDER_CHECKPOINTED = Mode(
    "effects:higher-order-checkpointed",
    "Higher-order checkpointed reverse mode handler",
    f"{_THESIS}, Listing 5.4",
    "higherOrderCheckpointing",
    ("reversehc", "evaluateh"),
    Encoding.FUNCTIONS,
)

FORWARDS = (FORWARD, SECOND)
"""The forward modes, which take tangents; the others take cotangents."""

MODES = (
    FORWARD,
    STATEFUL,
    CONTINUATION,
    TAPED,
    SECOND,
    HESSIAN,
    CHECKPOINTED,
    HIGHER_ORDER,
    HIGHER_ORDER_CHECKPOINTED,
)
