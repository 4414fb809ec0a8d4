"""Internal errors, described without a Python traceback: a message and the innermost frames in the package."""

import traceback
from dataclasses import dataclass
from pathlib import Path

PACKAGE = Path(__file__).parents[1]
LONGEST_MESSAGE = 500
PLACES = 3


@dataclass(frozen=True, slots=True)
class Fault:
    """An internal error: a title, a one-line summary, and the text to show and to report."""

    title: str
    summary: str
    text: str


def fault(exception: BaseException, version: str) -> Fault:
    """Describe an exception that no program should cause. The cell that raised it was rolled back."""
    if isinstance(exception, MemoryError):
        summary = "there is not enough memory for this"
        hint = "Smaller dimensions, or a smaller batch, need less; %heap shows what is held."
        return Fault("Out of memory", summary, f"Out of memory: {summary}.\n{hint}")
    summary = _summary(exception)
    lines = [
        f"Fault in rh_kernel {version}",
        "The mistake is ours, not your program's. Nothing of this text took effect, and you can go on.",
        "To report it, send the text together with these lines:",
        f"  {summary}",
        *[f"  at {place}" for place in _places(exception)],
    ]
    return Fault("Fault in rh_kernel", summary, "\n".join(lines))


def _summary(exception: BaseException) -> str:
    message = " ".join(str(exception).split())
    if len(message) > LONGEST_MESSAGE:
        message = message[:LONGEST_MESSAGE] + " …"
    name = type(exception).__name__
    return f"{name}: {message}" if message else name


def _places(exception: BaseException) -> list[str]:
    """Return the innermost frames inside the package, innermost first."""
    frames = [f for f in traceback.extract_tb(exception.__traceback__) if PACKAGE in Path(f.filename).parents]
    inside = [(Path(f.filename).relative_to(PACKAGE).with_suffix("").parts, f) for f in reversed(frames)]
    return [f"{'.'.join(parts)}, line {f.lineno}, in {f.name}" for parts, f in inside[:PLACES]]
