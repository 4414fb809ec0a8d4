"""The modes of the thesis as the laboratory runs them: each has a driver in ``drivers.eff`` and handlers of its own."""

from dataclasses import dataclass

from rh_kernel.ad.handlers.translate import Written

_THESIS = "Sigal 2024, Automatic Differentiation via Effects and Handlers"


@dataclass(frozen=True, slots=True)
class Mode:
    """``driver f xs ws`` gives what the mode finds; ``handlers`` are what makes the mode, the outermost first."""

    name: str
    title: str
    source: str
    driver: str
    handlers: tuple[str, ...]
    written: Written = Written.PLAIN


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
    Written.CHECKPOINTS,
)
HIGHER_ORDER = Mode(
    "effects:higher-order",
    "Higher-order reverse mode handler",
    f"{_THESIS}, Listing 5.3",
    "higherOrder",
    ("reverseh",),
    Written.FUNCTIONS,
)
HIGHER_ORDER_CHECKPOINTED = Mode(
    "effects:higher-order-checkpointed",
    "Higher-order checkpointed reverse mode handler",
    f"{_THESIS}, Listing 5.4",
    "higherOrderCheckpointing",
    ("reversehc", "evaluateh"),
    Written.FUNCTIONS,
)

FORWARDS = (FORWARD, SECOND)
"""What pushes tangents; the others pull cotangents back."""

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
