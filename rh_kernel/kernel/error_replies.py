"""Reply to every request, even if it cannot be decoded, is malformed, or its handler raises.

By itself, ipykernel logs such a request and moves on, so the front end waits for the reply forever.
"""

import inspect
from collections.abc import Awaitable, Callable
from typing import Any, cast

from jupyter_client.session import Session, json_unpacker

from rh_kernel.display.fault import fault
from rh_kernel.kernel.errors import Content, faulty, malformed
from rh_kernel.kernel.requests import Malformed, Unreadable, well_formed

Handler = Callable[..., Any]
"""``handler(stream, ident, message)``, as ipykernel stores them by message type; may be a coroutine function."""


class ReadableSession(Session):
    """A session that decodes every signed message with a readable header.

    Other parts that are not JSON objects become ``Unreadable``, an empty dict. A broken header still raises, since without it
    nobody knows whom to reply to.
    """

    def __init__(self, **options: Any) -> None:
        super().__init__(**options)
        self.unpack = _unpack


def _unpack(text: str | bytes) -> dict[str, Any]:
    """Decode part of a message; ``Unreadable`` if it is not a JSON object or is nested too deeply."""
    try:
        value = json_unpacker(text)
    except (ValueError, RecursionError):
        return Unreadable()
    return cast(dict[str, Any], value) if isinstance(value, dict) else Unreadable()


def reply_type(request: str) -> str:
    """``execute_request ↦ execute_reply``"""
    return f"{request.removesuffix('request')}reply"


def answering(kernel: Any, handler: Handler, version: str) -> Callable[[Any, Any, Any], Awaitable[None]]:
    """Wrap ``handler`` so that it replies with ``status: error`` if the request is malformed or the handler raises."""

    async def answer(stream: Any, ident: Any, message: Any) -> None:
        try:
            message["content"] = well_formed(message["header"]["msg_type"], message["content"])
            result = handler(stream, ident, message)
            if inspect.isawaitable(result):
                await result
        except Malformed as wrong:
            refuse(kernel, stream, ident, message, malformed(wrong))
        except Exception as exception:
            content = {"status": "error", **faulty(fault(exception, version))}
            refuse(kernel, stream, ident, message, content)

    return answer


def refuse(kernel: Any, stream: Any, ident: Any, message: Any, content: Content) -> None:
    """Send ``content`` as the reply to a request that is not served."""
    kernel.session.send(stream, reply_type(message["header"]["msg_type"]), content, message, ident=ident)
