"""``%help`` and ``%lsmagic``: texts about directives, function symbols and what a session has declared."""

from rh_kernel.primitives.table import ROWS
from rh_kernel.session.describing import type_text
from rh_kernel.session.directives import DIRECTIVES
from rh_kernel.typing.definitions import Definitions, kind_of


def help_text(definitions: Definitions, words: tuple[str, ...]) -> str:
    """About each word; without words the directives and the function symbols."""
    return "\n".join(_about(definitions, word) for word in words) if words else _overview()


def _overview() -> str:
    width = max(len(_usage(name)) for name in DIRECTIVES)
    lines = [f"{_usage(name):<{width}}  {text}" for name, (_, text) in DIRECTIVES.items()]
    names = ", ".join(ROWS)
    return "\n".join(["Directives", *lines, "", "Function symbols (`%help softmax` tells more)", names])


def _usage(name: str) -> str:
    return f"%{name} {DIRECTIVES[name][0]}".rstrip()


def _about(definitions: Definitions, word: str) -> str:
    name = word.lstrip("%")
    definition = definitions.get(name)
    if definition is not None:
        return f"{name} is {kind_of(definition)}: {type_text(definition)}"
    if name in ROWS:
        row = ROWS[name]
        types = "\n".join(f"  {signature}" for signature in row.signatures)
        return f"{row.doc}\n{types}\n  {row.formula}"
    if name in DIRECTIVES:
        return f"{_usage(name)}: {DIRECTIVES[name][1]}"
    return f"nothing is called `{name}`"
