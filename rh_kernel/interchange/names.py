"""Names in generated code."""

import keyword
import re

RESERVED = frozenset(
    [
        "CONSTANTS",
        "Path",
        "WEIGHTS",
        "carried",
        "dict",
        "float",
        "functional",
        "given",
        "int",
        "jax",
        "jnp",
        "lax",
        "len",
        "nn",
        "np",
        "range",
        "reversed",
        "rows",
        "self",
        "start",
        "sum",
        "super",
        "torch",
        "tuple",
        "weights",
        "zip",
        "convolve",
        "overlap_add",
        "windows",
        "sigmoid",
        "softmax",
        "log_softmax",
        "logsumexp",
    ]
)
"""What generated code uses itself."""


class Names:
    """Names that are identifiers of Python, each different from all others."""

    def __init__(self) -> None:
        self._taken: set[str] = set(RESERVED)

    def new(self, wanted: str) -> str:
        """Return a name like the one wanted: ``ws[0]`` becomes ``ws_0``, ``x'`` becomes ``x_``."""
        name = re.sub(r"\W+", "_", wanted.replace("]", "")) or "x"
        if not name.isidentifier():
            name = f"_{name}"
        if keyword.iskeyword(name) or keyword.issoftkeyword(name):
            name += "_"
        found, i = name, 1
        # Lines of generated code are called t1, t2, …, and rounds i, i2, ….
        while found in self._taken or re.fullmatch(r"[ti]\d+|i|constant_\d+|each_round(_\d+)?", found):
            i += 1
            found = f"{name}_{i}"
        self._taken.add(found)
        return found
