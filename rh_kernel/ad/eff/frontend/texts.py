r"""Text literals: double quotes, and the escapes ``\n``, ``\r``, ``\t``, ``\"`` and ``\\``."""

import re

_ESCAPES = {"\n": r"\n", "\r": r"\r", "\t": r"\t", '"': r"\"", "\\": r"\\"}
_CHARACTERS = {escape[1]: character for character, escape in _ESCAPES.items()}
_QUOTING = str.maketrans(_ESCAPES)


def quoted(text: str) -> str:
    """The literal of a text."""
    return f'"{text.translate(_QUOTING)}"'


def unquoted(written: str) -> str:
    """The text of a literal."""
    return re.sub(r"\\(.)", lambda m: _CHARACTERS[m[1]], written[1:-1])
