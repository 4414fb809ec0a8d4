"""Names in generated code."""

import keyword
import re

RESERVED = frozenset({"jax", "jnp", "lax", "np", "torch", "functional", "self", "weights", "WEIGHTS", "Path", "len", "range"})
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
        while found in self._taken:
            i += 1
            found = f"{name}_{i}"
        self._taken.add(found)
        return found
