r"""Texts as they are written: between quotes; what cannot stand there as it is, is ``\n``, ``\r``, ``\t``, ``\"`` or ``\\``."""

import re

_WRITTEN = {"\n": r"\n", "\r": r"\r", "\t": r"\t", '"': r"\"", "\\": r"\\"}
_READ = {"n": "\n", "r": "\r", "t": "\t", '"': '"', "\\": "\\"}


def quoted(text: str) -> str:
    """A text as it is written in a program."""
    return '"' + "".join([_WRITTEN.get(character, character) for character in text]) + '"'


def unquoted(written: str) -> str:
    """The text that was written so."""
    return re.sub(r"\\(.)", lambda m: _READ[m[1]], written[1:-1])
