"""Validate requests: a malformed one is answered with an error, so that its sender does not wait forever."""

from collections.abc import Mapping
from typing import Any, cast

Content = dict[str, Any]

_CODE = {"code": str}
_CURSOR = {"code": str, "cursor_pos": int}
_REQUIRED: Mapping[str, Mapping[str, type]] = {
    "execute_request": _CODE,
    "complete_request": _CURSOR,
    "inspect_request": _CURSOR,
    "is_complete_request": _CODE,
    "history_request": {"hist_access_type": str},
    "shutdown_request": {"restart": bool},
    "delete_subshell_request": {"subshell_id": str},
}
_OPTIONAL: Mapping[str, Mapping[str, type]] = {
    "execute_request": {
        "silent": bool,
        "store_history": bool,
        "allow_stdin": bool,
        "stop_on_error": bool,
        "user_expressions": dict,
    },
    "inspect_request": {"detail_level": int},
    "history_request": {
        "session": int,
        "start": int,
        "stop": int,
        "n": int,
        "pattern": str,
        "output": bool,
        "raw": bool,
        "unique": bool,
    },
}


class Malformed(Exception):
    """A request with a field missing or of the wrong type."""


class Unreadable(dict[str, Any]):
    """Stands for part of a message that is not a JSON object; empty, so lookups find nothing."""


def well_formed(request: str, content: object) -> Content:
    """Return the content of a request with lone surrogates replaced. Raises ``Malformed``."""
    if isinstance(content, Unreadable) or not isinstance(content, dict):
        raise Malformed("the content is no JSON object")
    fields = cast(Content, content)
    for name, kind in _REQUIRED.get(request, {}).items():
        if not isinstance(fields.get(name), kind):
            raise Malformed(_mismatch(request, name, kind, fields))
    for name, kind in _OPTIONAL.get(request, {}).items():
        if fields.get(name) is not None and not isinstance(fields[name], kind):
            raise Malformed(_mismatch(request, name, kind, fields))
    expressions = fields.get("user_expressions")
    if isinstance(expressions, dict) and not all(isinstance(text, str) for text in cast(Content, expressions).values()):
        raise Malformed(f"{request}: the expressions in `user_expressions` are texts")
    if request == "history_request":
        # ipykernel passes every field on as an argument; a later protocol may add more.
        known = {*_REQUIRED[request], *_OPTIONAL[request]}
        fields = {name: value for name, value in fields.items() if name in known}
    try:
        return cast(Content, _cleaned(fields))
    except RecursionError:
        raise Malformed(f"{request}: the content is nested too deeply") from None


def _mismatch(request: str, name: str, kind: type, fields: Content) -> str:
    found = f"it is {type(fields[name]).__name__}" if name in fields else "it is missing"
    return f"{request}: `{name}` is to be {kind.__name__}; {found}"


def _cleaned(value: object) -> object:
    """Replace lone surrogates, which a browser may send."""
    match value:
        case str():
            return value if value.isascii() else value.encode("utf-16", "surrogatepass").decode("utf-16", "replace")
        case dict():
            return {_cleaned(key): _cleaned(part) for key, part in cast(dict[object, object], value).items()}
        case list():
            return [_cleaned(part) for part in cast(list[object], value)]
        case _:
            return value
